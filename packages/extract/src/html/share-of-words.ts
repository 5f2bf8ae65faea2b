const HEADING_CHARS = 200;

/** Tells whether the word from `start` to `end` of a text is among some; undefined when there are none. */
export type WordTest = (text: string, start: number, end: number) => boolean;

/** A test for words. Those of another length or beginning are told apart without a look at the whole. */
export function makeWordTest(words: ReadonlySet<string>): WordTest | undefined {
  if (words.size === 0) return undefined;
  const shapes = new Set([...words].map((word) => shapeOf(word, 0, word.length)));
  return (text, start, end) => shapes.has(shapeOf(text, start, end)) && words.has(text.slice(start, end));
}

function shapeOf(text: string, start: number, end: number): number {
  return ((end - start) & 31) * 0x10000 + ((text.charCodeAt(start) * 31 + text.charCodeAt(start + 1)) & 0xffff);
}

/** How many of a short text's words, of three letters and more, are among some; 0 of a text that is no heading. */
export function shareOfWords(text: string, isAmong: WordTest | undefined): number {
  if (text.length > HEADING_CHARS || isAmong === undefined) return 0;
  const lower = text.toLowerCase();
  let count = 0;
  let shared = 0;
  let start = 0;
  // by hand: a split makes a string of every word, this one only of those long enough to count
  for (let index = 0; index <= lower.length; index += 1) {
    if (index < lower.length && !isWordGap(lower.charCodeAt(index))) continue;
    if (index - start > 2) {
      count += 1;
      if (isAmong(lower, start, index)) shared += 1;
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
