import { replaceText } from "@quarry/agent";
import { makeEditCase, MUTATIONS, type EditCase } from "./edit-cases.ts";
import type { Random } from "./random.ts";
import type { Soak, SoakResult } from "./soak.ts";

/** How many edits the full proof tries. */
const CASES = 2_000;
/** How many of those that say beyond doubt what is meant must be made. */
const LEAST_APPLIED = 0.95;
const MAX_SHOWN = 5;

/** Spoils searches in every way that models do, and looks that each edit is made where it is meant or not at all. */
export const editMutationsSoak: Soak = {
  name: "edit-mutations",
  run: ({ random, size }) => Promise.resolve(tryEdits(random, Math.round(CASES * size))),
};

type Verdict = "right" | "wrong" | "refused-there" | "refused-elsewhere";

/** Tries so many edits, of each kind in turn. */
export function tryEdits(random: Random, count: number): SoakResult {
  const figures: Record<string, number> = { cases: count };
  const tallies = { right: 0, wrong: 0, "refused-there": 0, "refused-elsewhere": 0 };
  const violations: string[] = [];
  let recoverable = 0;
  let applied = 0;
  const missed = new Map<string, number>();
  for (let index = 0; index < count; index += 1) {
    const edit = makeEditCase(random, MUTATIONS[index % MUTATIONS.length] ?? "exact");
    const verdict = judge(edit);
    tallies[verdict] += 1;
    if (edit.isRecoverable) recoverable += 1;
    if (edit.isRecoverable && verdict === "right") applied += 1;
    else if (edit.isRecoverable) missed.set(edit.kind, (missed.get(edit.kind) ?? 0) + 1);
    if (verdict === "wrong" && violations.length < MAX_SHOWN) {
      violations.push(`${edit.kind}: written in a wrong place: ${JSON.stringify(edit)}`);
    }
  }
  Object.assign(figures, tallies, {
    recoverable,
    applied,
    appliedShare: recoverable === 0 ? 1 : applied / recoverable,
  });
  for (const [kind, times] of missed) figures[`not applied: ${kind}`] = times;
  if (applied < recoverable * LEAST_APPLIED) {
    violations.push(`only ${applied} of ${recoverable} recoverable edits were applied`);
  }
  return { figures, violations };
}

function judge(edit: EditCase): Verdict {
  const outcome = replaceText(edit.file, {
    search: edit.search,
    replacement: edit.replacement,
    allowsMany: false,
    forgivesWhitespace: true,
    allowsFuzzy: edit.allowsFuzzy,
    within: [],
  });
  if (outcome.kind === "replaced") return bare(outcome.text) === bare(edit.expected) ? "right" : "wrong";
  const isThere = placesOf(outcome).some(({ first, last }) => first <= edit.place.last && edit.place.first <= last);
  return isThere ? "refused-there" : "refused-elsewhere";
}

/** The places that a refusal shows. */
function placesOf(
  outcome: Exclude<ReturnType<typeof replaceText>, { kind: "replaced" }>,
): readonly { readonly first: number; readonly last: number }[] {
  if (outcome.kind === "unclear-indent") return [outcome.place];
  if (outcome.kind !== "missing") return outcome.places;
  const { region, others } = outcome.miss;
  return [...(region === undefined ? [] : [region]), ...others].map(({ firstLine, lineCount }) => ({
    first: firstLine,
    last: firstLine + lineCount - 1,
  }));
}

/** Space at the ends of lines is no part of what is meant. */
function bare(text: string): string {
  return text.replace(/[ \t\r]+$/gm, "");
}
