const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "", '"': '"', "'": "'", "`": "`", "\\": "\\" };

/** A text without one layer of backslashes, as a model writes it that escaped its argument once too often. */
export function unescapeText(text: string): string {
  return text.replace(/\\([ntr"'`\\])/g, (whole, letter: string) => ESCAPED[letter] ?? whole);
}
