import { findPlaces, liesIn, type PlaceFound } from "../entities/places.ts";
import { hasUnread, unreadStems } from "./asked-words.ts";
import type { Finding } from "./finding.ts";
import type { Condition, PlaceRelation } from "./read-criterion.ts";
import { isOfAnotherThing, isOfEquipment, isOfOthers } from "./of-others.ts";
import { trapOf } from "./trap-of.ts";
import type { Statement } from "./statements.ts";
import type { SubjectContext } from "./subject.ts";

const SEAT =
  /\b(?:headquarter(?:s|ed)?|head(?:\s|-)?office|HQ|(?<!\p{L})based(?!\s+on\b)(?=\s+(?:in|at|near|out of|company|firm|startup|\p{L}+\s+in))|-based|domiciled|located|registered office|main office|principal office|company seat|lives? in|sits in|resid(?:es|ing) in|our (?:office|home)|we are in|location|address|(?:has|have|had) (?:its|our|their) (?:registered )?seat|Hauptsitz|Firmensitz|Unternehmenssitz|mit Sitz in|Sitz der (?:Gesellschaft|Firma)|siège(?: social)?)\b|(?<=\p{L})-based\b/giu;
const ANY =
  /\b(?:offices?|branch(?:es)?|presence|operat(?:es?|ions?|ing)|stores?|locations?|subsidiar(?:y|ies)|teams?|sites?|active|plants?|factor(?:y|ies)|hubs?)\b/giu;
/** "Works in Oslo", "is a nurse in Oslo". */
const WORK =
  /\b(?:work(?:s|ing)?(?:\s(?:as|at|for)\s[^.;,\n]{1,60}?)?\s(?:in|from|out of)(?=\s\p{Lu})|(?:is|am)\s(?:an?|the)\s(?:[\p{L}-]+\s){0,4}(?!(?:members?|visitors?|speakers?|strangers?|foreigners?|winners?|newcomers?)\s)(?:\p{L}+(?:[eo]r|ist|ian|ant)|nurse|chef|head|lead|fellow)\sin(?=\s\p{Lu}))/gu;
const MAX_DISTANCE = 60;

