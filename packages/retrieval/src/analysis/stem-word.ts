import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as armenian } from "@orama/stemmers/armenian";
import { stemmer as bulgarian } from "@orama/stemmers/bulgarian";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as hindi } from "@orama/stemmers/indian";
import { stemmer as indonesian } from "@orama/stemmers/indonesian";
import { stemmer as irish } from "@orama/stemmers/irish";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as lithuanian } from "@orama/stemmers/lithuanian";
import { stemmer as nepali } from "@orama/stemmers/nepali";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as sanskrit } from "@orama/stemmers/sanskrit";
import { stemmer as serbian } from "@orama/stemmers/serbian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as tamil } from "@orama/stemmers/tamil";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { stemmer as ukrainian } from "@orama/stemmers/ukrainian";

/** The stem of a lower-case word in a language (ISO 639-1); words with digits, and languages without rules, stay as they are. */
export function stemWord(word: string, language: string): string {
  const stem = STEMMERS.get(language);
  if (stem === undefined || word.length < 3 || !LETTERS_ONLY.test(word)) return word;
  return stem(word) || word;
}

const LETTERS_ONLY = /^[\p{L}\p{M}]+$/u;

const STEMMERS: ReadonlyMap<string, (word: string) => string> = new Map([
  ["ar", arabic],
  ["hy", armenian],
  ["bg", bulgarian],
  ["da", danish],
  ["nl", dutch],
  ["en", english],
  ["fi", finnish],
  ["fr", french],
  ["de", german],
  ["el", greek],
  ["hu", hungarian],
  ["hi", hindi],
  ["id", indonesian],
  ["ga", irish],
  ["it", italian],
  ["lt", lithuanian],
  ["ne", nepali],
  ["nb", norwegian],
  ["nn", norwegian],
  ["no", norwegian],
  ["pt", portuguese],
  ["ro", romanian],
  ["ru", russian],
  ["sa", sanskrit],
  ["sr", serbian],
  ["es", spanish],
  ["sv", swedish],
  ["ta", tamil],
  ["tr", turkish],
  ["uk", ukrainian],
]);
