import { closestRegions, type Region } from "./closest-region.ts";

/** Less alike than this is not worth showing. */
const MIN_SHOWN_SIMILARITY = 0.4;
/** Regions this much less alike than the closest are named too. */
const MAX_OTHER_GAP = 0.15;
const MAX_OTHERS = 4;
const MAX_SHOWN_LINES = 40;
const MAX_SHOWN_CHARACTERS = 200;

/** What is told of a search that was not found: the closest region of the file, with its line numbers, and where they first differ. */
export interface Miss {
  readonly region: Region | undefined;
  /** Other regions that are nearly as close. */
  readonly others: readonly Region[];
  readonly message: string;
}

/** Says what a model needs to correct its search in one more try. */
export function describeMiss(lines: readonly string[], searched: readonly string[]): Miss {
  const [region, ...rest] = closestRegions(lines, searched);
  if (region === undefined || region.similarity < MIN_SHOWN_SIMILARITY) {
    return {
      region: undefined,
      others: [],
      message: "Nothing in the file is like it; read the file again before you edit it.",
    };
  }
  const shown = lines.slice(region.firstLine - 1, region.firstLine - 1 + region.lineCount);
  const numbered = shown
    .slice(0, MAX_SHOWN_LINES)
    .map((line, index) => `${String(region.firstLine + index).padStart(6)}|${cut(line)}`);
  const more = shown.length > MAX_SHOWN_LINES ? [`       (${shown.length - MAX_SHOWN_LINES} more lines)`] : [];
  const others = rest.filter(({ similarity }) => region.similarity - similarity <= MAX_OTHER_GAP).slice(0, MAX_OTHERS);
  const lastLine = region.firstLine + region.lineCount - 1;
  const likeness = Math.round(region.similarity * 100);
  return {
    region,
    others,
    message: [
      `The closest region is lines ${region.firstLine} to ${lastLine} (${likeness} % alike):`,
      ...numbered,
      ...more,
      firstDifference(shown, searched, region.firstLine),
      ...(others.length === 0 ? [] : [`Nearly as close: ${others.map(namesOf).join(", ")}.`]),
    ].join("\n"),
  };
}

function namesOf({ firstLine, lineCount }: Region): string {
  return `lines ${firstLine} to ${firstLine + lineCount - 1}`;
}

function firstDifference(shown: readonly string[], searched: readonly string[], firstLine: number): string {
  const begin = Math.max(
    0,
    searched.findIndex((line) => line.trim() !== ""),
  );
  for (const [index, line] of searched.slice(begin).entries()) {
    const inFile = shown[index];
    if (inFile === line) continue;
    if (inFile === undefined) return `The file's region ends before this line of yours: ${JSON.stringify(cut(line))}`;
    return `The first difference is at line ${firstLine + index}: the file has ${quote(inFile)}, you sent ${quote(line)}.`;
  }
  return "The lines you sent are all there; what comes before or after them differs.";
}

function quote(line: string): string {
  return JSON.stringify(cut(line));
}

function cut(line: string): string {
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS)}…`;
}
