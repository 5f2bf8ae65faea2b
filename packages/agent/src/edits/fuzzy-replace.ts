import { closestRegions, type Region } from "./closest-region.ts";
import { mergeLines } from "./merge-texts.ts";
import { lineSimilarity } from "./similarity.ts";

/** How alike a region must be, and how much more than the next one, before it is taken for the one that was meant. */
const MIN_SIMILARITY = 0.93;
const MIN_GAP = 0.12;
/** Both ends of a region must be recognised: else it may be cut off too early or too late. */
const MIN_END_SIMILARITY = 0.8;
/** Less text than this could be meant for many places. */
const MIN_CHARACTERS = 60;
const MIN_LINES = 3;

/** A region that is changed although it is not what was looked for by the letter. */
export interface FuzzyReplacement {
  readonly region: Region;
  readonly lines: readonly string[];
}

/**
 * Replaces a region that is near-certainly meant: very like the search, unlike any other,
 * and recognised at both ends. Only what the edit changes is changed; lines where the file differs from the search
 * stay as the file has them, and an edit of such a line is no match.
 */
export function fuzzyReplace(
  lines: readonly string[],
  edit: { readonly searched: readonly string[]; readonly wanted: readonly string[] },
): FuzzyReplacement | undefined {
  const { searched, wanted } = edit;
  const filled = searched.filter((line) => line.trim() !== "");
  if (filled.length < MIN_LINES || filled.join("").replace(/\s/g, "").length < MIN_CHARACTERS) return undefined;
  const [best, next] = closestRegions(lines, searched);
  if (best === undefined || best.similarity < MIN_SIMILARITY) return undefined;
  if (next !== undefined && best.similarity - next.similarity < MIN_GAP) return undefined;
  const region = lines.slice(best.firstLine - 1, best.firstLine - 1 + best.lineCount);
  const ends = [
    [filled[0], region.find((line) => line.trim() !== "")],
    [filled.at(-1), region.findLast((line) => line.trim() !== "")],
  ];
  if (ends.some(([a = "", b = ""]) => lineSimilarity(a, b) < MIN_END_SIMILARITY)) return undefined;
  const merged = mergeLines(searched, region, wanted);
  return merged.kind === "merged" ? { region: best, lines: merged.lines } : undefined;
}
