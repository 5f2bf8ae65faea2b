import { findPlaces, liesIn, readPlace, type PlaceFound } from "../entities/places.ts";
import type { Finding } from "./finding.ts";
import type { Condition } from "./read-criterion.ts";
import { trapOf } from "./rule-values.ts";
import type { Statement } from "./statements.ts";
import type { SubjectContext } from "./subject.ts";

const SEAT =
  /\b(?:headquarter(?:s|ed)?|head(?:\s|-)?office|HQ|(?<!\p{L})based(?!\s+on\b)(?=\s+(?:in|at|near|out of|company|firm|startup|\p{L}+\s+in))|-based|domiciled|located|registered office|main office|principal office|company seat|lives? in|resid(?:es|ing) in|our (?:office|home)|we are in|location|address)\b|(?<=\p{L})-based\b/giu;
const ANY =
  /\b(?:offices?|branch(?:es)?|presence|operat(?:es?|ions?|ing)|stores?|locations?|subsidiar(?:y|ies)|teams?|sites?|active|plants?|factor(?:y|ies)|hubs?)\b/giu;
const MAX_DISTANCE = 60;

/** What the statements of a page say about where somebody sits. */
export function findSeats(
  condition: Condition & { readonly kind: "place" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const wanted = adjectiveToCountry(condition.place);
  return statements.flatMap((statement) => {
    const anchors = [
      ...statement.text.matchAll(SEAT),
      ...(condition.relation === "any" ? statement.text.matchAll(ANY) : []),
    ];
    const places = namedPlaces(statement.text, wanted);
    if (anchors.length === 0 || places.length === 0) return [];
    const best = nearestPair(
      anchors.map((match) => ({ start: match.index, end: match.index + match[0].length })),
      places,
    );
    if (best === undefined) return [];
    const group = placesTogether(statement.text, best.place, places);
    const satisfied = judgePlaces(group, wanted, condition.relation);
    const anchor = {
      start: Math.min(best.anchor.start, best.place.start),
      end: Math.max(best.anchor.end, best.place.end),
    };
    const trap = trapOf(statement, anchor, context, statements, "state");
    const why = `it names ${group.map(({ name }) => name).join(", ")} as the place`;
    return [
      {
        statement,
        satisfied: trap === undefined ? satisfied : "unclear",
        why,
        weight: statement.label === null ? 1 : 1.5,
        trap,
      },
    ];
  });
}

function adjectiveToCountry(place: string): string {
  const known = readPlace(place);
  return known?.kind === "demonym" ? place : place;
}

/** Places of our table, and the wanted one wherever it stands. */
function namedPlaces(text: string, wanted: string): readonly PlaceFound[] {
  const known = findPlaces(text).filter(({ kind }) => kind !== "demonym");
  const pattern = new RegExp(`(?<![\\p{L}])${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}])`, "giu");
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

function nearestPair(
  anchors: readonly { readonly start: number; readonly end: number }[],
  places: readonly PlaceFound[],
): { readonly anchor: { readonly start: number; readonly end: number }; readonly place: PlaceFound } | undefined {
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

function judgePlaces(group: readonly PlaceFound[], wanted: string, relation: "seat" | "any"): "yes" | "no" | "unclear" {
  const answers = group.map((place) => liesIn(place, wanted));
  // "Paris, Texas" lies where its last part says
  const last = answers.at(-1);
  const hasCountry = group.at(-1)?.kind === "country" || group.at(-1)?.kind === "region";
  const answer =
    hasCountry && last !== "unknown" && answers.length > 1
      ? answers.includes("yes") && last !== "no"
        ? "yes"
        : last
      : answers.includes("yes")
        ? "yes"
        : answers.every((one) => one === "no")
          ? "no"
          : "unknown";
  if (answer === "yes") return "yes";
  // an office elsewhere says nothing against one here
  return answer === "no" && relation === "seat" ? "no" : "unclear";
}
