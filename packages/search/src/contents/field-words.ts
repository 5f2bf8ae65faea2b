import { createAnalyser } from "@quarry/retrieval";
import { guessLanguages } from "../understand/guess-languages.ts";
import type { Evidence } from "./evidence.ts";

/** A field of a schema, in words. */
export interface Field {
  readonly name: string;
  readonly description: string;
  /** Whether a number or a date is asked for. */
  readonly isFigure: boolean;
}

/** What a field asks for that the query does not. */
export interface FieldWords {
  /** One of these is enough; none when any sentence for the query will do. */
  readonly wanted: readonly WantedWords[];
  /** The language of the field's own words. */
  readonly language: string;
  /** Whether its value has digits. */
  readonly hasDigits: boolean;
}

/** So many of these beginnings of words must be in a sentence. */
interface WantedWords {
  readonly stems: readonly string[];
  readonly needed: number;
}

/** Reads the words of a field beside a query. */
export type ReadFieldWords = (field: Field) => FieldWords;

/** Names that ask for nothing of their own: whatever answers the query answers them. */
const PLAIN_NAMES = new Set(
  "answer answers brief content contents description detail details explanation fact facts finding findings highlight highlights idea information insight insights item items key main name names note notes number overview paragraph passage point points query question questions quote quotes reason reply response responses result results sentence sentences snippet statement summary takeaway takeaways text topic user value".split(
    " ",
  ),
);
/** What descriptions are made of beside what they describe. */
const GENERAL_WORDS = new Set(
  "available company concise current entity exact example firm form full given known mentioned official organisation organization page person short specific string".split(
    " ",
  ),
);
/** What a figure is, its sentence need not say: "It erupted in 2021" tells a year. */
const FIGURE_NAMES = new Set(
  "amount count date day how many month much number percent percentage time total year".split(" "),
);
/** Names of what is written in digits. */
const DIGIT_NAME = /^(?:fax|iban|mobil|nummer|number|phone|plz|postcode|tel|vat|zip)/;
/** Endings are left off: "It erupted" speaks of an eruption. */
const STEM_LENGTH = 5;
/** A sentence that has less than this share of the field's own words is about something else. */
const MIN_SHARE = 0.5;
/** One word of several that describe says little. */
const MIN_DESCRIPTION_WORDS = 2;
/** From this share of its words on a name asks what the query asks. */
const MOST = 0.5;

const analyser = createAnalyser();

/** A reader for one query, which reads every field once, however many pages are asked. */
export function createFieldReader(query: string): ReadFieldWords {
  const known = new Map<string, FieldWords>();
  let asked: ReadonlySet<string> | undefined;
  return (field) => {
    const key = `${String(field.isFigure)}\n${field.name}\n${field.description}`;
    const words = known.get(key) ?? readField(field, (asked ??= tokensOfQuery(query)));
    known.set(key, words);
    return words;
  };
}

function tokensOfQuery(query: string): ReadonlySet<string> {
  return new Set(tokensOf(query, guessLanguages(query)));
}

function tokensOf(text: string, languages: readonly string[]): readonly string[] {
  return analyser.analyseQuery(text, languages).flatMap(({ tokens, role }) => (role === "phrase" ? [] : tokens));
}

function readField({ name, description, isFigure }: Field, asked: ReadonlySet<string>): FieldWords {
  const languages = guessLanguages(`${name} ${description}`);
  const isTelling = (word: string): boolean =>
    !PLAIN_NAMES.has(word) && !(isFigure && FIGURE_NAMES.has(word)) && tokensOf(word, languages).length > 0;
  const isOwn = (word: string): boolean => !tokensOf(word, languages).some((token) => asked.has(token));
  const nameWords = wordsOf(name);
  const inName = nameWords.filter(isTelling);
  const inDescription = wordsOf(description).filter((word) => isTelling(word) && !GENERAL_WORDS.has(word));
  const ofName = inName.filter(isOwn);
  const nameStems = new Set(ofName.map(stemOf));
  const ofDescription = inDescription.filter((word) => isOwn(word) && !nameStems.has(stemOf(word)));
  // "year" and "total" may be anything's: the description says whose.
  const isFigureAlone = isFigure && inName.length === 0 && nameWords.some((word) => FIGURE_NAMES.has(word));
  const isOpen =
    (ofName.length <= inName.length * (1 - MOST) && !isFigureAlone) ||
    (inDescription.length >= MIN_DESCRIPTION_WORDS && !inDescription.some(isOwn));
  return {
    wanted: isOpen
      ? []
      : [...want(ofName, { isFigure, least: 1 }), ...want(ofDescription, { isFigure, least: MIN_DESCRIPTION_WORDS })],
    language: languages[0] ?? "en",
    hasDigits: !isFigure && nameWords.some((word) => DIGIT_NAME.test(word)),
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function stemOf(word: string): string {
  return word.slice(0, STEM_LENGTH);
}

function want(
  words: readonly string[],
  { isFigure, least }: { readonly isFigure: boolean; readonly least: number },
): readonly WantedWords[] {
  const stems = [...new Set(words.map(stemOf))];
  const needed = isFigure ? 1 : Math.min(stems.length, Math.max(least, Math.ceil(stems.length * MIN_SHARE)));
  return stems.length === 0 ? [] : [{ stems, needed }];
}

/**
 * Leaves out sentences that speak to the query alone and not to the field; the order stays. Where the best sentence is
 * in another language than the field, its words are not to be expected: then all in other languages may answer.
 */
export function keepAboutField(
  evidence: readonly Evidence[],
  { wanted, language, hasDigits }: FieldWords,
): readonly Evidence[] {
  const [best] = evidence;
  if (wanted.length === 0 || best === undefined) return evidence;
  const speaking = evidence.filter(({ text }) => {
    const low = text.toLowerCase();
    return wanted.some(({ stems, needed }) => stems.filter((stem) => hasWord(low, stem)).length >= needed);
  });
  if (speaking.length > 0 || !isForeign(best, language)) return speaking;
  return evidence.filter((one) => isForeign(one, language) && (!hasDigits || /\d/.test(one.text)));
}

function isForeign({ page, text }: Evidence, language: string): boolean {
  const own = page.language?.toLowerCase().split(/[-_]/)[0] ?? guessLanguages(text.slice(0, 1_000))[0];
  return own !== language;
}

/** Whether a word begins so; where no spaces part words, whether it stands there. */
function hasWord(text: string, stem: string): boolean {
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1)) {
    if (!LETTER_BEFORE.test(text.slice(Math.max(0, at - 2), at))) return true;
  }
  return false;
}

const LETTER_BEFORE = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}?$/u;
