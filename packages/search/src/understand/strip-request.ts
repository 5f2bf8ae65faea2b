/**
 * A query without the words that only ask: "I am interested in articles on hidden-line algorithms" is about hidden-line
 * algorithms. For the search by words, where every word counts; a query of such words alone stays as it is.
 */
export function stripRequest(text: string): string {
  let rest = text;
  for (const pattern of REQUESTS) rest = rest.replace(pattern, " ");
  const stripped = rest.replaceAll(/\s+/g, " ").trim();
  return /[\p{L}\p{N}]{2}/u.test(stripped) ? stripped : text;
}

const THINGS =
  "(?:articles?|papers?|publications?|documents?|documentation|pages?|websites?|literature|references?|materials?|information|infos?|resources?|details|examples?|posts?|studies|work)";
const ABOUT =
  "(?:on|about|concerning|regarding|covering|describing|discussing|related to|relating to|dealing with|that (?:describe|discuss|cover|explain|deal with)s?|which (?:describe|discuss|cover|explain|deal with)s?|written (?:by|about))";

const REQUESTS: readonly RegExp[] = [
  /^\s*(?:hi|hello|hey)\b[,!.]*\s*/iu,
  /\b(?:can|could|would|will) you (?:please )?(?:find|show|give|tell|list|explain|help)(?: me)?\b/giu,
  /\b(?:please )?(?:find|show|give|tell|get|fetch) (?:me|us)\b/giu,
  /\b(?:please|kindly|thanks|thank you)\b[,.!]*/giu,
  /\bi(?:['’]m| am)? (?:(?:really |only |particularly |especially )?interested in|looking for|searching for|trying to (?:find|understand|figure out)|wondering (?:about|whether|if))\b/giu,
  /\bi(?:['’]d)? (?:want|need|like|would like|wish) (?:to (?:know|find|learn|see|read)(?: (?:about|more about|out))?|(?:any|some) )?/giu,
  /\bi (?:don['’]t|do not) want\b/giu,
  new RegExp(`\\bwhat ${THINGS} (?:exist|are there|is there|have been written)(?: (?:which|that))?\\b`, "giu"),
  new RegExp(`\\b(?:any|some|all|more|other|the)? ?${THINGS}(?: (?:available|written|published))? ${ABOUT}`, "giu"),
  /\bwhat (?:is|are) known (?:about|of)\b/giu,
  /\bwhat (?:can|could) (?:you|we) (?:say|tell me) about\b/giu,
];
