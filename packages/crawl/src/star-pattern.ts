/**
 * Whether the pieces between the stars of a pattern stand in a text in their order: the first at its start and, when
 * the pattern is `whole`, the last at its end. Each piece is looked for once, left to right, so that no pattern can
 * make it go back.
 */
export function matchesPieces(pieces: readonly string[], text: string, whole: boolean): boolean {
  const first = pieces[0] ?? "";
  if (!text.startsWith(first)) return false;
  if (pieces.length === 1) return !whole || text.length === first.length;
  let position = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  const last = pieces.at(-1) ?? "";
  if (!whole) return text.includes(last, position);
  return text.length - last.length >= position && text.endsWith(last);
}
