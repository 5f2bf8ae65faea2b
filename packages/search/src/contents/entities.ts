import { createHash } from "node:crypto";
import type { SearchResult } from "@quarry/contract";
import type { ContentPage } from "./content-page.ts";

type Entity = NonNullable<SearchResult["entities"]>[number];
type Item = Readonly<Record<string, unknown>>;

/** The categories whose results carry entities, and the kinds of structured data that tell of them. */
const KINDS: Readonly<Record<string, { readonly type: Entity["type"]; readonly kinds: RegExp }>> = {
  company: { type: "company", kinds: /^(?:\w*Organization|Corporation|\w*Business|Airline|NewsMediaOrganization)$/ },
  people: { type: "person", kinds: /^(?:Person|ProfilePage)$/ },
  publication: { type: "publication", kinds: /^(?:ScholarlyArticle|\w*Article|Book|Dataset|Report|Thesis)$/ },
};
const MAX_ENTITIES = 3;

/** Whether results of a category carry entities. */
export function hasEntities(category: string | undefined): boolean {
  return category !== undefined && kindOf(category) in KINDS;
}

/** What the page's structured data says of the company, person or publication it is about; nothing is guessed. */
export function readEntities(page: ContentPage, category: string): readonly Entity[] {
  const wanted = KINDS[kindOf(category)];
  if (wanted === undefined) return [];
  const items = (page.details.structuredData ?? []).flatMap((entry) => itemsOf(entry));
  return items
    .filter((item) => typesOf(item).some((type) => wanted.kinds.test(type)))
    .flatMap((item) => toEntity(page, wanted.type, item))
    .slice(0, MAX_ENTITIES);
}

function kindOf(category: string): string {
  const name = category.trim().toLowerCase();
  if (name === "research paper") return "publication";
  return name === "linkedin profile" ? "people" : name;
}

/** JSON-LD items, also those inside `@graph` and `mainEntity`. */
function itemsOf(entry: unknown): readonly Item[] {
  if (!isItem(entry) || entry["format"] !== "json-ld" || !isItem(entry["item"])) return [];
  const top = entry["item"];
  const inner = [top["@graph"], top["mainEntity"]].flat().filter(isItem);
  return [top, ...inner];
}

function toEntity(page: ContentPage, type: Entity["type"], item: Item): readonly Entity[] {
  const name = textOf(item["name"]) ?? textOf(item["headline"]);
  if (name === null) return [];
  const properties = PROPERTIES[type](item, name);
  const hash = createHash("sha256").update(`${type}\n${page.url}\n${name}`).digest("hex").slice(0, 16);
  const id = textOf(item["@id"]) ?? textOf(item["url"]) ?? `${page.url}#${type}-${hash}`;
  return [{ id, type, version: 1, properties }];
}

const PROPERTIES: Readonly<Record<Entity["type"], (item: Item, name: string) => Item>> = {
  company: (item, name) => {
    const address = isItem(item["address"]) ? item["address"] : undefined;
    const staff = isItem(item["numberOfEmployees"]) ? item["numberOfEmployees"]["value"] : item["numberOfEmployees"];
    return {
      name,
      foundedYear: yearOf(item["foundingDate"]),
      description: textOf(item["description"]),
      workforce: numberOf(staff) === null ? null : { total: numberOf(staff) },
      headquarters:
        address === undefined
          ? null
          : {
              address: textOf(address["streetAddress"]),
              city: textOf(address["addressLocality"]),
              postalCode: textOf(address["postalCode"]),
              country: textOf(address["addressCountry"]),
            },
    };
  },
  person: (item, name) => {
    const employer = [item["worksFor"]].flat().filter(isItem)[0];
    const title = textOf(item["jobTitle"]);
    return {
      name,
      firstName: textOf(item["givenName"]),
      lastName: textOf(item["familyName"]),
      location: isItem(item["address"]) ? textOf(item["address"]["addressLocality"]) : textOf(item["address"]),
      workHistory:
        title === null && employer === undefined
          ? []
          : [
              {
                title,
                location: null,
                dates: null,
                company: employer === undefined ? null : { id: null, name: textOf(employer["name"]) },
              },
            ],
    };
  },
  publication: (item, name) => ({
    title: name,
    abstract: textOf(item["abstract"]) ?? textOf(item["description"]),
    authors: [item["author"]].flat().flatMap((author: unknown) => {
      const written = isItem(author) ? textOf(author["name"]) : textOf(author);
      return written === null ? [] : [{ id: null, name: written }];
    }),
    date: textOf(item["datePublished"]),
    year: yearOf(item["datePublished"]),
    language: textOf(item["inLanguage"]),
  }),
};

function typesOf(item: Item): readonly string[] {
  return [item["@type"]].flat().filter((type) => typeof type === "string");
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 2_000) : null;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === "string" ? Number(value.replaceAll(",", "")) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function yearOf(value: unknown): number | null {
  const year = /^\d{4}/.exec(textOf(value) ?? "")?.[0];
  return year === undefined ? null : Number(year);
}
