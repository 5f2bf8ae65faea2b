import type { SubjectContext } from "./subject.ts";
import { contentStems, hasStems, writtenStems } from "./word-match.ts";

/** Words of criteria that name the entity or its being there, not what is asked of it. */
const LIGHT = new Set(
  contentStems(
    "company companies startup startups business businesses organization organisation firm firms person people article articles paper papers page item entity must currently actively least one have has having based entity should include includes including provide provides offering clearly explicitly specifically",
  ),
);
/** What a text has to do with its topic: it has the topic whatever it says of it, also that it is over or must not be. */
export const ABOUT =
  /\b(?:about|discuss(?:es|ing)?|cover(?:s|ing)?|mention(?:s|ing)?|address(?:es|ing)?|focus(?:es|ed|ing)? on|relat(?:es|ed|ing) to|topic|describes?|explains?|examines?|stud(?:y|ies)|investigates?)\b/gi;

/** The words of a criterion that a page must have: without those that name the entity or how it has to do with them. */
export function objectStems(text: string): readonly string[] {
  const bare = text
    .replaceAll(ABOUT, " ")
    // "no-code" denies nothing, and is another word than "code"
    .replaceAll(/\bno-(?=\p{L})/giu, "no")
    .replaceAll(/\b(?:not|never|no|without|does|do|is|are|was|were|has|have|been|its|their|own)\b/gi, " ");
  const stems = writtenStems(stripRelations(bare)).filter((stem) => !LIGHT.has(stem));
  return [...new Set([...(hasShortForm(text) ? [IT] : []), ...stems])].slice(0, MAX_WORDS);
}

const MAX_WORDS = 24;

/** Information technology, which is a word only by its capitals: as a stem it would be the pronoun's. */
export const IT = "IT";

/** Whether a text, not all of it in capitals, speaks of IT. */
export function hasShortForm(text: string): boolean {
  return /\bIT\b/.test(text) && /\p{Ll}/u.test(text);
}

/** The relation's verb goes only where it leads: "makes heat pumps", not "software that makes …". */
function stripRelations(text: string): string {
  return text.replace(
    /^\s*(?:the\s+\w+\s+|that\s+|which\s+|who\s+|must\s+|should\s+|currently\s+|actively\s+)*(?:mak(?:es?|ing)|manufactur(?:es?|ing|ers? of)|produc(?:es?|ing|ers? of)|build(?:s|ing)?|develop(?:s|ing|ers? of)?|design(?:s|ing)?|makers? of|offer(?:s|ing)?|provid(?:es?|ing|ers? of)|supports?|sells?|selling|features?|includes?|uses?|using|hold(?:s|ing)?|reports?|works? (?:in|on|with)|operates? in|active in|speciali[sz]es? in|focus(?:es|ed)? on)\s+(?:an?\s+|the\s+)?/i,
    " ",
  );
}

/** What a criterion asks beside what a rule reads of it: "in Germany" of "has more than 50 employees in Germany". */
export function unreadStems(text: string, read: readonly RegExp[], { names }: SubjectContext): readonly string[] {
  const unnamed = names === null ? text : text.replaceAll(names, " ");
  return objectStems(read.reduce((rest, pattern) => rest.replaceAll(pattern, " "), unnamed));
}

/** Whether a statement has all the words that a rule did not read: without them its value may be another's. */
export function hasUnread(text: string, unread: readonly string[]): boolean {
  return unread.length === 0 || hasStems(text, unread);
}
