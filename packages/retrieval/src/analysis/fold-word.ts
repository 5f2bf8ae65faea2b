/**
 * The form in which words are compared: lower case, without the marks that people leave out when they type. Marks are
 * taken off Latin, Greek, Hebrew and Arabic; in other scripts (the vowels of Devanagari, й) they are part of the letter.
 * Expects NFKC; what it returns has neither capitals nor white space.
 */
export function foldWord(word: string): string {
  const lower = word.toLowerCase();
  if (ASCII_ONLY.test(lower)) return lower;
  let folded = lower;
  if (LATIN_OR_GREEK.test(folded)) {
    folded = folded
      .normalize("NFD")
      .replaceAll(MARKS, "")
      .replaceAll(SPECIAL_LETTERS, (letter) => SPECIAL_LETTER_FORMS.get(letter) ?? letter)
      .normalize("NFC");
  } else if (CYRILLIC.test(folded)) {
    folded = folded.replaceAll("ё", "е").replaceAll("\u0301", "");
  } else if (ARABIC.test(folded)) {
    folded = folded
      .replaceAll(ARABIC_MARKS, "")
      .replaceAll(/[أإآٱ]/g, "ا")
      .replaceAll("ى", "ي")
      .replaceAll("ة", "ه");
  } else if (HEBREW.test(folded)) {
    folded = folded.normalize("NFD").replaceAll(MARKS, "").normalize("NFC");
  }
  return DIGITS.test(folded) ? folded.replaceAll(DIGITS, toAsciiDigit) : folded;
}

const ASCII_ONLY = /^[\0-\x7f]*$/;
const LATIN_OR_GREEK = /[\p{Script=Latin}\p{Script=Greek}]/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
const ARABIC = /\p{Script=Arabic}/u;
const HEBREW = /\p{Script=Hebrew}/u;
const MARKS = /\p{Mn}/gu;
/** Vowel signs and the stretching tatweel. */
const ARABIC_MARKS = /[\u064b-\u065f\u0670\u0640]/g;
const DIGITS = /(?![0-9])\p{Nd}/gu;

/** Letters of their own that no decomposition reaches. */
const SPECIAL_LETTER_FORMS: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
  ["ħ", "h"],
  ["ŧ", "t"],
  ["ı", "i"],
  ["ς", "σ"],
]);
const SPECIAL_LETTERS = /[ßæœøłđðþħŧıς]/g;

/** Unicode keeps each script's ten digits side by side, zero first. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
