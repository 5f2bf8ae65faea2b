/** A piece of a run. `whole`: its parts follow. `sign`: a single sign that the pairs around it contain. */
export interface SplitWord {
  readonly text: string;
  readonly role: "word" | "whole" | "sign";
}

/**
 * Cuts a run of text without spaces ("state-of-the-art", "getElementById", "v1.2.3", "iPhone用户") into the words it is
 * searched by, in order. What people write in several ways comes both whole and in parts, whole first: "e-mail" gives
 * email, e, mail. A part of the text thus gives a part of its words, which is what makes phrases work.
 */
export function splitRun(run: string): readonly SplitWord[] {
  if (PLAIN.test(run)) return [toWord(run)];
  if (HAS_UNSPACED.test(run)) return splitScripts(run);
  return splitCompound(run);
}

/** What `text` is made of: words with what joins them, signs of programming languages, numbers, pictographs. */
export const RUNS =
  /\d{1,3}(?:,\d{3})+(?![\p{L}\p{N}])(?:\.\d+)?|[\p{L}\p{N}\p{M}]+(?:[-‐_.'’&][\p{L}\p{N}\p{M}]+)*(?:\+\+|#(?![\p{L}\p{N}]))?|\p{Extended_Pictographic}/gu;

/** Text whose words `PLAIN_RUNS` finds: ASCII and the typographer's quotes, dashes and dots; no form of Unicode changes those. */
export const PLAIN_TEXT = /^[\0-\x7f\u00a0\u2013\u2014\u2018-\u201d\u2022\u2026]*$/;

/** `RUNS` for plain text, which is most text, and several times as fast. */
export const PLAIN_RUNS =
  /\d{1,3}(?:,\d{3})+(?![A-Za-z0-9])(?:\.\d+)?|[A-Za-z0-9]+(?:[-_.'’&][A-Za-z0-9]+)*(?:\+\+|#(?![A-Za-z0-9]))?/g;

/** Scripts that put no spaces between words: each pair of neighbours is a word. Korean is here for its endings. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tai_Le}\\p{Script=New_Tai_Lue}\\p{Script=Tai_Tham}\\p{Script=Tai_Viet}\\p{Script=Yi}\\p{Script=Javanese}\\p{Script=Balinese}ー";
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const SCRIPT_RUNS = new RegExp(`[${UNSPACED}\\p{M}]+|[^${UNSPACED}]+`, "gu");

/** Lower-case or capitalised words, plain numbers: most of any text. */
const PLAIN = /^(?:[A-Za-z]?[a-z]+|\p{Lu}?[\p{Ll}\p{M}]+|\d+)$/u;
const VERSION_NUMBER = /^(v?)(\d+(?:\.\d+)+)$/i;
const GROUPED_NUMBER = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const CONNECTORS = /[-‐_.&]/;
const APOSTROPHES = /['’]/;
/** English endings after an apostrophe; those of other languages ("l'amour") are words beside words. */
const CONTRACTION = /^(.*[\p{L}\p{M}])['’](t|re|ve|ll|d|m)$/iu;
const POSSESSIVE = /^(.+)['’]s$/iu;
const HUMPS = /\p{Lu}+(?![\p{Ll}\p{M}])|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lt}[\p{Ll}\p{M}]*|\p{N}+/gu;
/** More parts than this are a sentence somebody forgot to space; no one searches it whole. */
const MAX_PARTS_OF_WHOLE = 6;
/** Letters shorter than this belong with their digits: mp3, h2o. */
const MIN_LETTERS_BESIDE_DIGITS = 3;
/** A character with the marks on it. Intl.Segmenter would do, in time that grows with the square of the length. */
const SIGNS = /\p{M}+|\P{M}\p{M}*/gu;

function splitScripts(run: string): readonly SplitWord[] {
  return (run.match(SCRIPT_RUNS) ?? []).flatMap((part) =>
    HAS_UNSPACED.test(part) ? pairSigns(part) : (part.match(RUNS) ?? []).flatMap(splitCompound),
  );
}

/** One, one-two, two, two-three, three: so that a single sign is found too, and phrases line up. */
function pairSigns(part: string): readonly SplitWord[] {
  const signs = part.match(SIGNS) ?? [];
  if (signs.length === 1) return [toWord(part)];
  return signs.flatMap((sign, index): readonly SplitWord[] => {
    const next = signs[index + 1];
    const single = { text: sign, role: "sign" } as const;
    return next === undefined ? [single] : [single, toWord(sign + next)];
  });
}

function splitCompound(run: string): readonly SplitWord[] {
  if (GROUPED_NUMBER.test(run)) return [toWord(run.replaceAll(",", ""))];
  const version = VERSION_NUMBER.exec(run);
  if (version !== null) return version[1] === "" ? [toWord(run)] : wholeAndParts(run, [version[2] ?? run]);
  if (/[+#]$/.test(run)) return [toWord(run)];
  const bare = POSSESSIVE.exec(run)?.[1] ?? run;
  const contraction = CONTRACTION.exec(bare);
  if (contraction !== null) return [toWord(`${contraction[1] ?? ""}${contraction[2] ?? ""}`)];
  if (APOSTROPHES.test(bare)) return bare.split(APOSTROPHES).flatMap(splitCompound);
  const joined = bare.split(CONNECTORS);
  const parts = joined.flatMap(splitHumps);
  const whole = joined.join("");
  if (parts.length === 1 || parts.every((part) => part.length === 1)) return [toWord(whole)];
  return parts.length > MAX_PARTS_OF_WHOLE ? parts.map(toWord) : wholeAndParts(whole, parts);
}

/** getElementById to get, Element, By, Id; covid19 to covid, 19; mp3 stays. */
function splitHumps(word: string): readonly string[] {
  const humps = word.match(HUMPS) ?? [];
  if (humps.length < 2 || humps.join("").length !== word.length) return [word];
  const hasDigits = humps.some((hump) => /^\p{N}/u.test(hump));
  const isShort = humps.some((hump) => !/^\p{N}/u.test(hump) && hump.length < MIN_LETTERS_BESIDE_DIGITS);
  return hasDigits && isShort ? [word] : humps;
}

function wholeAndParts(whole: string, parts: readonly string[]): readonly SplitWord[] {
  return [{ text: whole, role: "whole" }, ...parts.map(toWord)];
}

function toWord(text: string): SplitWord {
  return { text, role: "word" };
}
