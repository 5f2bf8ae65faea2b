/** What one pass over the characters of a block tells. */
export interface TextShape {
  readonly words: number;
  readonly letters: number;
  readonly digits: number;
  readonly capitals: number;
  readonly commas: number;
  readonly stops: number;
  readonly symbols: number;
  /** Whether it ends like a sentence. */
  readonly endsSentence: boolean;
  readonly longestWord: number;
}

/** Counts the kinds of characters in a text, in one pass. */
export function readShape(text: string): TextShape {
  let words = 0;
  let letters = 0;
  let digits = 0;
  let capitals = 0;
  let commas = 0;
  let stops = 0;
  let symbols = 0;
  let wordLength = 0;
  let longestWord = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code >= 97 && code <= 122) || code > 191) letters += 1;
    else if (code >= 65 && code <= 90) {
      letters += 1;
      capitals += 1;
    } else if (code >= 48 && code <= 57) digits += 1;
    else {
      if (wordLength > longestWord) longestWord = wordLength;
      wordLength = 0;
      if (code === 44) commas += 1;
      else if (code === 46 || code === 33 || code === 63) stops += 1;
      else if (code !== 32 && code !== 10 && code !== 39 && code !== 45) symbols += 1;
      continue;
    }
    if (wordLength === 0) words += 1;
    wordLength += 1;
  }
  const last = text.charCodeAt(text.length - 1);
  return {
    words,
    letters,
    digits,
    capitals,
    commas,
    stops,
    symbols,
    endsSentence: last === 46 || last === 33 || last === 63 || last === 58 || last === 12290,
    longestWord: Math.max(longestWord, wordLength),
  };
}

/** The groups of words that short blocks of boilerplate are made of. */
export const PHRASE_GROUPS: readonly (readonly string[])[] = [
  "copyright rights reserved privacy policy terms cookie cookies disclaimer trademark trademarks legal".split(" "),
  "subscribe newsletter newsletters signup email inbox unsubscribe sign".split(" "),
  "share tweet facebook twitter linkedin pinterest whatsapp instagram youtube follow copy print".split(" "),
  "comment comments reply replies respond upvote likes like quote report flag".split(" "),
  "login log register account password join member members sign".split(" "),
  "advertisement sponsored ad ads promoted affiliate commission".split(" "),
  "related recommended popular trending latest next previous prev also similar".split(" "),
  "cart checkout shipping delivery returns wishlist basket buy add qty quantity".split(" "),
  "posted published updated ago min read views written author by edited".split(" "),
  "home menu search skip close back toggle open navigation contact about".split(" "),
  "reviews review rating stars rated helpful verified".split(" "),
  "load show view see all more less read learn click here details download get".split(" "),
];

const GROUPS_OF_WORD: ReadonlyMap<string, number> = toMasks();
const PHRASE_WORD_LENGTHS = [...GROUPS_OF_WORD.keys()].map((word) => word.length);
const SHORTEST_PHRASE_WORD = Math.min(...PHRASE_WORD_LENGTHS);
const LONGEST_PHRASE_WORD = Math.max(...PHRASE_WORD_LENGTHS);
/** By the first two letters, which few words share with one of a group. */
const IS_PHRASE_BEGIN = new Uint8Array(26 * 26);
for (const word of GROUPS_OF_WORD.keys()) IS_PHRASE_BEGIN[beginOf(word, 0)] = 1;
const MAX_PHRASE_CHARS = 240;

/** A bit per phrase group that the words of a short block touch; 0 for a long one. */
export function readPhrases(text: string): number {
  if (text.length > MAX_PHRASE_CHARS) return 0;
  const lower = text.toLowerCase();
  let mask = 0;
  let start = 0;
  for (let index = 0; index <= lower.length; index += 1) {
    const code = lower.charCodeAt(index);
    if (code >= 97 && code <= 122) continue;
    // words of other lengths are in no group
    const length = index - start;
    if (length >= SHORTEST_PHRASE_WORD && length <= LONGEST_PHRASE_WORD && IS_PHRASE_BEGIN[beginOf(lower, start)] === 1)
      mask |= GROUPS_OF_WORD.get(lower.slice(start, index)) ?? 0;
    start = index + 1;
  }
  return mask;
}

function beginOf(word: string, start: number): number {
  return (word.charCodeAt(start) - 97) * 26 + word.charCodeAt(start + 1) - 97;
}

function toMasks(): ReadonlyMap<string, number> {
  const masks = new Map<string, number>();
  PHRASE_GROUPS.forEach((words, index) => {
    for (const word of words) masks.set(word, (masks.get(word) ?? 0) | (1 << index));
  });
  return masks;
}
