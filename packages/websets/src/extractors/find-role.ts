import { quoteAt } from "../evidence.ts";
import { findPlaces } from "../entities/places.ts";
import { readStatements, type Statement } from "../judge/statements.ts";
import { isNamedIn } from "../judge/subject.ts";
import { findTrap } from "../judge/traps.ts";
import { rolePattern, type AskedRole } from "./asked-role.ts";
import type { RoleFamily } from "./column-words.ts";
import type { Filled, Filling } from "./filling.ts";
import type { ColumnTopic } from "./find-candidates.ts";
import type { FoundValue } from "./found-value.ts";
import { readNames, TITLE, withoutHonorifics } from "./person-names.ts";
import { namesOther } from "./names-other.ts";
import { findRoleCards, type RoleHit } from "./role-cards.ts";
import { saysOfEntity } from "./whose-statement.ts";

/** The people that pages give a role: those that sentences and lists name, the plainest first. */
export function findRole(filling: Filling, asked: AskedRole): Filled | undefined {
  for (const family of asked.families) {
    const hits = filling.pages.flatMap((page) => [
      ...readStatements(page).flatMap((statement) => hitsIn(statement, family, filling.topic)),
      ...(filling.topic.context.isOwn(page) ? findRoleCards(page, family, filling.topic.context) : []),
    ]);
    const [best] = hits.sort((one, other) => other.weight - one.weight);
    const quote = best === undefined ? undefined : quoteAt(best.page, best.start, best.end);
    if (best !== undefined && quote !== undefined)
      return { result: [...new Set(best.names)], rule: `name beside “${asked.written}”`, references: [quote] };
  }
  return undefined;
}

const MAX_STATEMENT = 1_500;

function hitsIn(statement: Statement, family: RoleFamily, topic: ColumnTopic): readonly RoleHit[] {
  const { text } = statement;
  if (text.length > MAX_STATEMENT || text.includes("\n") || text.endsWith("?")) return [];
  const roles = [...text.matchAll(rolePattern(family))].map(({ 0: written, index }) => ({
    start: index,
    end: index + written.length,
  }));
  const makings = family.isShared === true && family.asks !== undefined ? [...text.matchAll(FOUNDED)] : [];
  if (roles.length + makings.length === 0) return [];
  const names = readNames(text).filter((name) => !isNamedIn(name.value, topic.context) && !isPlace(name.value));
  if (names.length === 0) return [];
  const found = [
    ...roles.map((role) => ({ role, held: holdersOf(text, role, names, family, topic) })),
    ...makings.map(({ 0: written, index }) => {
      const role = { start: index, end: index + written.length };
      return { role, held: makersOf(text, role, names, topic) };
    }),
  ];
  return found.flatMap(({ role, held }) => {
    if (held.length === 0 || !isOfEntity(statement, role, held, names, topic)) return [];
    const { page, start, end } = statement;
    return [{ page, names: held.map(({ value }) => value), start, end, weight: weightOf(statement, role, topic) }];
  });
}

type Place = { readonly start: number; readonly end: number };

function isPlace(name: string): boolean {
  return findPlaces(name).some((place) => place.name === name);
}

/** Words before a role that make it another one, or another's time. */
const OTHER_ROLE =
  /(?:vice|deputy|assistant|associate|former|ex|past|previous|previously|outgoing|incoming|future|next|then|late|stellvertretender?|ehemaliger?|ancien|ancienne|adjointe?|to the|to our|to|of the board of)[\s-]$/i;
const DETERMINER =
  "(?:the|our|its|their|a|an|current|present|new|acting|interim|founding|first|also|now|today|currently|as|der|die|das|unsere?|le|la|notre|nos)\\s";
const VERB =
  "(?:is|are|serves as|acts as|works as|has been|have been|became|has become|was named|was appointed|was elected|was promoted to|has joined as|joined as|joined us as|took over as|remains|continues as|ist|sind|est|sont)\\s";
