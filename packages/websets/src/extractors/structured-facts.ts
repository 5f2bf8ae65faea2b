import { isUrl } from "@quarry/base";
import { itemsIn, structuredItems, textIn, textsIn, type StructuredItem } from "../entities/structured-items.ts";
import { findQuote, findWords, type Evidence, type PageText } from "../evidence.ts";
import { siteOf, spellings } from "../judge/subject.ts";
import { rolePattern, type AskedRole } from "./asked-role.ts";
import type { Filled, Filling } from "./filling.ts";
import { firstLine } from "./page-lines.ts";
import { wholeName } from "./person-names.ts";

const ORGANIZATION = /^(?:\w*Organization|Corporation|\w*Business|Airline|\w*Store|\w*Agency|Brand)$/;

/** What a page's structured data says of the entity itself, and the page's words that the value is shown beside. */
export interface OwnItem {
  readonly page: PageText;
  readonly item: StructuredItem;
}

/** The items of structured data that are the entity: by their address, else by their name. */
export function ownItems({ entity, pages }: Pick<Filling, "entity" | "pages">): readonly OwnItem[] {
  const type = entity.type === "person" ? /^Person$/ : ORGANIZATION;
  if (entity.type !== "company" && entity.type !== "person") return [];
  const names = new Set([entity.name, ...entity.aliases].flatMap(spellings).map(plain));
  const site = siteOf(entity.url);
  return pages.flatMap((page) =>
    structuredItems(page)
      .filter((item) => {
        if (!item.types.some((one) => type.test(one))) return false;
        const url = textIn(item, "url") ?? item.id;
        if (entity.type === "company" && url !== null && isUrl(url) && siteOf(url) === site) return true;
        return spellings(textIn(item, "name", "legalName") ?? "").some((name) => names.has(plain(name)));
      })
      .map((item) => ({ page, item })),
  );
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** A value of structured data: with the words of the page that show it, else with those by which the page names itself. */
export function structuredValue(page: PageText, name: string, value: string): Filled | undefined {
  // a year or a count may stand anywhere for anything
  const shown = /\p{L}/u.test(value) ? findWords(page, value) : undefined;
  const quote: Evidence | undefined =
    shown ?? (page.title === null ? undefined : findQuote(page, page.title)) ?? firstLine(page);
  if (quote === undefined) return undefined;
  const rule = shown === undefined ? `structured data of the page, ${name}` : `structured data, shown in the text`;
  return { result: [value], rule, references: [quote], isBeside: shown === undefined };
}

/** A field of the entity's own structured data, as written there: of its own, or of its contact points. */
export function ownField(filling: Pick<Filling, "entity" | "pages">, name: string): Filled | undefined {
  for (const { page, item } of ownItems(filling)) {
    const written = [item, ...itemsIn(item, "contactPoint")]
      .map((one) => textIn(one, name))
      .find((one) => one !== null);
    const filled = typeof written !== "string" ? undefined : structuredValue(page, name, written);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/** The items that tell of the entity: of a company or a person its own, of a text or a thing all that its pages have. */
export function itemsAbout(filling: Pick<Filling, "entity" | "pages">): readonly OwnItem[] {
  const { entity, pages } = filling;
  return entity.type === "company" || entity.type === "person"
    ? ownItems(filling)
    : pages.flatMap((page) => structuredItems(page).map((item) => ({ page, item })));
}

/** How many work at a company, as its structured data says; a range is no number. */
export function ownStaff(filling: Pick<Filling, "entity" | "pages">): Filled | undefined {
  for (const { page, item } of ownItems(filling)) {
    const [range] = itemsIn(item, "numberOfEmployees");
    const written = textIn(range, "value") ?? (range === undefined ? textIn(item, "numberOfEmployees") : null);
    const value = /^\d{1,3}(?:[,.' ]?\d{3})*$/.exec(written ?? "")?.[0].replaceAll(/\D/g, "");
    const filled = value === undefined ? undefined : structuredValue(page, "numberOfEmployees", value);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/** The day, month or year a company was founded, as its structured data says. */
export function ownFounding(filling: Pick<Filling, "entity" | "pages">): Filled | undefined {
  for (const { page, item } of ownItems(filling)) {
    const date = /^\d{4}(?:-\d{2}(?:-\d{2})?)?(?![\d-])/.exec(textIn(item, "foundingDate") ?? "")?.[0];
    const filled = date === undefined ? undefined : structuredValue(page, "foundingDate", date);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/** Where a company sits, on one line. */
export function ownAddress(filling: Pick<Filling, "entity" | "pages">): Filled | undefined {
  for (const { page, item } of ownItems(filling)) {
    const [place] = itemsIn(item, "address");
    const town = [textIn(place, "postalCode"), textIn(place, "addressLocality")]
      .filter((one) => one !== null)
      .join(" ");
    const parts = [
      textIn(place, "streetAddress"),
      town,
      textIn(place, "addressRegion"),
      textIn(place, "addressCountry"),
    ];
    const address =
      place === undefined ? textIn(item, "address") : parts.filter((one) => one !== null && one !== "").join(", ");
    const filled = address === null || address === "" ? undefined : structuredValue(page, "address", address);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

/** Addresses of an entity's profiles on networks. */
export function ownProfiles(
  filling: Pick<Filling, "entity" | "pages">,
): readonly { readonly page: PageText; readonly url: string }[] {
  return itemsAbout(filling).flatMap(({ page, item }) => textsIn(item, "sameAs").map((url) => ({ page, url })));
}

/** The people whom structured data gives a role at a company. */
export function ownRole(filling: Pick<Filling, "entity" | "pages">, asked: AskedRole): Filled | undefined {
  for (const family of asked.families) {
    const pattern = rolePattern(family);
    const holds = (title: string): boolean => {
      const found = [...title.matchAll(pattern)][0];
      return found !== undefined && !/\b(?:vice|deputy|assistant|former|ex|to the)\b/i.test(title);
    };
    for (const { page, item } of ownItems(filling)) {
      const founders = holds("founder") ? itemsIn(item, "founder").concat(itemsIn(item, "founders")) : [];
      const titled = ["employee", "employees", "founder", "founders", "member"]
        .flatMap((name) => itemsIn(item, name))
        .filter((one) => holds(textIn(one, "jobTitle") ?? ""));
      const names = [...founders, ...titled].flatMap((one) => wholeName(textIn(one, "name") ?? "") ?? []);
      const [first] = names;
      const filled = first === undefined ? undefined : structuredValue(page, "jobTitle", first);
      if (filled !== undefined)
        return { ...filled, result: family.isShared === true ? [...new Set(names)] : filled.result };
    }
  }
  return undefined;
}
