import type { Statement } from "../judge/statements.ts";
import { trapOf } from "../judge/trap-of.ts";
import { isNamedIn, type SubjectContext } from "../judge/subject.ts";
import { LANGUAGES, type LanguageWords } from "./column-words.ts";

type Place = { readonly start: number; readonly end: number };

/** Whether a statement plainly says something of the entity: it is not about another, denied, over or only planned. */
export function saysOfEntity(
  statement: Statement,
  anchor: Place,
  context: SubjectContext,
  statements: readonly Statement[],
  kind: "event" | "state",
): boolean {
  const language = languageOf(statement);
  if (language === undefined) return trapOf(statement, anchor, context, statements, kind) === undefined;
  return !language.traps.test(statement.text) && isOwnIn(language, statement, anchor, context);
}

/** Judges know the words and the names of English; the rest is told by the words that a language has for the company itself. */
function isOwnIn(
  { self, others }: LanguageWords,
  statement: Statement,
  { start }: Place,
  context: SubjectContext,
): boolean {
  if (context.names === null) return true;
  const { text, label, page } = statement;
  if (others.test(text)) return false;
  if (isNamedIn(text, context)) return true;
  if (!context.isOwn(page) || COMPANY.test(text)) return false;
  const isListed = label !== null || /^[\p{Ll}\p{N}]/u.test(text) || text.slice(0, start).trim() === "";
  return isListed || self.test(text);
}

/** A company by its legal form: "Muster GmbH". */
const COMPANY = /\p{Lu}[\p{L}\p{N}-]{1,40}\s(?:GmbH|AG|SE|KG|UG|OHG|SARL|SAS|SA|EURL)(?!\p{L})/u;

/** The words of a statement's language, where it is one that we know and not English. */
export function languageOf({ page, text }: Statement): LanguageWords | undefined {
  if (page.language === "de" || page.language === "fr") return LANGUAGES[page.language];
  const counted = Object.values(LANGUAGES).map((language) => ({
    language,
    count: text.match(language.common)?.length ?? 0,
  }));
  const [most] = counted.sort((one, other) => other.count - one.count);
  const english = text.match(ENGLISH)?.length ?? 0;
  return most !== undefined && most.count > english ? most.language : undefined;
}

const ENGLISH =
  /\b(?:the|and|is|are|was|were|we|our|of|in|at|by|to|for|with|a|an|it|its|since|has|have|founded|employees|people)\b/giu;