/** Between a name and the role: "Jane Doe, ", "Jane Doe (", "Jane Doe is our founder and ". */
const TO_ROLE = new RegExp(
  `^(?<lead>\\s?[,(|–—·•:/-]\\s?|,?\\s(?:who\\s)?${VERB}|\\s)(?:${DETERMINER}){0,3}(?:¤\\s?(?:,|and|&|und|et|\\+|/|\\|)?\\s?(?:${DETERMINER})?){0,3}$`,
  "iu",
);
/** Between the role and a name: "CEO ", "CEO, ", "CEO: ", "CEO and founder is ". */
const TO_NAME =
  /^(?:\s?(?:,|and|&|und|et|\/)\s?(?:the\s|our\s)?¤){0,2}(?<lead>\s?[,:|(–—-]\s?|\s(?:is|are|ist|sind|est|sont)\s(?:now\s|currently\s|called\s)?|\s)(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Mme|M)?\.?\s{0,9}$/u;

/** Whoever stands with a role in a sentence: before or behind it, as the sentence's other names and roles tell. */
function holdersOf(
  text: string,
  role: Place,
  names: readonly FoundValue[],
  family: RoleFamily,
  topic: ColumnTopic,
): readonly FoundValue[] {
  if (OTHER_ROLE.test(text.slice(Math.max(0, role.start - 40), role.start))) return [];
  const nearest = names.filter(({ end }) => end <= role.start).at(-1);
  const before = nearest === undefined ? undefined : (successorOf(text, nearest, names) ?? nearest);
  const after = names.find(({ start }) => start >= role.end);
  const leadBefore =
    nearest === undefined
      ? undefined
      : TO_ROLE.exec(plainGap(text.slice(nearest.end, role.start), topic))?.groups?.["lead"];
  const leadAfter =
    after === undefined
      ? undefined
      : TO_NAME.exec(plainGap(text.slice(role.end, after.start), topic))?.groups?.["lead"];
  const isPlural = family.isShared === true || /s$/i.test(text.slice(role.start, role.end));
  const isBefore =
    leadBefore !== undefined &&
    (leadAfter === undefined || comesBefore(text, names, { leadBefore, leadAfter }) === true);
  const isAfter =
    leadAfter !== undefined &&
    (leadBefore === undefined || comesBefore(text, names, { leadBefore, leadAfter }) === false);
  if (isBefore && before !== undefined)
    return isPlural && /[a-z]/i.test(leadBefore) ? joinedBefore(text, names, before) : [before];
  if (isAfter && after !== undefined)
    return isPlural || leadAfter.includes(":") ? joinedBehind(text, names, after) : [after];
  return [];
}

const SUCCEEDED = /^\s(?:has\s)?(?:succeeded|succeeds|replaced|replaces|took over from|takes over from)\s$/u;

/** Who came after a person: "Jane Doe succeeded Tom Hill as CEO". */
function successorOf(text: string, one: FoundValue, names: readonly FoundValue[]): FoundValue | undefined {
  const before = names.filter(({ end }) => end <= one.start).at(-1);
  return before !== undefined && SUCCEEDED.test(text.slice(before.end, one.start)) ? before : undefined;
}

const MAX_GAP = 100;

/** What stands between a name and a role, titles as one sign and "of Acme" left out. */
function plainGap(gap: string, { context }: ColumnTopic): string {
  if (gap.length > MAX_GAP) return "…";
  const titled = gap.replaceAll(TITLE, "¤");
  if (context.names === null) return titled;
  return titled
    .replaceAll(context.names, "§")
    .replaceAll(/\s(?:of|at|von|bei|der|de|du)\s§(?:\s(?:,|is|ist|est))?/g, (found) =>
      found.replace(/^\s\p{L}+\s§/u, ""),
    );
}

/** Whether names come before their roles, where one stands on either side of a role; undefined where nothing tells. */
function comesBefore(
  text: string,
  names: readonly FoundValue[],
  { leadBefore, leadAfter }: { readonly leadBefore: string; readonly leadAfter: string },
): boolean | undefined {
  const isPlainBefore = /\(|\p{L}/u.test(leadBefore);
  const isPlainAfter = /:|\p{L}/u.test(leadAfter);
  if (isPlainBefore !== isPlainAfter) return isPlainBefore;
  const tokens = [
    ...names.map(({ start }) => ({ start, isName: true })),
    ...[...text.matchAll(TITLE)].map(({ index }) => ({ start: index, isName: false })),
  ].sort((one, other) => one.start - other.start);
  const [first, last] = [tokens[0], tokens.at(-1)];
  return first === undefined || last === undefined || first.isName === last.isName ? undefined : first.isName;
}

const JOINED = /^\s?(?:\([^()]{0,40}\)\s?)?(?:,|;|\/|and|&|und|et|,\s?(?:and|und|et))\s(?:Dr\.\s)?$/u;

function joinedBehind(text: string, names: readonly FoundValue[], first: FoundValue): readonly FoundValue[] {
  const held = [first];
  for (const name of names.filter(({ start }) => start > first.start)) {
    const last = held.at(-1) ?? first;
    if (!JOINED.test(text.slice(last.end, name.start))) break;
    held.push(name);
  }
  return held;
}

function joinedBefore(text: string, names: readonly FoundValue[], last: FoundValue): readonly FoundValue[] {
  const held = [last];
  for (const name of names.filter(({ start }) => start < last.start).reverse()) {
    const next = held[0] ?? last;
    if (!JOINED.test(text.slice(name.end, next.start))) break;
    held.unshift(name);
  }
  return held;
}

const FOUNDED = /(?<!\p{L})(?:(?:co-?)?founded|started|established|set up|gegründet|fondée?|créée?)(?!\p{L})/giu;
const MADE_BY = /^[^.;:]{0,40}\s(?:by|von|par)\s(?:[\p{Ll}-]{1,20}\s){0,3}(?:Dr\.\s|Prof\.\s)?$/u;

/** "Founded in 2019 by Jane Doe", "Jane Doe founded Acme". */
function makersOf(
  text: string,
  making: Place,
  names: readonly FoundValue[],
  { context }: ColumnTopic,
): readonly FoundValue[] {
  const after = names.find(({ start }) => start >= making.end);
  if (after !== undefined && MADE_BY.test(` ${text.slice(making.end, after.start)}`))
    return joinedBehind(text, names, after);
  const before = names.filter(({ end }) => end <= making.start).at(-1);
  if (before === undefined || !/^\s(?:have\s|has\s)?$/.test(text.slice(before.end, making.start))) return [];
  const made = text.slice(making.end, making.end + MAX_GAP);
  const own = context.names === null ? undefined : [...made.matchAll(context.names)][0]?.index;
  return own === 1 || /^\s(?:the|our) (?:company|firm|business|studio|agency)\b/i.test(made)
    ? joinedBefore(text, names, before)
    : [];
}

/** Whether the role is one at the entity, of today, and no testimonial's. */
function isOfEntity(
  statement: Statement,
  role: Place,
  held: readonly FoundValue[],
  names: readonly FoundValue[],
  topic: ColumnTopic,
): boolean {
  const { text, page } = statement;
  const end = Math.max(role.end, ...held.map((one) => one.end));
  if (namesOther(text.slice(role.end), topic.context) || namesOther(text.slice(end), topic.context)) return false;
  const behind = text.slice(end);
  const until = end + (/[,.;)]/.exec(behind)?.index ?? behind.length);
  const from = Math.min(role.start, ...held.map(({ start }) => start));
  const said = text.slice(0, until);
  if (findTrap(said, role, "event") !== undefined || OVER.test(said.slice(Math.max(0, from - 20)))) return false;
  const isQuoted = QUOTED.test(text) || endsQuoted(statement);
  if (isQuoted && !isOurs(text, role, topic)) return false;
  // those who hold the role are no others of whom the sentence speaks
  const masked = names.reduce(
    (line, one) => line.slice(0, one.start) + "x".repeat(one.end - one.start) + line.slice(one.end),
    withoutHonorifics(text),
  );
  return saysOfEntity({ ...statement, text: masked }, role, topic.context, readStatements(page), "event");
}

const OVER =
  /\b(?:formerly|former|previously|until|used to be|stepped down|retired|resigned|ehemalige[rn]?|bis (?:19|20)\d\d|anciennement)\b|\bfrom (?:19|20)\d\d to\b|\((?:19|20)\d\d\s?[-–]\s?(?:19|20)\d\d\)/iu;
const QUOTED = /["“”„«»]/u;

/** "“They saved us hours.” Tom Hill, CEO": who is quoted may be a customer. */
function endsQuoted({ page, start }: Statement): boolean {
  return QUOTED.test(page.text.slice(Math.max(0, start - 6), start));
}

function isOurs(text: string, role: Place, { context }: ColumnTopic): boolean {
  if (/\b(?:our|unsere?|notre)\s(?:\p{Ll}{1,20}\s)?$/iu.test(text.slice(Math.max(0, role.start - 40), role.start)))
    return true;
  const near = text.slice(role.end, role.end + 60);
  return isNamedIn(near, context);
}

function weightOf(statement: Statement, role: Place, topic: ColumnTopic): number {
  const isPlain = statement.label !== null || isOurs(statement.text, role, topic);
  return (isPlain ? 2 : 1) + (topic.context.isOwn(statement.page) ? 1 : 0);
}
