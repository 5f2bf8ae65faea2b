/** What a column asks of people that a company does something to rather than has: "employees laid off". */
export function othersAsked(description: string): RegExp | undefined {
  return OTHERS_ASKED.find((pattern) => pattern.test(description));
}

const OTHERS_ASKED: readonly RegExp[] = [
  /\b(?:laid off|lay(?:ing)?[\s-]?offs?|let go|cuts?|fired|dismissed)\b/iu,
  /\b(?:hir(?:e[ds]?|ing)|recruit(?:ed|s|ing))\b/iu,
  /\btrain(?:ed|s|ing)\b/iu,
  /\bserv(?:e[ds]?|ing)\b/iu,
  /\b(?:help|support|reach)(?:ed|e?s|ing)\b/iu,
  /\bus(?:e[ds]?|ing)\b/iu,
];

/** "laid off 60 employees", "used by 5,000 employees", "300 employees of our clients": people, and not those who work there. */
export function countsOthers(text: string, start: number, end: number): boolean {
  const lead = text.slice(Math.max(0, start - MAX_OTHERS), start);
  return (
    OTHERS_BEFORE.test(text.slice(0, start)) ||
    OTHERS_BEHIND.test(text.slice(end)) ||
    /\s(?:per|each|every|pro|par)\s/iu.test(text.slice(start, end)) ||
    GROUPS_BEFORE.test(lead) ||
    OFFER_BEFORE.test(lead) ||
    /^\s(?:or (?:more|fewer|less)|and (?:up|above|under))\b/iu.test(text.slice(end))
  );
}

const MAX_OTHERS = 120;
/** "up to ", "between 20 and ": what leads from the words before to a number. */
const BOUNDS =
  "(?:(?:up to|at least|at most|more than|fewer than|less than|as few as|as many as|over|under|between|from|about|around|only|just|to|and|or|ab|bis zu|bis|über|zwischen|und|jusqu['’]à|entre|plus de|moins de|à|et|[-–]|\\d[\\d.,]{0,9})\\s?){0,6}$";
/** "employers with 20 to 2,000 staff", "teams of up to 10 people": those whom a product is for. */
const GROUPS_BEFORE = new RegExp(
  "(?<!\\p{L})(?:(?:teams|companies|businesses|employers|organi[sz]ations|firms|start-?ups|clients|customers|enterprises|offices|agencies|those|anyone|everyone|Unternehmen|Firmen|Betriebe|entreprises|équipes|sociétés|PME)|(?:for|any|every|each|your|für|pour)\\s(?:(?:an?|any|every|ein|eine|une?)\\s)?(?:\\p{Ll}{1,20}\\s){0,2}?(?:team|company|business|organi[sz]ation|firm|office))" +
    `\\s(?:with|of|from|between|having|who have|that have|that employ|employing|up to|under|over|above|below|for|mit|ab|von|bis|avec|de|ayant)\\s${BOUNDS}`,
  "iu",
);
/** "Plans start at 5 employees", "Free for up to 10 people": what is sold, and for how many. */
const OFFER_BEFORE = new RegExp(
  `\\b(?:free|plans?|tiers?|packages?|licen[cs]es?|subscriptions?|pricing|minimum|maximum|kostenlos|gratuit)\\b(?:(?!\\b(?:our|we|has|have)\\b)[^.;:\\n]){0,30}?\\s(?:for|from|at|of|covers?|includes?|für|ab|pour)\\s${BOUNDS}`,
  "iu",
);

const OTHERS_BEFORE =
  /\b(?:laid off|lay(?:s|ing)? off|let go(?: of)?|cut(?:s|ting)?|fired|dismissed|shed|lost|hir(?:e|es|ed|ing)|recruit(?:s|ed|ing)?|train(?:s|ed|ing)?|add(?:s|ed|ing)?|help(?:s|ed|ing)?|serv(?:e|es|ed|ing)|support(?:s|ed|ing)?|used by|reach(?:es|ed|ing)?)\s+(?:(?:more than|at least|up to|over|about|some|another|around|nearly|almost|the|its|their|our)\s+)*$/iu;
const OTHERS_BEHIND =
  /^\s+(?:of|at|from|in)\s+(?:our|their|its|your|the)\s+(?:\p{Ll}+\s+)?(?:clients?|customers?|partners?|members?|users?)\b/iu;
