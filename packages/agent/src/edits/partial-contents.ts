import { splitItems } from "./code-items.ts";
import { indentOf } from "./reindent.ts";
import { unifyLineEnds } from "./source-text.ts";

/** Why contents look like a part of the file they would replace; undefined when they do not. */
export function looksPartial(text: string, contents: string): string | undefined {
  const filled = unifyLineEnds(contents)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const inFile = unifyLineEnds(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (filled.length === 0 || filled.length >= inFile.length) return undefined;
  const isIndented = (lines: readonly string[]): boolean => lines.every((line) => indentOf(line) !== "");
  if (isIndented(filled) && !isIndented(inFile)) return "every line of them is indented";
  const [item, ...others] = splitItems(unifyLineEnds(contents).split("\n"));
  if (item === undefined || others.length > 0 || item.lines.length < 2) return undefined;
  const items = splitItems(unifyLineEnds(text).split("\n"));
  const isThere = items.length > 1 && items.some(({ name, lines }) => name === item.name && lines.length > 1);
  return isThere ? `they hold ${item.name} alone, and the file has more` : undefined;
}
