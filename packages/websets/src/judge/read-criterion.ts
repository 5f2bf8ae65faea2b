import { findPlaces } from "../entities/places.ts";
import { readNumbers } from "../extractors/read-numbers.ts";
import { objectStems } from "./asked-words.ts";

/** From and to, both inclusive; null is open. Of years, a part of one where months are asked for. */
export interface Range {
  readonly min: number | null;
  readonly max: number | null;
}

/** A criterion as a rule can check it. `isNegated`: the criterion asks that it is not so. */
export type Condition = { readonly text: string; readonly isNegated: boolean } & (
  | {
      readonly kind: "year";
      readonly event: "founded" | "published" | "other";
      readonly eventWord: string;
      readonly range: Range;
    }
  | { readonly kind: "number"; readonly unit: string; readonly isMoney: boolean; readonly range: Range }
  | { readonly kind: "place"; readonly places: readonly string[]; readonly relation: PlaceRelation }
  | { readonly kind: "statement" }
);

/** What somebody is to have at a place: a seat or home, his work, or anything; either of several places will do. */
export type PlaceRelation = "seat" | "work" | "any";

const MAX_PARTS = 4;

/** The conditions of a criterion, all of which must hold. What fits no typed rule is a statement to be found. */
export function readCriterion(criterion: string, now: Date | undefined): readonly Condition[] {
  const text = criterion.replaceAll(/\s+/g, " ").trim();
  const parts = splitParts(text);
  return parts.map((part) => readPart(part, now));
}

/** "based in Germany and has more than 50 employees" is two; "research and development" is one. */
function splitParts(text: string): readonly string[] {
  // a long run of blanks could be shared out in too many ways
  const pieces = text
    .replaceAll(/\s{2,}/g, " ")
    .split(
      /\s?(?:;|,?\sand(?:\salso)?)\s(?=(?:is|are|has|have|was|were|offers?|provides?|makes?|founded|based|headquartered|located|raised|employs?|uses?|sells?|with (?:more|fewer|less|over|at)|more than|fewer than|at least|over \d|does not|must)\b)/i,
    );
  const parts = pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")
    .flatMap(splitDescription);
  return parts.length > MAX_PARTS ? [text] : parts;
}

const DESCRIBED =
  /(?<=\b(?:company|companies|start-?ups?|firms?|business(?:es)?|agency|agencies|manufacturers?))\s(?=(?:(?:that|which)\s(?:is|are|was|were|has|have)\s)?(?:founded|established|incorporated|based|headquartered|located|with (?:more|fewer|less|over|at))\b)/i;

/** "A robotics startup based in Berlin" asks what it is, and where. Of "makes tools for companies based in …" only the whole tells. */
function splitDescription(text: string): readonly string[] {
  const [what = "", more, ...others] = text.split(DESCRIBED);
  const isOne = more === undefined || others.length > 0 || NEGATED.test(what);
  const isOfOthers = /\b(?:of|for|to|by|with|from|in|at|serv\w+|help\w*|target\w*)\b/i.test(what);
  return isOne || isOfOthers || objectStems(what).length === 0 ? [text] : [what, more];
}

function readPart(text: string, now: Date | undefined): Condition {
  const isNegated = NEGATED.test(text.replaceAll(/\b(?:no|not) (?:more|less|fewer|later|earlier) than\b/gi, ""));
  const common = { text, isNegated };
  const year = readYears(text, now);
  const number = readAmount(text);
  // "raised over $5 million in 2023" is about the amount; "more than ten years ago" about the time
  if (number !== undefined && (year === undefined || !/^(?:years?|months?|decades?)$/i.test(number.unit)))
    return { ...common, ...number };
  if (year !== undefined) return { ...common, ...year };
  const place = readSeat(text);
  if (place !== undefined) return { ...common, isNegated: isNegated !== /\boutside\b/i.test(text), ...place };
  return { ...common, kind: "statement" };
}

