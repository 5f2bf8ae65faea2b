/** Where sentences and paragraphs of `text` end, as offsets, up to `limit`; the last is the end of the text or the limit. */
export function sentenceEnds(text: string, from: number, limit: number): readonly number[] {
  const end = Math.min(text.length, limit);
  const ends: number[] = [];
  const bound = /[.!?]["'’”»)\]]*\s+|[。！？]["'’”»)\]」』）】]*\s*|\n+/g; // after a full stop of these no space comes
  bound.lastIndex = from;
  for (let match = bound.exec(text); match !== null && bound.lastIndex < end; match = bound.exec(text)) {
    ends.push(bound.lastIndex);
  }
  if (end > from) ends.push(end);
  return ends;
}

/**
 * The last place at or before `wanted` where a word ends; `wanted` itself, between whole characters, when a word is that long or
 * its script puts no spaces between words.
 */
export function wordEnd(text: string, from: number, wanted: number): number {
  if (wanted >= text.length) return text.length;
  if (SPACELESS.test(text.charAt(wanted - 1))) return wanted;
  for (let place = wanted; place > from && place > wanted - LONGEST_WORD; place -= 1) {
    if (/\s/.test(text.charAt(place - 1))) return place;
  }
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const LONGEST_WORD = 60;

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
