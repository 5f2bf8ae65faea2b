import { markBeside } from "./marks.ts";

/** What takes a statement its force. */
export type Trap = "negated" | "ended" | "past" | "possible";

/** What kind of thing is stated: something that happened once, or something that is so. */
export type StatedKind = "event" | "state";

/**
 * Whether the words around a place of a sentence deny it, say that it has ended, that it was so once, or that it is only planned;
 * undefined when it is plainly stated. Looks at the clause, not beyond "but" or "although".
 */
export function findTrap(
  text: string,
  anchor: { readonly start: number; readonly end: number },
  kind: StatedKind,
): Trap | undefined {
  const clause = clauseAround(text, anchor);
  const before = text.slice(clause.start, anchor.start).replace(UNLIKE_OTHERS, " ").replaceAll(HARMLESS, " ");
  const inside = text.slice(anchor.start, anchor.end).replaceAll(HARMLESS, " ");
  const after = text.slice(anchor.end, clause.end).replaceAll(HARMLESS, " ");
  const whole = `${before}¦${inside}¦${after}`;
  if (ENDED.test(`${before}${inside}${after}`) || GIVEN_UP_BEFORE.test(before)) return "ended";
  if (isMarkedNo(text, anchor)) return "negated";
  if (NEGATED_BEFORE.test(before) || NEGATED_WITHIN.test(inside) || NEGATED_AFTER.test(after)) return "negated";
  if (DENIED.test(text)) return "negated";
  if (ANOTHER_LIFE.test(text)) return "past";
  if (
    POSSIBLE_BEFORE.test(before) ||
    POSSIBLE_WITHIN.test(inside) ||
    POSSIBLE_AFTER.test(after) ||
    CALLED_OFF.test(text)
  )
    return "possible";
  if (kind === "state" && isPast(text, whole, before, inside, after)) return "past";
  return undefined;
}

/** "✘ Public API", "Public API | ✗", "Public API: no": a mark beside it, or nothing but a no behind it. */
function isMarkedNo(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return markBeside(text, { start, end }) === "no" || NO_BEHIND.test(text.slice(end));
}

const NO_BEHIND = /^[^|:=\n]{0,40}?[|:=\n(–—-]\s*(?:no|none|false|nein|non|[✗✘✕✖❌❎☒])\s*(?:[.)]\s*)?$/iu;

/** "Unlike Globex, …": what follows is said of the one, not of the other. */
const UNLIKE_OTHERS = /^\s*unlike\b[^,]{1,80},/i;
/** Words that look like a trap and are none: a "starter plan" is nobody's intention. */
const HARMLESS =
  /\bnot (?:only|just|merely|least)\b|\bno (?:doubt|matter|wonder|fewer than|less than|later than|more than|other)\b|\b(?:formerly|previously|originally) (?:known|called|named)(?: as)?\b|\bcontact us if\b|\bwithout (?:our|their|its|his|her)\b|\bno-\p{L}{1,30}|\bnonstop\b|\b(?:(?:free|paid|starter|basic|pro|premium|plus|standard|enterprise|pricing|subscription|monthly|annual|yearly|every|each|all|any)\splans?|(?:team|business)\splan)\b(?!\sto\b)/giu;

const ENDED =
  /\bno longer\b|\bused to (?!(?:it|this|that)\b)\p{L}+|\b(?:stopped|discontinued|ceased|expired|revoked|abandoned|withdrew|terminated|phased out|shut down|shuttered|wound down|lost (?:its|our|their|the)|gave up|retired (?:its|our|the)|dropped (?:its|our|the)|sold off|has been (?:retired|sunset)|was (?:retired|sunset|removed|withdrawn|cancelled|canceled)|let .{0,40}\blapse|lapsed|closed (?:its|our|the) (?!round|books|series))\b/iu;
/** "Removed our public API", not "removed the limits on our public API": the verb leads straight to what is asked for. */
const GIVEN_UP_BEFORE =
  /\b(?:removed|scrapped|axed|pulled|killed(?: off)?)\s(?:its|our|the|their)\s(?:(?!(?:on|of|to|for|with|into|from|by|in|at|around|about|that|which|so|as|when|its|our|the|their|an?|\p{L}+ed)\b)[\p{L}-]{1,30},?\s){0,4}$/iu;
