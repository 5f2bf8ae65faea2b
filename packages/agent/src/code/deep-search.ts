import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { walkArgs } from "../workspace/list-files.ts";
import { questionWords } from "./code-words.ts";
import type { CodeIndex } from "./code-index.ts";
import { searchSymbols } from "./search-symbols.ts";

/** A place that answers, and which ways led to it. */
export interface DeepFinding {
  readonly relative: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly header: string;
  readonly ways: readonly string[];
  readonly score: number;
}

/** What was tried and what was found. */
export interface DeepSearch {
  readonly findings: readonly DeepFinding[];
  /** The ways that were gone, each with how much it found. */
  readonly tried: readonly { readonly way: string; readonly found: number }[];
  readonly notes: readonly string[];
}

type Deps = Pick<WorkspaceDeps, "code" | "ripgrep" | "protectedPaths">;

const RESULTS_PER_WAY = 10;
const MAX_FINDINGS = 12;
const MAX_TERMS = 4;
const MAX_GREP_LINES = 200;
/** How fast a lower place counts less where the ways are brought together. */
const RANK_DAMPING = 20;

/** Searches in several ways: the question as it is, its telling words alone, the symbols they name, and the very words in the files. */
export async function deepSearch(deps: Deps, root: string, query: string, signal: AbortSignal): Promise<DeepSearch> {
  const everything = { limit: RESULTS_PER_WAY, isWanted: () => true };
  const asked = await deps.code.indexes.search(root, { query, ...everything }, signal);
  const { index } = asked;
  const terms = tellingTerms(query, index);
  const rankings: { readonly way: string; readonly places: readonly Place[] }[] = [
    { way: `question “${query}”`, places: asked.found.map(({ chunk }) => chunk) },
  ];
  if (terms.length > 1) {
    const words = terms.join(" ");
    const found = await deps.code.indexes.search(root, { query: words, ...everything }, signal);
    rankings.push({ way: `words “${words}”`, places: found.found.map(({ chunk }) => chunk) });
  }
  for (const term of terms) {
    const symbols = await searchSymbols(deps, root, { query: term, limit: RESULTS_PER_WAY }, signal);
    const relativeOf = (absolute: string): string => absolute.slice(root.length + 1);
    rankings.push({
      way: `symbol “${term}”`,
      places: symbols.map(({ symbol, absolute }) => ({ ...symbol, relative: relativeOf(absolute), header: "" })),
    });
    rankings.push({ way: `text “${term}”`, places: await grep(deps, root, term, signal) });
  }
  const findings = merge(index, rankings);
  const tried = rankings.map(({ way, places }) => ({ way, found: places.length }));
  return { findings, tried, notes: asked.notes };
}

interface Place {
  readonly relative: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** The names in the question as they are written, then its rarest words. */
function tellingTerms(query: string, index: CodeIndex): readonly string[] {
  const written = query.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
  const weighed = [...new Set(written)].flatMap((term) => {
    const [first] = questionWords(term);
    if (first === undefined || questionWords(`${term} zz`).length < 2) return [];
    const isName = /_|\p{Ll}\p{Lu}/u.test(term);
    return [{ term, weight: index.words.weightOf(first) + (isName ? 100 : 0) }];
  });
  return weighed
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_TERMS)
    .map(({ term }) => term);
}

/** The lines that hold the very words, files with most of them first. */
async function grep(deps: Deps, root: string, term: string, signal: AbortSignal): Promise<readonly Place[]> {
  const lines: { readonly relative: string; readonly line: number }[] = [];
  const args = [...walkArgs(root), "--line-number", "--no-heading", "--with-filename", "--null", "--ignore-case"];
  await deps.ripgrep(
    { cwd: root, args: [...args, "--max-count=5", "--max-filesize=1M", "--fixed-strings", "--regexp", term, "."] },
    (line) => {
      const [, file = "", number = ""] = /^(?:\.\/)?([^\0]+)\0(\d+):/.exec(line) ?? [];
      if (file !== "") lines.push({ relative: file, line: Number(number) });
      return lines.length < MAX_GREP_LINES;
    },
    signal,
  );
  const byFile = groupByFile(lines);
  const shown = new Set(await deps.protectedPaths.withoutHidden(root, [...byFile.keys()]));
  return [...byFile]
    .filter(([relative]) => shown.has(relative))
    .sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .slice(0, RESULTS_PER_WAY)
    .flatMap(([relative, [first]]) =>
      first === undefined ? [] : [{ relative, startLine: first.line, endLine: first.line }],
    );
}

/** Brings the ways together by rank: places in the same chunk are one finding, and what several ways found comes first. */
function merge(
  index: CodeIndex,
  rankings: readonly { readonly way: string; readonly places: readonly Place[] }[],
): readonly DeepFinding[] {
  const chunks = groupByFile(index.chunks());
  const merged = new Map<string, DeepFinding>();
  for (const { way, places } of rankings) {
    for (const [rank, place] of places.entries()) {
      const chunk = chunks
        .get(place.relative)
        ?.find(({ startLine, endLine }) => startLine <= place.startLine && endLine >= place.startLine);
      const key = `${place.relative}:${chunk?.startLine ?? place.startLine}`;
      const known = merged.get(key);
      merged.set(key, {
        relative: place.relative,
        startLine: chunk?.startLine ?? place.startLine,
        endLine: chunk?.endLine ?? place.endLine,
        header: chunk?.header ?? "",
        ways: [...new Set([...(known?.ways ?? []), way])],
        score: (known?.score ?? 0) + 1 / (RANK_DAMPING + rank),
      });
    }
  }
  return [...merged.values()].sort((a, b) => b.score - a.score).slice(0, MAX_FINDINGS);
}

function groupByFile<T extends { readonly relative: string }>(items: Iterable<T>): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.relative);
    if (group === undefined) groups.set(item.relative, [item]);
    else group.push(item);
  }
  return groups;
}
