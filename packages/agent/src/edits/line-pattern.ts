/**
 * A pattern that finds a text whatever stands at the ends of its lines (`trailing-space`),
 * or also whatever they are indented by (`indent`). Words are never cut in two.
 */
export function toPattern(search: string, forgiving: "trailing-space" | "indent"): RegExp {
  const isIndent = forgiving === "indent";
  const hasLineEnd = search.endsWith("\n");
  const lines = (hasLineEnd ? search.slice(0, -1) : search).split("\n");
  const [first = ""] = lines;
  const last = lines.at(-1) ?? "";
  // A search of whole lines begins where one begins; one that begins inside a line must not begin inside a word.
  const isAtLineStart = isIndent && (lines.length > 1 || /^[ \t]/.test(first));
  const body = lines
    .map((line, index) => {
      if (line.trim() === "") return "";
      const hasIndent = index === 0 ? isAtLineStart : isIndent;
      return (hasIndent ? "[ \\t]*" : "") + escapePattern(hasIndent ? line.trim() : line.trimEnd());
    })
    .join("[ \\t]*\\n");
  const isAtLineEnd = hasLineEnd || last !== last.trimEnd();
  const end = isAtLineEnd ? `[ \\t]*(?=\\n|$)${hasLineEnd ? "\\n?" : ""}` : /\w$/.test(last) ? "(?!\\w)" : "";
  return new RegExp(startOf(first, isAtLineStart) + body + end, "g");
}

function startOf(first: string, isAtLineStart: boolean): string {
  if (isAtLineStart) return "(?<=^|\\n)";
  if (first.trim() === "") return "(?<![ \\t])"; // else a long run of spaces would be tried from each of its places
  return /^\w/.test(first) ? "(?<!\\w)" : "";
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
