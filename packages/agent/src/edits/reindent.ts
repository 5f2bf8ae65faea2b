/** Indents that belong together: as a search has it, and as the file has it. */
export interface IndentPair {
  readonly searched: string;
  readonly inFile: string;
}

/**
 * How the indents of a search become those of the file, learnt from lines that both have; undefined when they do
 * not all differ in the same way. Then it may be another place that only looks alike, and guessing would change
 * what a program means. The function it returns says undefined for an indent that cannot be told.
 */
export function learnIndents(
  pairs: readonly IndentPair[],
  others: readonly string[],
): ((indent: string) => string | undefined) | undefined {
  const known = new Map(pairs.map(({ searched, inFile }) => [searched, inFile]));
  if (pairs.some(({ searched, inFile }) => known.get(searched) !== inFile)) return undefined;
  if (known.size === 0 || pairs.every(({ searched, inFile }) => searched === inFile)) return (indent) => indent;
  const shift = learnShift(pairs) ?? learnScale([...known], others);
  return shift === undefined ? undefined : (indent) => known.get(indent) ?? shift(indent);
}

/** The same white space in front of every line, on one side. */
function learnShift(pairs: readonly IndentPair[]): ((indent: string) => string | undefined) | undefined {
  const [{ searched, inFile } = { searched: "", inFile: "" }] = pairs;
  if (pairs.length < 2) return undefined;
  if (inFile.endsWith(searched)) {
    const added = inFile.slice(0, inFile.length - searched.length);
    if (pairs.every((pair) => pair.inFile === added + pair.searched)) return (indent) => added + indent;
  }
  const taken = searched.slice(0, searched.length - inFile.length);
  if (!pairs.every((pair) => pair.searched === taken + pair.inFile)) return undefined;
  return (indent) => (indent.startsWith(taken) ? indent.slice(taken.length) : undefined);
}

/** The white space a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Extends what is known to other depths, where depth grows evenly. */
function learnScale(
  known: readonly (readonly [searched: string, inFile: string])[],
  others: readonly string[],
): ((indent: string) => string | undefined) | undefined {
  const kindOfSearch = kindOf([...known.map(([searched]) => searched), ...others]);
  const kindOfFile = kindOf(known.map(([, inFile]) => inFile));
  const [first] = known;
  if (first === undefined || kindOfSearch === "mixed" || kindOfFile === "mixed") return undefined;
  const isSameKind = kindOfFile === "none" || kindOfSearch === "none" || kindOfFile === kindOfSearch;
  const points = known.map(([searched, inFile]) => [searched.length, inFile.length] as const);
  const second = points.find(([depth]) => depth !== first[0].length);
  const ratio =
    second !== undefined
      ? (second[1] - first[1].length) / (second[0] - first[0].length)
      : isSameKind
        ? 1
        : ratioOfKinds(first, [...known.map(([searched]) => searched), ...others]);
  if (ratio === undefined || ratio <= 0) return undefined;
  // Two depths lie on some line in any case: one that is both stretched and moved needs a third to be believed.
  const isMoved = first[1].length !== first[0].length * ratio;
  if (isSameKind && ratio !== 1 && isMoved && known.length < 3) return undefined;
  const depthOf = (depth: number): number => first[1].length + (depth - first[0].length) * ratio;
  if (points.some(([depth, inFile]) => depthOf(depth) !== inFile)) return undefined;
  const filler = kindOfFile === "tab" || (kindOfFile === "none" && kindOfSearch === "tab") ? "\t" : " ";
  return (indent) => {
    const depth = depthOf(indent.length);
    return Number.isInteger(depth) && depth >= 0 ? filler.repeat(depth) : undefined;
  };
}

/** One depth alone, in tabs here and spaces there: a tab is as wide as the steps between the other indents say. */
function ratioOfKinds([searched, inFile]: readonly [string, string], indents: readonly string[]): number | undefined {
  if (searched !== "" && inFile !== "") return inFile.length / searched.length;
  const depths = [...new Set(indents.map(({ length }) => length))].sort((a, b) => a - b);
  const steps = depths.flatMap((depth, index) => (index === 0 ? [] : [depth - (depths[index - 1] ?? 0)]));
  const step = Math.min(...steps);
  if (!Number.isFinite(step)) return undefined;
  return inFile.includes("\t") ? 1 / step : undefined;
}

function kindOf(indents: readonly string[]): "none" | "space" | "tab" | "mixed" {
  const all = indents.join("");
  if (all === "") return "none";
  if (!all.includes("\t")) return "space";
  return all.includes(" ") ? "mixed" : "tab";
}
