/** Where a text says what a criterion asks for. */
interface Spot {
  readonly start: number;
  readonly end: number;
  /** It says so by itself; else the words are only there, and what stands around them must say that it has them. */
  readonly isPlain: boolean;
}

/** Finds in a text, which may be a line of a list or table, what says the same as a criterion. */
export type SayingFinder = (text: string) => Spot | undefined;

const LEAD =
  "^\\s*(?:(?:the\\s)?(?:company|product|software|tool|service|it)\\s)?(?:currently\\s)?(?:has|have|having|offers?|offering|provides?|providing|includes?|supports?|allows?|with|there is|is available as|can be|is)\\s(?:an?\\s)?";

const SAYINGS: readonly { readonly asks: RegExp; readonly find: SayingFinder }[] = [
  {
    asks: new RegExp(
      `${LEAD}(?:permanently\\s|forever\\s)?free[\\s-](?:forever[\\s-])?(?:(?:pricing|subscription|basic|starter)\\s)?(?:plan|tier|version|edition|option|account)s?(?:\\savailable)?\\s?\\.?$`,
      "i",
    ),
    find: findFreePlan,
  },
  {
    asks: new RegExp(
      `${LEAD}(?:self[\\s-]host(?:ed|ing|able)?|on[\\s-]prem(?:ises?)?)(?:\\s(?:deployments?|versions?|editions?|options?|installations?|plans?|hosting|setup))?(?:\\savailable)?\\s?\\.?$`,
      "i",
    ),
    find: findSelfHosting,
  },
  {
    asks: /^\s*(?:(?:reports?|announce[sd]?|mentions?|describes?|discusses|covers?|is about|has had|had|made|has made)\s)?(?:on\s|about\s)?(?:recent\s|mass\s)?(?:lay[\s-]?offs?|laid[\s-]off|job cuts?)(?:\s(?:staff|employees|workers|people))?\s?\.?$/i,
    find: findLayoffs,
  },
];

/** How pages say what a criterion asks for in words that are none of its own; undefined where we know no such words. */
export function otherSayings(criterion: string): SayingFinder | undefined {
  return SAYINGS.find(({ asks }) => asks.test(criterion))?.find;
}

const FREE_PLAN =
  /\bfree(?:[\s-]forever)?\s(?:(?:basic|starter|entry|community|pricing)\s)?(?:plan|tier|version|edition|account)s?\b/i;
const COSTS_NOTHING =
  /\b(?:free forever|forever free)(?=\s?(?:$|[.,;:!)|–—-]|for\b|plan|tier|version)|\s\|)|\bfree for (?:teams of )?up to (?:\p{L}+|\d+)\s(?:users?|people|members?|seats?|projects?)\b|\b(?:plan|tier|version|edition)\s(?:costs? nothing|is (?:(?:completely|totally|entirely|always|and stays)\s)?free(?=\s?(?:$|[.,;!)]|forever)))/iu;
const NO_PRICE =
  /(?<![\p{L}\p{N}.,])(?:(?:US)?[$€£]|USD|EUR|CHF)\s?0(?:[.,]00?)?(?![\p{N}%])(?![.,]\p{N})|(?<![\p{N}.,])0(?:[.,]00?)?\s?(?:€|EUR|USD)(?!\p{L})/u;
/** Zero of something else than a plan, or only for a while. */
const OTHER_PRICE =
  /\b(?:fees?|costs?|commissions?|shipping|delivery|deposit|down|set-?up|interest|liabilit\w*|tax(?:es)?|balance|charges?|penalt\w*|debt|due|today|trials?|first|days?|weeks?|migration|installation|onboarding|support|savings?)\b/i;
const MAX_PRICE_LINE = 80;

