const HEADING_CHARS = 200;

/** How many of a short text's words, of three letters and more, are among some; 0 of a text that is no heading. */
export function shareOfWords(text: string, words: ReadonlySet<string>): number {
  if (text.length > HEADING_CHARS || words.size === 0) return 0;
  const lower = text.toLowerCase();
  let count = 0;
  let shared = 0;
  let start = 0;
  // by hand: a split makes a string of every word, this one only of those long enough to count
  for (let index = 0; index <= lower.length; index += 1) {
    if (index < lower.length && !isWordGap(lower.charCodeAt(index))) continue;
    if (index - start > 2) {
      count += 1;
      if (words.has(lower.slice(start, index))) shared += 1;
    }
    start = index + 1;
  }
  return count === 0 ? 0 : shared / count;
}

const LATIN_GAPS: readonly boolean[] = Array.from({ length: 256 }, (_, code) =>
  /[\s.,:;!?()[\]"'|/-]/.test(String.fromCharCode(code)),
);

/** White space and the signs between words; beyond Latin the spaces, dashes and quotes by their codes. */
function isWordGap(code: number): boolean {
  if (code < 256) return LATIN_GAPS[code] === true;
  if (code === 0x1680 || code === 0x3000 || code === 0xfeff) return true;
  if (code < 0x2000 || code > 0x205f) return false;
  if (code <= 0x200a || code === 0x2013 || code === 0x2014 || code === 0x2018 || code === 0x2019) return true;
  return code === 0x201c || code === 0x201d || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
}
