/** What stands in a comment in place of code that was left out. */
const WORDS =
  /^(?:\.{2,}|…)?\s*(?:(?:the\s+)?(?:rest|remainder|remaining|existing|same|other|previous|unchanged|omitted|snip|same as before)\b[\p{L}\s,'()-]*|keep\b[\p{L}\s]*)(?:\.{2,}|…)?$/iu;
const COMMENT = /^\s*(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|\{\/\*+|\*|"""|''')\s*(.*?)\s*(?:\*+\/\}?|-->|"""|''')?\s*$/;
/** A longer line says something; the pattern, which takes the square of a line's length, never sees one. */
const MAX_COMMENT_CHARS = 200;
const BARE_DOTS = /^(?:\.{3,}|…)$/;

/** Whether a line stands for code that was left out, such as `// ... existing code ...`. */
export function isOmission(line: string): boolean {
  const trimmed = line.trim();
  if (/^(?:\.{3,}|…)\s*\(?(?:the\s+)?(?:rest|remaining|existing|same|unchanged)\b/i.test(trimmed)) return true;
  const comment = trimmed.length > MAX_COMMENT_CHARS ? undefined : COMMENT.exec(trimmed)?.[1];
  if (comment === undefined) return false;
  if (BARE_DOTS.test(comment)) return true;
  const hasDots = /^(?:\.{2,}|…)|(?:\.{2,}|…)$/.test(comment);
  return hasDots && WORDS.test(comment);
}

/** Lines of new text that stand for code left out and are not in the old text; lines count from 1. */
export function findOmissions(
  wanted: string,
  old: string,
): readonly { readonly line: number; readonly text: string }[] {
  const known = new Set(old.split(/\r?\n/).map((line) => line.trim()));
  return wanted
    .split(/\r?\n/)
    .flatMap((text, index) =>
      isOmission(text) && !known.has(text.trim()) ? [{ line: index + 1, text: text.trim() }] : [],
    );
}