/** "Offers a free version", "Free forever for up to five users", "Hobby | $0". */
function findFreePlan(text: string): Spot | undefined {
  const plain = COSTS_NOTHING.exec(text);
  if (plain !== null) return spotOf(plain, true);
  const named = FREE_PLAN.exec(text);
  if (named !== null) return spotOf(named, false);
  const price = text.length <= MAX_PRICE_LINE && !OTHER_PRICE.test(text) ? NO_PRICE.exec(text) : null;
  if (price === null) return undefined;
  const name = text.slice(0, price.index).trim();
  const behind = text.slice(price.index + price[0].length);
  const isName = /^[\p{L}][\p{L}\p{N}-]*(?:\s\p{L}[\p{L}\p{N}-]*){0,2}\s?[|:–—-]?$/u.test(name);
  const isPeriodic = /^\s?(?:\/|per\b|an?\s|forever|monthly)/i.test(behind);
  const isAlone = /^\s?(?:$|\|)/.test(behind);
  return isName && (isPeriodic || isAlone) ? spotOf(price, true) : undefined;
}

const SELF_HOSTED = /\b(?:self[\s-]host(?:ed|ing|able)?|on[\s-]prem(?:ises?)?)(?![\p{L}-])/iu;
const HOSTED_HEAD =
  /^(?:$|\s?[.,;:!?)|/–—]|\s(?:only|or|and|as|with|on|via|for|by|if|in|is|are|deployments?|versions?|editions?|options?|installations?|installers?|instances?|plans?|setups?|mode|packages?|too|also|available|under|behind)(?!\p{L}))/iu;
const HOSTED_LEAD =
  /(?:^\W*(?:(?:an?|the|our|fully)\s)?|(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}\p{N}]*|it|product|platform|software|tool|app|application|everything)\s(?:is|can be|can also be|runs)\s(?:(?:an?|not|fully|also|both|either|always|available|as|cloud|or|hosted)\s){0,4}|\b(?:[Aa]vailable|[Oo]ffer\w*|[Cc]hoose|[Dd]eploy\w*|comes?)\s(?:(?:as|in|an?|our|the|both|either|fully|cloud|hosted|SaaS|managed|and|or|not|any)[\s,]\s?){0,5}|\b(?:provid\w*|supports?|has|have|with|our|you can|[Tt]here is|without|no)\s(?:(?:an?|the|also|fully|no)\s){0,2})$/u;
const OWN_SERVERS =
  /(?:^\W*|\b(?:you (?:can|may|could|can['’]?t|cannot)(?: also)?|or|can be|cannot be|lets? you|allows? you to|want to)\s)(?:run|host|deploy|install|hosted|deployed|installed)\s(?:(?!your\b)[\p{L}\p{N}'’-]+\s){0,5}?on (?:your|their) own (?:servers?|infrastructure|hardware|machines?|premises)\b/iu;

/** "Acme is self-hosted only", "run it on your own servers"; not "migrate from your self-hosted wiki". */
function findSelfHosting(text: string): Spot | undefined {
  const own = OWN_SERVERS.exec(text);
  if (own !== null) return spotOf(own, true);
  const found = SELF_HOSTED.exec(text);
  if (found === null) return undefined;
  const isSo =
    HOSTED_HEAD.test(text.slice(found.index + found[0].length)) && HOSTED_LEAD.test(text.slice(0, found.index));
  return isSo ? spotOf(found, true) : undefined;
}

const LAYOFFS =
  /\b(?:lay(?:s|ing)?[\s-]?offs?|laid[\s-]off|lay(?:s|ing)?\s(?:[\p{L}\p{N}%,.]+\s){1,5}off|laid\s(?:[\p{L}\p{N}%,.]+\s){1,5}off|job cuts?|redundanc(?:y|ies)|cut(?:s|ting)?\s(?:[\p{N}%,.]+\s)(?:of its\s)?(?:jobs|staff))\b/iu;
const WITHOUT_LAYOFFS =
  /\b(?:den(?:y|ies|ied)|avoid(?:s|ed|ing)?|avert(?:s|ed|ing)?|rul(?:es?|ed) out|after|since)\s(?:\p{L}+\s){0,3}$/iu;

/** "Lays off a third of its staff", "200 people were laid off", "job cuts". */
function findLayoffs(text: string): Spot | undefined {
  const found = LAYOFFS.exec(text);
  if (found === null || WITHOUT_LAYOFFS.test(text.slice(0, found.index))) return undefined;
  return spotOf(found, true);
}

function spotOf({ 0: found, index }: RegExpExecArray, isPlain: boolean): Spot {
  return { start: index, end: index + found.length, isPlain };
}