const NEGATED_BEFORE =
  /\b(?:not|never|no|none|neither|nor|without|cannot|lacks?|lacking|nobody|hardly|fails? to|failed to|yet to|refus(?:es|ed) to|nicht|kein(?:e[mnrs]?)?|niemals|pas|jamais|instead of|rather than|unlike (?!(?:many|most|other)\b)(?:other )?)\b(?![^¦]*\bbut also\b)|n['’]t\b/iu;
const NEGATED_WITHIN = /\b(?:not|never|no|neither|nor|without|cannot|nicht|kein(?:e[mnrs]?)?|jamais)\b|n['’]t\b/iu;
const NEGATED_AFTER =
  /^[^,;:.]{0,25}?(?:\b(?:not|never|nor|nicht)\b|n['’]t\b|\bunavailable\b|\bunsupported\b|\b(?:is|are) lacking\b|\bfree\b(?=\s*$))/iu;
const DENIED =
  /\b(?:it is|it's|it’s) (?:not true|untrue|false|a myth|wrong) that\b|\bfalsely\b|\bcontrary to\b.{0,60}\bnot\b/iu;
const ANOTHER_LIFE =
  /\bpredecessors?\b|\b(?:earlier|former|previous|defunct|older) (?:company|firm|business|incarnation|venture|employer)\b|\bdissolved\b|\bof the same name\b|\bdefunct\b/iu;
const POSSIBLE_BEFORE =
  /\b(?:plans?|planned|planning|hopes?|hoped|hoping|intends?|intended|intending|aims?|aiming|aspires?|wants? to|might|may|could|would|should|expects?|expected|seeks?|seeking|considers?|considering|in talks|working (?:towards?|on)|look(?:s|ing)? (?:to|for)|work towards?|upcoming|proposed|potential(?:ly)?|possibly|perhaps|rumou?red|allegedly|attempt(?:s|ed)? to|tr(?:y|ies|ied) to|if|whether|unless|will (?:be|become|offer|provide|launch|open|make|have|hire|raise)|going to|ready to become|soon|not yet|werden|wird|geplant|bientôt|serons)\b/u;
const POSSIBLE_WITHIN = /\b(?:planned|might|could|would|hopes?|intends?|plans? to|aims? to)\b/u;
const POSSIBLE_AFTER =
  /^[^.;]{0,40}?\b(?:is|are) (?:planned|expected|coming soon|on (?:our|the) roadmap|in the works)\b|\b(?:next (?:year|spring|summer|autumn|fall|winter|month|quarter)|one day|coming soon|in the future)\b/iu;
const CALLED_OFF = /\bcalled (?:the \w+ )?off\b|\bnever (?:closed|happened|materiali[sz]ed|came)\b|\bfell through\b/iu;

const PAST_WORDS =
  /\b(?:formerly|previously|once (?:was|were|had|made|built|sold|ran|held|based|\p{L}+ed)|(?:was|were|had) once|until (?:19|20)\d\d|until (?:recently|last)|up to (?:19|20)\d\d|originally|in the past|at (?:its|our|their) (?:peak|height)|back then|at the time|back in (?:19|20)\d\d|in those days|years ago|before (?:joining|founding|becoming|moving)|prior to (?:joining|founding)|before (?:it|we|they|the (?:move|merger|restructuring|sale|takeover|acquisition))|has since (?:moved|left|changed|closed)|have since (?:moved|left)|ex-\p{L}+|former)\b/iu;

/** Of a person's jobs only the one that stands with it: "is head of robotics at Globex and worked at Initech before". */
const WORKED = /(?<!\b(?:has|have|['’]ve) )\bworked (?:at|for|as)\b/iu;
/** What comes before a verb of today is of another time than what comes behind it. */
const TODAY = /^.*\b(?:is|are|am|now|today|currently)\b/su;

function isPast(text: string, whole: string, before: string, inside: string, after: string): boolean {
  if (WORKED.test(`${before.replace(TODAY, "")}${inside}`) || /^\s(?:who\s)?worked (?:at|for|as)\b/iu.test(after))
    return true;
  if (PAST_WORDS.test(text) || /\b(?:was|were)\s+(?:\w+\s+)?(?:headquartered|based|located|domiciled)\b/iu.test(whole))
    return true;
  const tail = before.slice(-40);
  if (/\b(?:has|have) been\b|\b(?:is|are|has|have|'s|’s)\s+(?:\w+\s+)?$/iu.test(tail)) return false;
  // "In 2011 we had 40 people" tells of 2011.
  if (
    /\b(?:in|by|around|during) (?:early |late |mid-)?(?:19|20)\d\d\b/iu.test(whole) &&
    /\b(?:was|were|had|employed|counted|numbered|held|offered|made|sold)\b/iu.test(whole) &&
    !/\b(?:today|now|currently|still (?:is|has|are))\b/iu.test(whole)
  )
    return true;
  return (
    /\b(?:was|were|had|employed)\s+(?:\w+\s+)?$/iu.test(tail) ||
    /^(?:was|were|had|employed)\b/iu.test(inside.trim()) ||
    /^\s*(?:was|were)\b(?!\s+(?:founded|established|awarded|named|built|made))/iu.test(after)
  );
}

const BREAK = /;|\s[–—]\s|(?:,|(?<![\s,]))\s+(?:but|although|though|whereas|however|while|because)\b/giu;

function clauseAround(
  text: string,
  anchor: { readonly start: number; readonly end: number },
): { readonly start: number; readonly end: number } {
  let start = 0;
  let end = text.length;
  for (const match of text.matchAll(BREAK)) {
    if (match.index + match[0].length <= anchor.start) start = match.index + match[0].length;
    else if (match.index >= anchor.end) {
      end = match.index;
      break;
    }
  }
  return { start, end };
}
