/**
 * The text as PostgreSQL can hold it: NUL and lone surrogates become U+FFFD. Each is one UTF-16 unit before and
 * after, so that offsets into the text stay right.
 */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
