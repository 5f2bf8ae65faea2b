import type { NumberFound } from "./read-numbers.ts";

/** Asks how many work at a company, by one of its words or by its size. */
export const ASKS_STAFF =
  /\b(?:employees?|staff|headcount|workforce|colleagues|people (?:who )?(?:work|employed)|team members)\b|\b(?:company|team|organi[sz]ation|firm) size\b|\bsize of (?:the )?(?:company|team|organi[sz]ation|firm)\b|(?<!\p{L})(?:mitarbeiter|mitarbeitende|beschäftigte|salariés|effectifs?)/iu;

const STAFF =
  "employees?|employ(?:s|ed|ing)?|staff(?:ers)?|team members?|team|headcount|workforce|colleagues|workers|co-?workers|Mitarbeiter(?:innen|in|n)?|Mitarbeitenden?|Mitarbeiterzahl|Beschäftigten?|beschäftig(?:t|en)|Angestellten?|Belegschaft|Köpfen?|salariée?s?|collaborat(?:eurs|rices)|employée?s|effectifs?|équipe";
const PEOPLE = "people|persons?|professionals|strong|Personen|Menschen|personnes";
const WORDS = new RegExp(`(?<![\\p{L}\\p{N}])(?:(?<staff>${STAFF})|(?:${PEOPLE}))(?![\\p{L}\\p{N}])`, "giu");
/** What makes "people" those who work there. */
const AT_WORK =
  /\b(?:work(?:s|ing|force)?|employ(?:s|ed|ing|er)?|team|staff|headcount|colleagues|strong|(?:company|firm|business|studio|agency) of|(?:we|we['’]re|we are) (?:now |currently |about |around |over )?\d|arbeiten|beschäftigen|équipe|compte|emploie|travaillent)\b/iu;

const MAX_BETWEEN = 80;
const MAX_WORDS_BETWEEN = 4;
/** Words that lead from a number to something else: "10 hours per employee". */
const LEADS_AWAY =
  /^(?:per|each|every|and|or|an?|the|our|your|their|its|of|for|to|with|in|by|on|at|who|that|is|are|has|have|pro|je|und|oder|mit|für|im|par|et|ou|de|des|dans|pour)$/i;
const TO_NUMBER =
  /^(?:of|is|are|now|currently|today|about|around|over|some|more|than|nearly|almost|approximately|approx\.?|roughly|numbers|totals|counts|count|size|number|worldwide|globally|total|strong|only|just|us|von|aus|rund|etwa|circa|ca\.?|über|knapp|derzeit|aktuell|insgesamt|zählt|umfasst|wir|de|environ|plus|près|compte|actuellement)$/i;
/** "(2024)", "in total", "has grown from 20 to", "stands at": what may stand between a word and its number. */
const PASSED =
  /\((?:19|20)\d\d\)|\bin total\b|\b(?:(?:has|have) (?:now )?)?(?:grown|grew|expanded|increased|risen|rose)(?: from \d[\d.,]{0,9})? to\b|\b(?:stands|stood) at\b|\bconsists of\b|\bmade up of\b/giu;

/** Whether a number of a sentence says how many work there: it stands right at a word for them. */
export function countsStaff(text: string, number: Pick<NumberFound, "start" | "end">): boolean {
  for (const match of text.matchAll(WORDS)) {
    const start = match.index;
    const end = start + match[0].length;
    const isStaff = match.groups?.["staff"] !== undefined;
    if (!isStaff && !AT_WORK.test(text) && !text.includes("\n")) continue;
    if (number.end <= start && leadsToStaff(text.slice(number.end, start))) return true;
    if (!isStaff || number.start < end || !leadsToNumber(text.slice(end, number.start))) continue;
    // "a team of 45 specialists" are all of it, "Team: 5 offices" are not
    const counted = /^\s([\p{Ll}-]{2,20}s)(?!\p{L})/u.exec(text.slice(number.end))?.[1] ?? "";
    if (counted === "" || isStaffWord(counted) || /^\sof\s/.test(text.slice(end))) return true;
  }
  return false;
}

function leadsToStaff(between: string): boolean {
  if (between.length > MAX_BETWEEN || /[.;:!?|]/.test(between)) return false;
  const words = between.split(/[\s,+–(-]+/).filter((word) => word !== "");
  return (
    words.length <= MAX_WORDS_BETWEEN &&
    words.every((word) => /^\p{Ll}+$/u.test(word) && !LEADS_AWAY.test(word) && !/(?:[^su]s)$/.test(word))
  );
}

function leadsToNumber(between: string): boolean {
  if (between.length > MAX_BETWEEN) return false;
  const words = between
    .replaceAll(PASSED, " ")
    .split(/[\s:|=,()–—~≈>-]+/)
    .filter((word) => word !== "");
  return words.every((word) => TO_NUMBER.test(word) || isStaffWord(word));
}

function isStaffWord(word: string): boolean {
  return [...word.matchAll(WORDS)][0]?.[0].length === word.length;
}
