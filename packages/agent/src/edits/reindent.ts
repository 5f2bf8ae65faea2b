/** Indents that belong together: as a search has it, and as the file has it. */
export interface IndentPair {
  readonly searched: string;
  readonly inFile: string;
}

/**
 * How the indents of a search become those of the file, learnt from lines that both have.
 * The function it returns says undefined for an indent that cannot be told: the lines disagree
 * about it, or nothing near it is known. Guessing there would change what a program means.
 */
export function learnIndents(
  pairs: readonly IndentPair[],
  others: readonly string[],
): (indent: string) => string | undefined {
  const known = new Map<string, string>();
  const doubtful = new Set<string>();
  for (const { searched, inFile } of pairs) {
    const before = known.get(searched);
    if (before !== undefined && before !== inFile) doubtful.add(searched);
    known.set(searched, inFile);
  }
  const scale = doubtful.size > 0 ? undefined : learnScale([...known], others);
  return (indent) => {
    if (doubtful.has(indent)) return undefined;
    return known.get(indent) ?? scale?.(indent);
  };
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