const NEGATED = /\b(?:not|never|no(?!-)|without|isn['’]t|doesn['’]t|don['’]t|hasn['’]t|aren['’]t|cannot|lacks?)\b/i;

const EVENTS: readonly (readonly ["founded" | "published", RegExp])[] = [
  [
    "founded",
    /\b(?:found(?:ed|ing|ation)|establish(?:ed|ment)|incorporated|started|set up|created|inception|formed|launched as a company)\b/i,
  ],
  ["published", /\b(?:published|posted|written|publication|dated|released|appeared)\b/i],
];
const YEAR = "((?:1[5-9]|20)\\d{2})";

function readYears(
  text: string,
  now: Date | undefined,
): { kind: "year"; event: "founded" | "published" | "other"; eventWord: string; range: Range } | undefined {
  const event = EVENTS.find(([, pattern]) => pattern.test(text));
  const word =
    event?.[1].exec(text)?.[0] ?? /\b(?!(?:the|and|are|was|has|since|after|before)\b)([a-z]+ed)\b/i.exec(text)?.[1];
  if (word === undefined) return undefined;
  const range = readYearRange(text, now);
  if (range === undefined) return undefined;
  return { kind: "year", event: event?.[0] ?? "other", eventWord: word, range };
}

function readYearRange(text: string, now: Date | undefined): Range | undefined {
  const at = (pattern: string): number[] | undefined => {
    const found = new RegExp(pattern, "i").exec(text);
    return found === null ? undefined : found.slice(1).map(Number);
  };
  const between =
    at(`\\b(?:between|from)\\s+${YEAR}\\s*(?:and|to|[-–])\\s*${YEAR}`) ?? at(`\\b${YEAR}\\s*[-–]\\s*${YEAR}\\b`);
  if (between !== undefined) return { min: between[0] ?? null, max: between[1] ?? null };
  const since =
    at(`\\b(?:since|from|in or after|no earlier than|starting(?: in)?)\\s+${YEAR}`) ??
    at(`\\b${YEAR}\\s+(?:or|and) (?:later|after|onwards?|newer)`);
  if (since !== undefined) return { min: since[0] ?? null, max: null };
  const after = at(`\\b(?:after|later than|post)[\\s-]+(?:the year )?${YEAR}`);
  if (after !== undefined) return { min: (after[0] ?? 0) + 1, max: null };
  const until =
    at(`\\b(?:by|until|up to|no later than|in or before)\\s+${YEAR}`) ??
    at(`\\b${YEAR}\\s+or (?:earlier|before|older)`);
  if (until !== undefined) return { min: null, max: until[0] ?? null };
  const before = at(`\\b(?:before|prior to|earlier than|pre)[\\s-]+(?:the year )?${YEAR}`);
  if (before !== undefined) return { min: null, max: (before[0] ?? 0) - 1 };
  const decade = at(`\\bin the ${YEAR}s`);
  if (decade?.[0] !== undefined) return { min: decade[0], max: decade[0] + 9 };
  const within =
    /\b(?:in|within|over|during) the (?:last|past)\s+(\w+)\s+(years?|months?|decades?)/i.exec(text) ??
    /\b(?:less|fewer|no more) than\s+(\w+)\s+(years?) (?:ago|old)/i.exec(text);
  if (within !== null) {
    const count = readNumbers(within[1] ?? "")[0]?.value;
    if (now === undefined || count === undefined) return undefined;
    if (/^month/i.test(within[2] ?? "")) return { min: fractionalYear(now) - count / 12, max: null };
    const years = /^decade/i.test(within[2] ?? "") ? count * 10 : count;
    return { min: Math.ceil(now.getUTCFullYear() - years), max: null };
  }
  const older = /\b(?:more|older) than\s+(\w+)\s+years? (?:ago|old)?/i.exec(text);
  if (older !== null && now !== undefined) {
    const count = readNumbers(older[1] ?? "")[0]?.value;
    if (count !== undefined) return { min: null, max: now.getUTCFullYear() - count };
  }
  if (/\bthis year\b/i.test(text) && now !== undefined) return { min: now.getUTCFullYear(), max: now.getUTCFullYear() };
  const exact = at(`\\bin (?:the year )?${YEAR}\\b`);
  return exact === undefined ? undefined : { min: exact[0] ?? null, max: exact[0] ?? null };
}

/** A moment in years: the middle of 2026 is 2026.5. */
export function fractionalYear(moment: Date): number {
  const year = moment.getUTCFullYear();
  const [start, end] = [Date.UTC(year), Date.UTC(year + 1)];
  return year + (moment.getTime() - start) / (end - start);
}

const MONEY_TOPIC =
  /\b(?:rais(?:e[ds]?|ing)|fund(?:ed|ing|s)|financing|investment|revenues?|turnover|sales|valuation|valued|worth|profits?|income|price[ds]?|costs?|salary|budget|capital)\b/i;

function readAmount(text: string): { kind: "number"; unit: string; isMoney: boolean; range: Range } | undefined {
  const numbers = readNumbers(text).filter(({ looksLikeYear }) => !looksLikeYear);
  const first = numbers[0];
  if (first === undefined) return undefined;
  const before = text.slice(0, first.start);
  const after = text.slice(first.end);
  const compares =
    COMPARES.test(before.slice(-24)) ||
    /^\s?(?:\+|or (?:more|fewer|less|greater)|plus\b|and (?:more|above))/i.test(after);
  const second = numbers[1];
  const isRange = second !== undefined && /^\s*(?:and|to|[-–])\s*$/i.test(text.slice(first.end, second.start));
  const isMoney = first.currency !== null || (MONEY_TOPIC.test(text) && first.value >= 1_000);
  const unit = isMoney
    ? (MONEY_TOPIC.exec(text)?.[0] ?? "")
    : (/^(?:\s?\+|\s+or (?:more|fewer|less))?[\s-]+(?:(?:full[- ]time|total|active|paying|registered|different|physical|annual|monthly)\s+)*([\p{L}-]+)/iu.exec(
        text.slice((isRange ? second : first).end),
      )?.[1] ?? "");
  if (unit === "" || (!compares && !isRange && !isMoney && !COUNTED.test(unit))) return undefined;
  if (isRange) return { kind: "number", unit, isMoney, range: { min: first.value, max: second.value } };
  return { kind: "number", unit, isMoney, range: rangeOf(before, after, first.value) };
}

const COMPARES =
  /(?:more than|over|above|at least|exceed(?:s|ing)?|greater than|upwards of|minimum(?: of)?|fewer than|less than|under|below|at most|up to|no more than|no fewer than|no less than|maximum(?: of)?|exactly|between|>=?|<=?|≥|≤)\s*(?:a total of\s*)?$/i;
const COUNTED =
  /^(?:employees?|people|staff|workers?|customers?|clients?|users?|stores?|shops?|locations?|offices?|countries|members?|students?)$/i;

function rangeOf(before: string, after: string, value: number): Range {
  const tail = before.slice(-26);
  const step = smallest(value);
  if (/(?:no fewer than|no less than|at least|minimum(?: of)?|>=|≥)\s*$/i.test(tail)) return { min: value, max: null };
  if (/(?:no more than|at most|up to|maximum(?: of)?|<=|≤)\s*$/i.test(tail)) return { min: null, max: value };
  if (/(?:more than|over|above|exceed(?:s|ing)?|greater than|upwards of|>)\s*(?:a total of\s*)?$/i.test(tail))
    return { min: value + step, max: null };
  if (/(?:fewer than|less than|under|below|<)\s*$/i.test(tail)) return { min: null, max: value - step };
  if (/^\s?(?:\+|or (?:more|greater)|plus\b|and (?:more|above))/i.test(after)) return { min: value, max: null };
  if (/^\s?or (?:fewer|less)/i.test(after)) return { min: null, max: value };
  return { min: value, max: value };
}

/** The step by which "more than" differs from "at least": one for counts, next to nothing for others. */
function smallest(value: number): number {
  return Number.isInteger(value) ? (Math.abs(value) >= 10_000 ? 1e-6 * Math.abs(value) : 1) : 1e-6;
}

const SEAT =
  /\b(?:headquarter(?:ed|s)|based|located|head office|hq|domiciled|seated|resid(?:es?|ing)|liv(?:es?|ing))\b/i;

function readSeat(text: string): { kind: "place"; places: readonly string[]; relation: PlaceRelation } | undefined {
  const isSeat = SEAT.test(text);
  const named =
    /\b(?:in|at|near|from|within|inside)\s+(?:the\s+)?(\p{Lu}[\p{L}.'’-]*(?:\s+(?:\p{Lu}[\p{L}.'’-]*|of|and(?=\s\p{Lu})))*)\s*\.?$/u.exec(
      text,
    )?.[1];
  const known = findPlaces(text);
  const isWork = !isSeat && known.length > 0 && /^\s*(?:(?:is|are)\s)?work(?:s|ing)?\s(?:in|from|out of)\b/i.test(text);
  if (isSeat || isWork) {
    const place = named ?? known.at(-1)?.name ?? /\b(?:in|at|near|from)\s+(?:the\s+)?(.+?)\.?$/is.exec(text)?.[1];
    const list = place?.split(/(?:(?<!\s)\s+)?(?:,|\bor\b)\s*/).filter(Boolean);
    const places = known.filter(({ kind }) => kind !== "demonym").map(({ name }) => name);
    const isChoice = places.length > 1 && /\bor\b/i.test(text);
    if (place === undefined) return undefined;
    return {
      kind: "place",
      places: isChoice ? places : [list?.[0] ?? place],
      relation: isWork ? "work" : "seat",
    };
  }
  const adjective = known.find(({ kind }) => kind === "demonym");
  if (
    adjective !== undefined &&
    /\b(?:company|companies|startups?|firms?|business(?:es)?|manufacturers?|banks?|agenc(?:y|ies))\b/i.test(
      text.slice(adjective.end, adjective.end + 40),
    ) &&
    text.split(/\s+/).length <= 5
  ) {
    return { kind: "place", places: [adjective.name], relation: "seat" };
  }
  if (
    /^(?:(?:is|are|has|have)\s+)?(?:an?\s+)?(?:offices?|presence|branch(?:es)?|operations?|operates?|operating|active|stores?|locations?)\b.*\bin\b/i.test(
      text,
    ) &&
    named !== undefined
  ) {
    return { kind: "place", places: [named], relation: "any" };
  }
  return /^(?:is |are )?in \p{Lu}/u.test(text) && named !== undefined
    ? { kind: "place", places: [named], relation: "seat" }
    : undefined;
}
