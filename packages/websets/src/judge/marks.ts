/** A mark that says yes or no to what stands beside it. */
export const YES_MARK = /[✓✔✅☑]/u;
export const NO_MARK = /[✗✘✕✖❌❎☒]/u;
const MARK = /[✓✔✅☑✗✘✕✖❌❎☒]/gu;

/** "✔ Public API" says something itself; "✔" alone is a value. */
export function isMarkedLine(text: string): boolean {
  return /^\s*[✓✔✅☑✗✘✕✖❌❎☒]\s*[\p{L}\p{N}]/u.test(text);
}

/**
 * What a mark says to words of a text: the one before them where their line begins with marks, "✘ Public API", else the one
 * behind them, "Public API | ✓". Marks of both kinds beside each other, the columns of a comparison, are "mixed".
 */
export function markBeside(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): "yes" | "no" | "mixed" | undefined {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const before = [...line.matchAll(MARK)];
  const [first, last] = [before[0], before.at(-1)];
  if (first !== undefined && last !== undefined && /^[^\p{L}]*$|:\s*$/u.test(line.slice(0, first.index)))
    return YES_MARK.test(last[0]) ? "yes" : "no";
  const behind = text.slice(end);
  const [lead = "", marks = ""] = /^[^✓✔✅☑✗✘✕✖❌❎☒]*([^\p{L}\p{N}]*)/u.exec(behind) ?? [];
  if (marks === "") return undefined;
  const isYes = YES_MARK.test(marks);
  if (isYes && NO_MARK.test(marks)) return "mixed";
  if (isYes) return "yes";
  // far behind, a no may be another's
  return /[\p{L}\p{N}]/u.test(lead.slice(0, lead.length - marks.length)) ? undefined : "no";
}
