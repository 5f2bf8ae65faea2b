import { findPlaces, readPlace } from "../entities/places.ts";
import type { EntityKind } from "../entities/entity.ts";

const MAX_CRITERIA = 5;
const MAX_DESCRIPTION = 1_000;
const HEAD: Readonly<Record<EntityKind["type"], RegExp>> = {
  company: /\b(?:compan(?:y|ies)|start-?ups?|firms?|business(?:es)?|organi[sz]ations?)\b/i,
  person: /\b(?:people|persons?)\b/i,
  article: /\b(?:articles?|news|blog ?posts?|posts?|stories)\b/i,
  research_paper: /\b(?:(?:research |scientific |academic )?papers?|preprints?|studies|publications?)\b/i,
  custom: /(?!)/,
};

/** The conditions that a query's words put: one criterion each, in the words of the query; at least one, at most five. */
export function deriveCriteria(query: string, entity: EntityKind): readonly { readonly description: string }[] {
  const bare = query
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/\s+/g, " ")
    .replace(
      /^\s*(?:please\s+)?(?:find|list|show|get|give me|search for|i(?:'m| am) looking for|looking for|i need|which|what are|what|who are)\s+(?:me\s+)?(?:all\s+|some\s+|the\s+|every\s+)*/i,
      "",
    )
    .replace(/^who\s+(?=\p{L})/iu, "")
    .replace(/(?<![?.!\s])[?.!\s]+$/, "")
    .replace(/(?<!\s)\s+(?:from|on|at|in|of|by)$/i, "")
    .trim();
  const parts = splitConditions(bare).flatMap(splitPlace);
  const head = parts[0] ?? bare;
  const criteria = [...headCriteria(head, entity), ...parts.slice(1).map(tidy)].filter((one) => one.length >= 3);
  const unique = criteria.filter(
    (one, index) => criteria.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === index,
  );
  const kept = unique.length === 0 ? [bare === "" ? query.trim() : bare] : unique;
  return kept.slice(0, MAX_CRITERIA).map((description) => ({ description: description.slice(0, MAX_DESCRIPTION) }));
}

const CONDITION =
  /\s?(?:,|;)?\s?\b(?:and\s)?(?=(?:that|which|who|whose)\s+\p{L}|(?:founded|established|started|launched|incorporated)\s+(?:in|after|before|since|between|by)|(?:based|headquartered|located)\s+(?:in|near|at|outside)|with\s+(?:more|fewer|less|over|under|at least|between|an?\s|\d|no\s)|(?:published|written|posted)\s+(?:in|after|before|since|by|between|within)|(?:raised|raising)\s|(?:employing|using|offering|making|selling|building|working)\s|(?:has|have|is|are|does|do|offers?|makes?|raised|uses?|employs?)\s+\p{L}|(?:more|fewer|less) than\s+\d)/giu;

/** Cuts before words that begin a condition: "that", "founded after", "based in", "with more than". */
function splitConditions(text: string): readonly string[] {
  // a long run of blanks could be shared out in too many ways
  const [head = "", ...rest] = text.replaceAll(/\s{2,}/g, " ").split(CONDITION);
  const joined: string[] = [head];
  for (const part of rest) {
    // "that" alone leads to the next part
    const last = joined.at(-1) ?? "";
    if (
      joined.length > 1 &&
      /^(?:that|which|who|whose|and|with|are|is|have|has)(?:\s+(?:are|is|have|has|were|was))?$/i.test(last.trim())
    )
      joined[joined.length - 1] = `${last} ${part}`;
    else if (part.trim() !== "") joined.push(part);
  }
  return joined;
}

/** "make heat pumps in Europe" asks for two things; "based in Europe" for one. */
function splitPlace(part: string, index: number): readonly string[] {
  if (index === 0 || /\b(?:based|headquartered|located|offices?|published|founded)\b/i.test(part)) return [part];
  const found = /(?<!\s)\s+in\s+(?:the\s+)?(\p{Lu}[\p{L}\s.'’-]{0,80})$/u.exec(part);
  const place = found?.[1];
  if (found === null || place === undefined || readPlace(place) === undefined) return [part];
  return [part.slice(0, found.index), `based in ${place}`];
}

/** The head names the kind, and often more: "German AI startups" asks for Germany and for AI. */
function headCriteria(head: string, entity: EntityKind): readonly string[] {
  const criteria: string[] = [];
  let rest = head.trim();
  const places = findPlaces(rest);
  const inPlace = /(?<!\s)\s+(?:in|from|near|across|throughout)\s+(?:the\s+)?(\p{Lu}[\p{L}\s.'’-]{0,80})$/u.exec(rest);
  if (inPlace !== null) rest = rest.slice(0, inPlace.index);
  const adjective = places.find(({ kind }) => kind === "demonym");
  if (adjective !== undefined) rest = rest.replace(adjective.name, " ");
  const kind = HEAD[entity.type];
  const about = rest
    .replace(kind, " ")
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:the|all|any|some|top|best|\d+)\s+/i, "")
    .replace(/^(?:of|for|about|on|in)\s+/i, "")
    .trim();
  if (about.length >= 2) criteria.push(headSentence(about, entity));
  if (inPlace?.[1] !== undefined)
    criteria.push(`${entity.type === "person" ? "based" : "headquartered"} in ${inPlace[1].trim()}`);
  else if (adjective !== undefined)
    criteria.push(`${entity.type === "person" ? "based" : "headquartered"} in ${placeOf(adjective)}`);
  return criteria;
}

function placeOf(adjective: { readonly name: string; readonly countries: ReadonlySet<string> }): string {
  const [only] = adjective.countries;
  if (adjective.countries.size === 1 && only !== undefined)
    return new Intl.DisplayNames(["en"], { type: "region" }).of(only) ?? adjective.name;
  return adjective.name === "European"
    ? "Europe"
    : adjective.name === "Asian"
      ? "Asia"
      : adjective.name === "African"
        ? "Africa"
        : adjective.name === "Nordic"
          ? "Nordics"
          : "Scandinavia";
}

function headSentence(about: string, entity: EntityKind): string {
  switch (entity.type) {
    case "company":
      return /\b(?:makers?|manufacturers?|providers?|suppliers?|agenc|banks?|studios?|firms?)\b/i.test(about)
        ? about
        : `works in ${about}`;
    case "person":
      return about;
    case "article":
    case "research_paper":
      return `is about ${about.replace(/^(?:about|on|discussing|covering)\s+/i, "")}`;
    case "custom":
      return about;
  }
}

function tidy(part: string): string {
  return part
    .trim()
    .replace(/^(?:and|that|which|who)\s+/i, "")
    .replace(/^(?:are|were)\s+(?=founded|based|headquartered|located|published)/i, "")
    .replace(/^have\b/i, "has")
    .replace(
      /^(?:make|offer|provide|sell|use|build|develop|employ|manufacture|produce)\b/i,
      (verb) => `${verb.toLowerCase()}s`,
    )
    .replace(/^with\s+(?=(?:more|fewer|less|over|under|at least|between|\d|an?\s|no\s))/i, "has ")
    .replace(/(?<![,;\s])[,;\s]+(?:and)?$/i, "")
    .trim();
}
