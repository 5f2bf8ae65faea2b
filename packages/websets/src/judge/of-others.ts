/** A stretch of a text. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

const MAX_LOOK = 200;
const TOKEN = /[\p{L}\p{N}'’&-]+|[^\p{L}\p{N}\s]/gu;

/** Somebody who is not named: who has the state that stands beside it. */
const ACTOR =
  /^(?:those|ones|anyone|anybody|everyone|whoever|people|nobody|compan(?:y|ies)|business(?:es)?|firms?|start-?ups?|scale-?ups?|organi[sz]ations?|enterprises?|teams?|banks?|brands?|agenc(?:y|ies)|institut(?:e|ion)s?|universit(?:y|ies)|schools?|hospitals?|shops?|clinics?|governments?|authorit(?:y|ies)|groups?|holdings?|stud(?:ent|io)s?|clients?|colleagues|staff|\p{L}{3,}(?:ers?|ors?|ants?|ists?|ees?))$/iu;
const NO_ACTOR =
  /^(?:headquarters|quarters?|numbers?|orders?|powers?|offers?|others?|however|never|ever|together|over|under|after)$/iu;
const PLURAL = /^(?:those|ones|people|staff|everyone|anyone|anybody|whoever|nobody)$|(?<!s)s$/iu;
/** What stands between somebody and his state. */
const PASSED =
  /^(?:who|that|which|are|is|be|been|being|becomes?|becoming|became|gets?|getting|got|to|have|has|having|stay|remain|also|now|already|currently|fully|both|only|still|all|yet|\p{L}+ly)$/iu;
const STOPS =
  /^(?:an?|the|this|that|these|those|our|my|its|their|his|her|your|any|every|each|another|some|all|one|of|to|for|with|by|from|in|on|at|of|through|via|among|between|as|like|than|about|into|and|or|but|is|are|am|was|were|be|been|being|remains?|became|become|we|they|it|which|who|that|['’].*|.*['’](?:re|s|m)|\P{L}+)$/iu;
const IS = /^(?:is|are|am|be|been|being|remains?|became|become|as|.*['’](?:re|s|m)|ist|sind|bin|est|sommes)$/iu;
const COLLECTIVE = /^(?:team|group|collective|pair|couple|handful|bunch|crew|network|family)$/iu;
const ADDED = /^(?:,|\(|:|–|—|-|•|\*|\|)$/u;

/**
 * Whether the words before a state name somebody else as the one who has it: "sells to companies headquartered in …",
 * "helps start-ups become …". Not who the entity is said to be, "is a maker of pumps based in …".
 */
export function isOfOthers(text: string, at: number): boolean {
  const tokens = tokensBefore(text, at);
  let last = tokens.length - 1;
  while (last >= 0 && PASSED.test(tokens[last] ?? "")) last -= 1;
  return isOther(tokens, last);
}

function isOther(tokens: readonly string[], last: number): boolean {
  const noun = tokens[last] ?? "";
  if (!ACTOR.test(noun) || NO_ACTOR.test(noun) || (/^\p{Lu}/u.test(noun) && last > 0)) return false;
  let first = last;
  while (first > 0 && !STOPS.test(tokens[first - 1] ?? "")) first -= 1;
  const lead = tokens[first - 1] ?? "";
  const isArticle = /^(?:an?|the|any|every|each|another|some|all|our|my|its|their|your)$/iu.test(lead);
  const before = (isArticle ? tokens[first - 2] : lead) ?? "";
  if (/^of$/iu.test(before)) {
    const whole = first - (isArticle ? 3 : 2);
    if (/^one$/iu.test(tokens[whole] ?? "")) return false;
    if (COLLECTIVE.test(tokens[whole] ?? "")) return isOther([...tokens.slice(0, whole), "company"], whole);
  }
  if (IS.test(before)) return false;
  if (PLURAL.test(noun) || /^those$/iu.test(noun)) return true;
  if (before === "" || ADDED.test(before)) return false;
  if (/^(?:our|my|its|their|this)$/iu.test(lead)) return false;
  if (/^the$/iu.test(lead)) return /^(?:to|for|with|by|from|of|at|in|through|via)$/iu.test(before);
  return isArticle || /^(?:to|for|with|by|from|of|at|through|via)$/iu.test(before);
}

/** Words that go on after a state and are not what has it. */
const GOES_ON =
  /^(?:since|by|in|for|and|or|with|to|as|again|until|till|from|under|at|on|of|through|via|according|after|before|when|where|which|that|who|because|so|but|while|if|is|are|was|were|has|have|had|will|can|may|today|now|already|every|each|per|only|too|also|then|this|last|it|we|you|our|your|the|an?|seit|nach|durch|von|vom|und|oder|depuis|par|et|ou|selon|pour|degree|title|holders?|\p{L}+ly)$/iu;

/** Whether the noun behind an attribute has it, and not the entity: "runs in certified data centers", not "is a certified provider". */
export function isOfAnotherThing(text: string, { start, end }: Stretch): boolean {
  const head = /^[ \t]{1,3}(\p{L}[\p{L}-]*)/u.exec(text.slice(end))?.[1];
  if (head === undefined || GOES_ON.test(head)) return false;
  const tokens = tokensBefore(text, start);
  let last = tokens.length - 1;
  while (last >= 0 && /^(?:an?|the|one|of|few|only|first|fully|\p{L}+ly|also|both|now)$/iu.test(tokens[last] ?? ""))
    last -= 1;
  const lead = tokens[last] ?? "";
  if (IS.test(lead)) return false;
  const isOne = ACTOR.test(head) && !PLURAL.test(head);
  if (lead === "" || ADDED.test(lead)) return !isOne && /^\p{Ll}/u.test(head);
  // a capital may begin the name of the one that is so: "ISO 27001 certified Acme"
  return /^\p{Ll}/u.test(head) || /^(?:in|with|on|by|at|from|through|via|for|to|of)$/iu.test(lead);
}

/** Rented rooms and machines have places and certificates of their own: "our servers are located in …". */
export function isOfEquipment(text: string, at: number): boolean {
  return EQUIPMENT.test(text.slice(Math.max(0, at - MAX_LOOK), at));
}

const EQUIPMENT =
  /(?<!\p{L})(?:data(?:\s?cent(?:er|re)s?|bases?)?|servers?|clouds?|hosting|backups?|facilit(?:y|ies)|Rechenzentr(?:um|en)|Server)\s(?:(?:is|are|sind|ist|all|also|fully|both|physically|nach|gemäß)\s){0,3}$/iu;

/** The words and signs of the clause before a place. */
function tokensBefore(text: string, at: number): readonly string[] {
  const before = text.slice(Math.max(0, at - MAX_LOOK), at);
  const clause = before.slice(Math.max(...[";", "\n", "!", "?"].map((sign) => before.lastIndexOf(sign))) + 1);
  return Array.from(clause.matchAll(TOKEN), ([token]) => token);
}
