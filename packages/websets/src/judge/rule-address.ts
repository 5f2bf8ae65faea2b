import { isUrl } from "@quarry/base";
import { findPlaces } from "../entities/places.ts";
import type { PageText } from "../evidence.ts";
import type { Finding } from "./finding.ts";
import type { Condition } from "./read-criterion.ts";
import { judgePlaces, unreadOfPlace } from "./rule-place.ts";
import type { Statement } from "./statements.ts";
import type { SubjectContext } from "./subject.ts";

const OWN_PAGES = /contact|kontakt|imprint|impressum|legal|mentions|about|ueber-uns|company|^\/?$/i;
const LABEL =
  /^[^\p{L}\n]{0,6}(?:(?:our|postal|mailing|business|company|registered|main|office)\s){0,2}(?:address|headquarters|head office|registered office|imprint|impressum|anschrift|postanschrift|adresse|legal notice|mentions légales|visit us|siège(?: social)?|hauptsitz)(?![\p{L}-])/iu;
const POSTAL_CODE =
  /(?<![\p{L}\p{N}.,/+-])(?:(?:D|A|CH|F|B|NL)-)?\d{4,5}(?![\p{N}/-])|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b/u;
const MAX_LINES = 3_000;
const MAX_ADDRESS = 220;
const MAX_DISTANCE = 40;
/** A word on the seat speaks louder, whatever it says. */
const WEIGHT = 0.6;

/**
 * The postal address that a company's own contact or imprint page gives under such a heading: a hint at where it sits. Addresses
 * here and elsewhere contradict each other.
 */
export function findAddresses(
  condition: Condition & { readonly kind: "place" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const page = statements[0]?.page;
  if (page === undefined || condition.relation !== "seat" || context.names === null || !context.isOwn(page)) return [];
  if (unreadOfPlace(condition, context).length > 0) return [];
  if (!isUrl(page.url) || !OWN_PAGES.test(new URL(page.url).pathname)) return [];
  const answers = addressesOf(page).map((address) => {
    const code = POSTAL_CODE.exec(address.text);
    const places = findPlaces(address.text).filter(
      ({ kind, start, end }) =>
        kind !== "demonym" &&
        code !== null &&
        Math.max(start - code.index - code[0].length, code.index - end) <= MAX_DISTANCE,
    );
    return {
      address,
      places,
      satisfied: places.length === 0 ? "unclear" : judgePlaces(places, condition.places, "seat"),
    };
  });
  // an address elsewhere may be of a branch
  if (!answers.some(({ satisfied }) => satisfied === "yes")) return [];
  return answers.flatMap(({ address, places, satisfied }) => {
    if (satisfied === "unclear") return [];
    const why = `it gives an address in ${places.map(({ name }) => name).join(", ")}`;
    return [{ statement: address, satisfied, why, weight: WEIGHT, isHint: true }];
  });
}

/** A heading or label of an address with the lines behind it. */
function addressesOf(page: PageText): readonly Statement[] {
  const found: Statement[] = [];
  let start = 0;
  for (const line of page.text.split("\n", MAX_LINES)) {
    const label = start < (found.at(-1)?.end ?? 0) ? null : LABEL.exec(line);
    if (label !== null) {
      const text = page.text.slice(start, start + MAX_ADDRESS);
      const code = POSTAL_CODE.exec(text);
      const rest = code === null ? -1 : text.indexOf("\n", code.index + code[0].length);
      // the line behind the code may name the country
      const next = rest < 0 ? -1 : text.indexOf("\n", rest + 1);
      const isCountry =
        rest >= 0 && findPlaces(text.slice(rest + 1, next < 0 ? text.length : next))[0]?.kind === "country";
      const length = rest < 0 ? text.length : isCountry ? (next < 0 ? text.length : next) : rest;
      if (code !== null)
        found.push({ page, start, end: start + length, text: text.slice(0, length), label: label[0].trim(), index: 0 });
    }
    start += line.length + 1;
  }
  return found;
}
