import type { Citation } from "./find-citations.ts";
import { areaOf, type Requirement } from "./requirement.ts";

/** Everything the check compares. */
export interface RequirementsState {
  readonly requirements: readonly Requirement[];
  readonly citations: readonly Citation[];
  /** `file:line` of `verifies(…)` calls whose ids are not literals. */
  readonly unreadable: readonly string[];
  /** Id to the issue that will meet it. */
  readonly knownUnmet: Readonly<Record<string, number>>;
  /** Issue to the number of ids it still owes. */
  readonly ceiling: Readonly<Record<number, number>>;
}

const ID = /^[a-z0-9]+(?:-[a-z0-9]+)*(?::[a-z0-9]+(?:-[a-z0-9]+)*){2,3}$/;
const SOURCE =
  /^(?:seed 00[012]|exa-api|agent-protocol|agent-tools|mcp-workflows|features|engines|models|design|house-style|issue \d+)(?: |$)/;
const FIRST_ISSUE = 2;
const LAST_ISSUE = 12;
const PRUNE = "node tools/run-typescript.mjs tools/requirements.ts --prune";

/** One sentence per fault of the list, its citations and the unmet record; none when all agree. */
export function checkRequirements(state: RequirementsState): readonly string[] {
  return [
    ...malformed(state.requirements),
    ...duplicates(state.requirements),
    ...strayCitations(state),
    ...strayUnmet(state),
    ...unaccounted(state),
    ...wrongCeiling(state),
  ];
}

function malformed(requirements: readonly Requirement[]): readonly string[] {
  return requirements.flatMap(({ id, source, sentence }) => [
    ...(ID.test(id) ? [] : [`${id}: an id is area:thing:behaviour in kebab-case`]),
    ...(SOURCE.test(source) ? [] : [`${id}: source "${source}" names no document of ours`]),
    ...(sentence.trim().length >= 10 ? [] : [`${id}: needs a sentence`]),
  ]);
}

function duplicates(requirements: readonly Requirement[]): readonly string[] {
  const seen = new Set<string>();
  return requirements.flatMap(({ id }) => {
    if (seen.has(id)) return [`${id}: listed twice`];
    seen.add(id);
    return [];
  });
}

function strayCitations({ requirements, citations, unreadable }: RequirementsState): readonly string[] {
  const known = new Set(requirements.map(({ id }) => id));
  return [
    ...citations.flatMap(({ id, file, line }) =>
      known.has(id) ? [] : [`${file}:${line}: cites ${id}, which is not listed${nearestText(id, known)}`],
    ),
    ...unreadable.map((place) => `${place}: name the ids as literals, so that they can be counted`),
  ];
}

function strayUnmet({ requirements, citations, knownUnmet }: RequirementsState): readonly string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const cited = new Set(citations.map(({ id }) => id));
  return Object.entries(knownUnmet).flatMap(([id, issue]) => [
    ...(known.has(id) ? [] : [`${id}: in known-unmet.ts but not listed`]),
    ...(cited.has(id) ? [`${id}: cited, and still in known-unmet.ts; run ${PRUNE}`] : []),
    ...(issue >= FIRST_ISSUE && issue <= LAST_ISSUE ? [] : [`${id}: known-unmet.ts names no open issue (${issue})`]),
  ]);
}

function unaccounted({ requirements, citations, knownUnmet }: RequirementsState): readonly string[] {
  const cited = new Set(citations.map(({ id }) => id));
  return requirements.flatMap(({ id }) =>
    cited.has(id) || id in knownUnmet
      ? []
      : [`${id}: no test cites it; prove it with verifies(…), or say in known-unmet.ts which issue will`],
  );
}

function wrongCeiling({ knownUnmet, ceiling }: RequirementsState): readonly string[] {
  const owed = countByIssue(knownUnmet);
  const issues = [...new Set([...Object.keys(owed), ...Object.keys(ceiling)])].map(Number);
  return issues.flatMap((issue) => {
    const count = owed[issue] ?? 0;
    const pinned = ceiling[issue] ?? 0;
    if (count === pinned) return [];
    const advice = count > pinned ? "the list may only shrink" : `run ${PRUNE} to lower the pin`;
    return [`issue ${issue}: ${count} ids in known-unmet.ts, ${pinned} pinned; ${advice}`];
  });
}

/** How many ids each issue owes. */
export function countByIssue(knownUnmet: Readonly<Record<string, number>>): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const issue of Object.values(knownUnmet)) counts[issue] = (counts[issue] ?? 0) + 1;
  return counts;
}

/** A listed id of the same area that shares the most leading characters, for a typing slip. */
function nearestText(id: string, known: ReadonlySet<string>): string {
  const shared = (other: string): number => {
    let length = 0;
    while (length < id.length && id[length] === other[length]) length += 1;
    return length;
  };
  const [nearest] = [...known].filter((other) => areaOf(other) === areaOf(id)).sort((a, b) => shared(b) - shared(a));
  return nearest === undefined ? "" : `; the nearest is ${nearest}`;
}
