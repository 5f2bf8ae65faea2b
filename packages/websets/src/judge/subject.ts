import { createRequire } from "node:module";
import { getDomain } from "tldts";
import type { Entity } from "../entities/entity.ts";
import { findPlaces } from "../entities/places.ts";
import type { PageText } from "../evidence.ts";
import { isMarkedLine } from "./marks.ts";
import type { Statement } from "./statements.ts";

/** Whom statements are to be about. */
export interface SubjectContext {
  /** Matches the entity's names; null where a text itself is the entity and every sentence of it counts. */
  readonly names: RegExp | null;
  /** Whether a page speaks in the entity's voice, or of nothing else. */
  readonly isOwn: (page: PageText) => boolean;
}

/** Who a statement is about, as far as its words tell. */
export type Subject = "own" | "other" | "unknown";

const TEXT_TYPES: ReadonlySet<Entity["type"]> = new Set(["article", "research_paper"]);

/** What is needed to tell whom statements on an entity's pages are about. */
export function subjectContext(entity: Pick<Entity, "type" | "name" | "aliases" | "url">): SubjectContext {
  if (TEXT_TYPES.has(entity.type)) return { names: null, isOwn: () => true };
  const names = [...new Set([entity.name, ...entity.aliases].flatMap(spellings))].filter((name) => name.length >= 2);
  const longest = names.sort((one, other) => other.length - one.length);
  const escaped = longest.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+"));
  const pattern =
    escaped.length === 0 ? /(?!)/u : new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const domain = siteOf(entity.url);
  const isOwn = (page: PageText): boolean => {
    if (page.url === entity.url) return true;
    if (entity.type === "company" && domain !== null && siteOf(page.url) === domain) return true;
    return entity.type !== "company" && isNamedIn(page.title, { names: pattern });
  };
  return { names: pattern, isOwn };
}

/** Whether a text names the entity. */
export function isNamedIn(text: string | null, { names }: Pick<SubjectContext, "names">): boolean {
  // search, unlike test, leaves no place behind at which the next look with the shared pattern would begin
  return names !== null && text !== null && text.search(names) !== -1;
}

/** The registered domain of an address; hosts of many tenants count whole. */
export function siteOf(url: string): string | null {
  return getDomain(url, { allowPrivateDomains: true });
}

/** A name as texts shorten it: without its legal form, without "The". */
export function spellings(name: string): readonly string[] {
  const plain = name.trim();
  const bare = plain.replace(LEGAL_FORM, "").trim();
  const short = bare.replace(/^the\s+/i, "");
  return [plain, bare, short].filter((one) => one.length >= 2);
}

const LEGAL_FORM =
  /(?:,|(?<![\s,]))\s+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|lp|plc|gmbh(?:\s*&\s*co\.?\s*kg)?|ag|se|kg|ug|ab|as|a\/s|oy|oyj|aps|bv|nv|b\.v|n\.v|s\.?a|s\.?a\.?s|s\.?r\.?l|s\.?p\.?a|sarl|pty|pvt|kk|k\.k|sp\. z o\.o|e\.?v|labs|group|holdings?)\.?$/i;

interface Mention {
  readonly start: number;
  readonly end: number;
  readonly who: Subject;
}

/**
 * Who the words at a place of a statement are about: the one named last before them, else the one named next after
 * them, else whoever the page speaks of. "Our supplier" is another; "it" goes on with the sentence before.
 */
export function subjectOf(
  statement: Statement,
  anchor: { readonly start: number; readonly end: number },
  context: SubjectContext,
  before: readonly Statement[],
): Subject {
  if (context.names === null) return "own";
  const isOwn = context.isOwn(statement.page);
  const all = mentionsIn(statement, context, isOwn);
  const mentions = all.filter(({ start, end }) => end <= anchor.start || start >= anchor.end);
  const within = all.filter(({ start, end }) => start > anchor.start && end < anchor.end);
  const last = mentions.filter(({ end }) => end <= anchor.start).at(-1);
  const making = MAKING.exec(statement.text.slice(anchor.start, anchor.end));
  const isMade = making !== null;
  // "Founded by Globex" leaves out what was founded; "Lamps are made by Globex" does not
  const beside = making?.index === 0 ? mentionsBeside(statement.text, mentions) : new Set<Mention>();
  const next = mentions.find((one) => one.start >= anchor.end && !beside.has(one));
  if (isMade && next?.who === "own" && next.start - anchor.end <= 40) return "own";
  // "Jane Doe founded the company in 2012"
  if (isMade && isOwn && MADE_OURS.test(statement.text.slice(anchor.end))) return "own";
  // "investors backed Acme with $5M": whoever stands between the words is meant, unless another has been before them
  const inner = within.find(({ who }) => who === "own") ?? (last?.who === "own" ? undefined : within[0]);
  if (inner !== undefined) return inner.who;
  const named = last ?? (statement.label === null && !GOES_ON.test(statement.text) ? next : undefined);
  if (named !== undefined) return named.who;
  if (isOwn) {
    // "It …" after a sentence about another goes on about the other.
    if (!GOES_ON.test(statement.text)) return "own";
    const previous = before[statement.index - 1];
    if (previous === undefined || /^the company/i.test(statement.text)) return "own";
    const earlier = mentionsIn(previous, context, isOwn).at(0);
    return earlier?.who ?? "own";
  }
  const previous = before[statement.index - 1];
  if (
    previous !== undefined &&
    /^(?:it|its|they|their|he|his|she|her|the (?:company|firm|startup|business|team))\b/i.test(statement.text)
  ) {
    return mentionsIn(previous, context, isOwn).at(0)?.who ?? "unknown";
  }
  return isNamedIn(statement.page.title, context) ? "own" : "unknown";
}

