/** The first characters of a text, never half of one. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** As `cutText`, and at the end of a word where there is one not far back. */
export function cutAtWord(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = cutText(text, maxCharacters);
  if (/^\s/.test(text.slice(cut.length))) return cut.trimEnd();
  const space = cut.search(/\s\S*$/);
  return space > maxCharacters / 2 ? cut.slice(0, space).trimEnd() : cut;
}