/** What the statements of a page say about where somebody sits. */
export function findSeats(
  condition: Condition & { readonly kind: "place" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const wanted = condition.places;
  const unread = unreadOfPlace(condition, context);
  return statements.flatMap((statement) => {
    const isRead = hasUnread(statement.text, unread);
    const nation = condition.relation === "seat" && isRead ? findNation(statement, wanted, context, statements) : [];
    const anchors = [
      ...statement.text.matchAll(SEAT),
      ...(condition.relation === "any" ? statement.text.matchAll(ANY) : []),
      ...(condition.relation === "work" ? statement.text.matchAll(WORK) : []),
    ];
    const places = withoutLeft(statement.text, namedPlaces(statement.text, wanted)).filter(
      (place) => !isInName(statement.text, place, context),
    );
    if (anchors.length === 0 || places.length === 0) return nation;
    const best = nearestPair(
      anchors.map((match) => ({ start: match.index, end: match.index + match[0].length })),
      places,
    );
    if (best === undefined) return nation;
    const group = placesTogether(statement.text, best.place, places);
    const answer = judgePlaces(group, wanted, condition.relation);
    // somebody may have a post at a second place
    const isPost = condition.relation === "work" && /^(?:is|am)\b/.test(statement.text.slice(best.anchor.start));
    const satisfied = isPost && answer === "no" ? "unclear" : answer;
    const anchor = {
      start: Math.min(best.anchor.start, best.place.start),
      end: Math.max(best.anchor.end, best.place.end),
    };
    // letters may go elsewhere
    const isAddress = /^address$/i.test(statement.text.slice(best.anchor.start, best.anchor.end));
    const trap =
      unread.length === 0 && isElsewhere(statement.text, best)
        ? "other-entity"
        : trapOf(statement, anchor, context, statements, "state");
    const why = `it names ${group.map(({ name }) => name).join(", ")} as the place`;
    return [
      {
        statement,
        satisfied: trap === undefined && isRead ? satisfied : "unclear",
        why,
        weight: isAddress ? 0.6 : statement.label === null ? 1 : 1.5,
        trap,
        isHint: isAddress,
      },
    ];
  });
}

/** What a criterion says sits at a place, where it is not the entity: "a research center" of "has a research center located in Berlin". */
export function unreadOfPlace(
  { text, places }: Condition & { readonly kind: "place" },
  context: SubjectContext,
): readonly string[] {
  const named = [...places, ...findPlaces(text).map(({ name }) => name)];
  const bare = named.reduce((rest, name) => rest.replaceAll(name, " "), text);
  return unreadStems(bare, [PLACE_WORDS, ANY, WORK], context);
}

const PLACE_WORDS =
  /\b(?:headquarter(?:s|ed|ing)?|HQ|based|located|location|domiciled|seat(?:ed)?|registered|main|head|principal|home|office|resid(?:es?|ing|ents?)|liv(?:es?|ing)|sits?|works?|working|physically|primarily|mainly|legal(?:ly)?|address|city|town|area|region|metropolitan|greater|country|state|bay|outside|anywhere|somewhere|either|strong|global)\b/giu;

/** "Sells to companies headquartered in …", "Berlin-based firms trust us", "our servers are located in …": others, and what is rented. */
function isElsewhere(text: string, { anchor, place }: SeatFound): boolean {
  if (!/^(?:headquartered|-?based|located|domiciled|lives?|sits|resid)/i.test(text.slice(anchor.start, anchor.end)))
    return false;
  if (place.start >= anchor.end) return isOfOthers(text, anchor.start) || isOfEquipment(text, anchor.start);
  const isOurs = /\b(?:our|the)\s(?:\p{L}+,?\s)?$/iu.test(text.slice(0, place.start));
  return !isOurs && isOfAnotherThing(text, { start: place.start, end: anchor.end });
}

/** "Boston Lamps" has its name from Boston, not its seat. */
function isInName(text: string, place: PlaceFound, { names }: SubjectContext): boolean {
  return (
    names !== null &&
    Array.from(text.matchAll(names)).some(
      ({ 0: name, index }) => place.start >= index && place.end <= index + name.length,
    )
  );
}

const OF_A_NATION =
  /(?:\b(?:is|are|as|remains?)\s+(?:one of\s+)?|,\s+)(?:an?|the|our)\s+(?:(?!(?:of|for|to|by|with|from|in)\b)[\p{L}-]+\s+){0,3}$/u;
/** The noun follows the nation at once, or what has no nation of its own: a "French language company" may sit anywhere. */
const COMPANY_NOUN =
  /^(?:\s(?:software|technology|tech|hardware|engineering|industrial|automotive|biotech|biotechnology|pharmaceutical|chemical|fintech|e-commerce|family-owned|family-run|state-owned|privately|publicly|held|owned|traded|listed|private|public|independent|multinational|international|global|young|small|medium-sized|leading)){0,2}\s(?:company|start-?up|scale-?up|firm|business|manufacturer|maker|producer|supplier|provider|developer|brand|agency|bank|studio|insurer|retailer)(?![\p{L}-])(?!\s(?!(?:of|for|in|from|with|that|which|who|whose|and|by|since|to|on|at|as|\p{L}+(?:ing|ed))\b)\p{L})/u;

/** "Acme is a German maker of pumps": less than a word on its seat, and mostly as good. */
function findNation(
  statement: Statement,
  wanted: readonly string[],
  context: SubjectContext,
  statements: readonly Statement[],
): readonly Finding[] {
  const { text } = statement;
  const place = findPlaces(text).find(
    ({ kind, countries, start, end }) =>
      kind === "demonym" &&
      countries.size === 1 &&
      OF_A_NATION.test(text.slice(0, start)) &&
      COMPANY_NOUN.test(text.slice(end)),
  );
  if (place === undefined) return [];
  const trap = trapOf(statement, place, context, statements, "state");
  const satisfied = trap === undefined ? judgePlaces([place], wanted, "seat") : "unclear";
  return [{ statement, satisfied, why: `it calls it ${place.name}`, weight: 0.8, trap, isHint: true }];
}

/** Places without those that somebody moved away from: "moved its head office from Munich to Leeds". */
export function withoutLeft(text: string, places: readonly PlaceFound[]): readonly PlaceFound[] {
  if (!/\b(?:mov|relocat|transfer|shift)/i.test(text)) return places;
  const left = new Set<PlaceFound>();
  for (const place of places) {
    if (!/\bfrom\s+(?:the\s+)?$/i.test(text.slice(0, place.start))) continue;
    const group = placesTogether(text, place, places);
    if (/^,?\s+to\s/i.test(text.slice(group.at(-1)?.end))) for (const one of group) left.add(one);
  }
  return places.filter((place) => !left.has(place));
}

/** Places of our table, and the wanted one wherever it stands. */
function namedPlaces(text: string, wanted: readonly string[]): readonly PlaceFound[] {
  const known = findPlaces(text).filter(({ kind }) => kind !== "demonym");
  const names = wanted.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}])(?:${names.join("|")})(?![\\p{L}])`, "giu");
  const extra = [...text.matchAll(pattern)]
    .filter(({ index }) => !known.some(({ start, end }) => index >= start && index < end))
    .map((match) => ({
      name: match[0],
      kind: "city" as const,
      countries: new Set<string>(),
      start: match.index,
      end: match.index + match[0].length,
    }));
  return [...known, ...extra].sort((one, other) => one.start - other.start);
}

/** A word for a seat with the place that stands next to it. */
interface SeatFound {
  readonly anchor: { readonly start: number; readonly end: number };
  readonly place: PlaceFound;
}

function nearestPair(
  anchors: readonly { readonly start: number; readonly end: number }[],
  places: readonly PlaceFound[],
): SeatFound | undefined {
  const pairs = anchors.flatMap((anchor) =>
    places.map((place) => ({
      anchor,
      place,
      distance: Math.max(0, place.start - anchor.end, anchor.start - place.end),
    })),
  );
  const best = pairs
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((one, other) => one.distance - other.distance)[0];
  return best;
}

/** "Munich, Germany" is one place in two words. */
function placesTogether(text: string, first: PlaceFound, places: readonly PlaceFound[]): readonly PlaceFound[] {
  const group = [first];
  for (const place of places) {
    const last = group.at(-1);
    if (last === undefined || place.start < last.end) continue;
    if (/^\s*(?:,|\(|\||in)\s*$/.test(text.slice(last.end, place.start))) group.push(place);
  }
  return group;
}

/** Whether a place that a text gives, "Munich, Germany", lies in one of the wanted. */
export function judgePlaces(
  group: readonly PlaceFound[],
  wanted: readonly string[],
  relation: PlaceRelation,
): "yes" | "no" | "unclear" {
  const answers = wanted.map((one) => judgePlace(group, one));
  if (answers.includes("yes")) return "yes";
  // an office elsewhere says nothing against one here
  return relation !== "any" && answers.every((answer) => answer === "no") ? "no" : "unclear";
}

function judgePlace(group: readonly PlaceFound[], wanted: string): "yes" | "no" | "unknown" {
  const answers = group.map((place) => liesIn(place, wanted));
  const isSaid = answers.includes("yes");
  // "Paris, Texas" lies where its last part says
  const last = answers.at(-1) ?? "unknown";
  const hasCountry = group.at(-1)?.kind === "country" || group.at(-1)?.kind === "region";
  if (hasCountry && last !== "unknown" && answers.length > 1) return isSaid && last !== "no" ? "yes" : last;
  if (isSaid) return "yes";
  return answers.every((one) => one === "no") ? "no" : "unknown";
}