/** Words that go on about whoever was spoken of. */
const GOES_ON = /^(?:it|they|he|she|this company|the (?:company|firm|startup))\b/i;
/** Not "the startup Widgetly", which has a name of its own. */
const MADE_OURS =
  /^\s+(?:(?:the|this|our) (?:company|firm|business|startup|start-up|studio|agency|brand)|it|us)\b(?!,?\s+(?:(?:called|named)\s+)?["“]?\p{Lu})/u;

/** "Founded by Jane Doe and Tom Hill", "begun at TU Wien": who did it, or where, is not who it is said of. */
function mentionsBeside(text: string, mentions: readonly Mention[]): ReadonlySet<Mention> {
  const beside = new Set<Mention>();
  let before: Mention | undefined;
  for (const one of mentions) {
    const goesOn = before !== undefined && beside.has(before) && JOINED.test(text.slice(before.end, one.start));
    const lead = text.slice(Math.max(0, one.start - MAX_LEAD), one.start);
    if (one.who === "other" && (goesOn || BESIDE.test(lead))) beside.add(one);
    before = one;
  }
  return beside;
}

const MAX_LEAD = 120;
const BESIDE = /\b(?:by\s+(?:[\p{Ll}\d-]+,?\s+){0,4}|at\s+(?:the\s+)?)$/u;
const JOINED = /^\s*(?:,|(?:,\s*)?(?:and|&))\s*$/;
const MAKING = /\b(?:found(?:ed|er)|started|establish|set up|creat|launch|invest|back|put)/i;
const RELATION =
  /\b(?:our|their|his|her|my|its|a|an|the)\s+(?:\w+[\s-]){0,3}?(?:partner|supplier|customer|client|investor|competitor|rival|neighbour|neighbor|friend|parent|subsidiary|sister|vendor|provider|distributor|reseller|sponsor|landlord|alternative|predecessor)s?\b/giu;
/** "US" is a country. */
const SELF =
  /(?<!\p{L})(?:[Ww]e|us|Us|[Oo]urs?|ourselves|[Ww]ir|[Uu]ns(?:er(?:e[mnrs]?)?)?|[Nn]ous|[Nn]otre|[Nn]os)(?!\p{L})/gu;
/** "Her husband holds a PhD." */
const KIN =
  /\b(?:my|his|her|their|whose)\s(?:(?:late|older|younger|elder|former|first|second|twin|then)\s)?(?:husband|wife|spouse|brother|sister|father|mother|parent|son|daughter|child|children|uncle|aunt|cousin|nephew|niece|grand\p{L}{3,8}|fianc[ée]e?|girlfriend|boyfriend|colleague|co-?author|co-?founder|supervisor|advis[eo]r|mentor|boss)s?\b/giu;

function mentionsIn(statement: Statement, context: SubjectContext, isOwn: boolean): readonly Mention[] {
  const { text } = statement;
  const mentions: Mention[] = [];
  const add = (start: number, end: number, who: Subject): void => {
    if (!mentions.some((one) => start < one.end && end > one.start)) mentions.push({ start, end, who });
  };
  if (context.names !== null) {
    for (const match of text.matchAll(context.names)) add(match.index, match.index + match[0].length, "own");
  }
  for (const match of text.matchAll(RELATION)) add(match.index, match.index + match[0].length, "other");
  for (const match of text.matchAll(KIN)) add(match.index, match.index + match[0].length, "other");
  for (const match of text.matchAll(SELF)) add(match.index, match.index + match[0].length, isOwn ? "own" : "unknown");
  // a label and its value have no subject, nor has a marked line of a list; the page's is meant
  const isListed = statement.label !== null || isMarkedLine(text);
  if (!isListed) for (const { start, end } of findNames(text)) add(start, end, "other");
  return mentions.sort((one, other) => one.start - other.start);
}

const NAME = /(?<![\p{L}\p{N}.])\p{Lu}[\p{L}\p{N}'’-]*(?:\.[a-z]{2,}\b)?(?:\s+(?:&\s+)?\p{Lu}[\p{L}\p{N}'’-]*)*/gu;

/** Runs of capitals that look like somebody's name: not a place, a month, an abbreviation or a common word at a sentence's start. */
export function findNames(text: string): readonly { readonly start: number; readonly end: number }[] {
  const places = findPlaces(text);
  const found: { start: number; end: number }[] = [];
  for (const match of text.matchAll(NAME)) {
    let start = match.index;
    let name = match[0];
    const opens = start === 0 || /(?:[.!?:\n•"“]\s*|^\s*)$/.test(text.slice(Math.max(0, start - 3), start));
    if (opens) {
      const first = /^[^\s]+\s*/.exec(name)?.[0] ?? "";
      const rest = name.slice(first.length);
      if (isCommon(first.trim()) && !(rest === "" && hasNameVerb(text.slice(start + name.length)))) {
        start += first.length;
        name = rest;
      }
    }
    const words = name.split(/\s+/).filter((word) => word !== "");
    // "Is Globex SOC 2 certified": the abbreviation is not of the name
    if (words.length > 1 && isNoName(words.at(-1) ?? "") && /^\s\d/.test(text.slice(start + name.length))) {
      name = name.slice(0, name.lastIndexOf(words.pop() ?? "")).trimEnd();
    }
    const end = start + name.length;
    if (words.length === 0 || words.every((word) => isNoName(word))) continue;
    if (
      words.length === 1 &&
      /(?:[^s]s|ly)$|^(?:every|each|all|some|many|most|this|that|these|those|it|they|you|when|if|with|from|for|in|on|at|to|by)$/i.test(
        name,
      ) &&
      isCommon(name)
    )
      continue;
    if (places.some((place) => start >= place.start && end <= place.end)) continue;
    if (places.some((place) => place.start === start && place.end < end && isNoName(text.slice(place.end, end).trim())))
      continue;
    if (/^-based\b/.test(text.slice(end))) continue;
    found.push({ start, end });
  }
  return found;
}

const NO_NAME =
  /^(?:I|A|An|The|January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Series|Round|Seed|Type|Level|Class|Tier|Grade|Stage|Phase|Hauptsitz|Firmensitz|Unternehmenssitz|Sitz|Gesellschaft|Siège|Adresse|Anschrift|Impressum|Year|Number|Total|Today|Available|PhD|MSc|BSc|CEO|CTO|CFO|COO|Inc|Ltd|GmbH|LLC|Corp|English|Q[1-4]|Mr|Mrs|Ms|Dr|Prof|Professor|Associate|Assistant|Senior|Junior|Lead|Principal|Chief|Head|Director|Manager|Engineer|Officer|Founder|President|Chair|Fellow|Lecturer|Scientist|Researcher|Analyst|Consultant|Developer|Designer|Architect)$/i;

function isNoName(word: string): boolean {
  return NO_NAME.test(word) || /^[\p{Lu}\p{N}]{1,5}s?$/u.test(word) || /^[\p{N}.,-]+$/u.test(word);
}

const COMMON_TAGS =
  /Singular|Plural|Noun|Verb|Infinitive|Tense|Gerund|Adjective|Adverb|Preposition|Determiner|Conjunction|Pronoun|Actor|Uncountable|Modal|Copula|Date|Value|Question|Expression|Comparative|Superlative|Participle/;

/** Whether a word with a capital is an ordinary one, by the dictionary of the tagger. */
export function isCommon(word: string): boolean {
  const lower = word.toLowerCase().replace(/['’]s$/, "");
  if (/^\p{Lu}\p{Ll}+(?:tors?|ions?|ments?|ers|ities|ity|ness|ists?|ings?)$/u.test(word) && lower.length >= 6)
    return true;
  return [
    lower,
    lower.replace(/ies$/, "y"),
    lower.replace(/e?s$/, ""),
    lower.replace(/s$/, ""),
    lower.replace(/(?:ed|ing|er|ers)$/, ""),
    lower.replace(/(?:d|ing)$/, "e"),
  ].some((form) => {
    const tags = lexicon()[form];
    return tags !== undefined && COMMON_TAGS.test(tags.toString());
  });
}

type Lexicon = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What we need of the tagger: its words and what kinds they are. */
interface Tagger {
  readonly model: () => { readonly one: { readonly lexicon: Lexicon } };
}

const load = createRequire(import.meta.url);
let words: Lexicon | undefined;

/** The tagger takes 22 MB: it is loaded when the first name is looked for, and a server without websets never does. */
function lexicon(): Lexicon {
  words ??= (load("compromise") as Tagger).model().one.lexicon;
  return words;
}

/** Verbs that only somebody with a name does without an article: "Stripe raised", "Apple employs". */
function hasNameVerb(after: string): boolean {
  return (
    /^(?:,|\s+(?:has\s+)?(?:raised|employs|acquired|announced|secured|offers|provides|makes|manufactures|launched)\b)/.test(
      after,
    ) && !/^,\s+\p{Ll}/u.test(after)
  );
}
