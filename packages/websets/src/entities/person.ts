import { isUrl } from "@quarry/base";
import type { PageText } from "../evidence.ts";
import type { Entity, PersonFields } from "./entity.ts";
import { firstLines } from "./first-lines.ts";
import { absoluteUrl, canonicalAddress } from "./page-urls.ts";
import { itemsIn, openGraph, structuredItems, textIn, textsIn, type StructuredItem } from "./structured-items.ts";

/** The people that pages are about: profiles, biographies, pages that begin with a name. */
export function findPeople(pages: readonly PageText[]): readonly Entity[] {
  return pages.flatMap((page) => personOf(page) ?? []);
}

function personOf(page: PageText): Entity | undefined {
  const items = structuredItems(page);
  const isArticle = items.some(({ types }) => types.some((type) => /Article|BlogPosting/.test(type)));
  const main = items.find(({ types }) => types.includes("ProfilePage"));
  const person =
    itemsIn(main, "mainEntity").find(isPerson) ??
    (isArticle ? undefined : items.find((item) => isPerson(item) && textIn(item, "name") !== null));
  const titled = readTitle(page.title ?? "");
  const called = textIn(person, "name") ?? profileName(page) ?? titled?.name ?? leadingName(page.text);
  const name = called?.replace(HONORIFICS, "");
  if (called === undefined || name === undefined || !looksLikePerson(name)) return undefined;
  const employer = itemsIn(person, "worksFor")[0];
  const stated = statedPosition(page.text, name);
  const company = textIn(person, "worksFor") ?? titled?.company ?? stated?.company ?? null;
  const position = textIn(person, "jobTitle") ?? titled?.position ?? stated?.position ?? null;
  const address = itemsIn(person, "address")[0];
  const location =
    address === undefined
      ? textIn(person, "address", "homeLocation")
      : [textIn(address, "addressLocality"), textIn(address, "addressCountry")]
          .filter((one) => one !== null)
          .join(", ") || null;
  const fields: PersonFields = {
    name,
    location,
    position,
    company: company === null ? null : { name: company, location: textIn(employer, "address") },
    pictureUrl: absoluteUrl(textIn(person, "image") ?? page.image, page.url),
    workHistory:
      company === null && position === null
        ? []
        : [
            {
              title: position,
              location: null,
              dates: null,
              company: company === null ? null : { id: null, name: company, linkedinUrl: null },
            },
          ],
    educationHistory: textsIn(person, "alumniOf").map((school) => ({
      degree: null,
      dates: null,
      institution: { id: null, name: school, linkedinUrl: null },
    })),
  };
  const surname = name.split(/\s+/).at(-1) ?? name;
  const links = [...textsIn(person, "sameAs"), textIn(person, "url")].filter((url) => url !== null && isUrl(url));
  return {
    type: "person",
    name,
    aliases: [...(called === name ? [] : [called]), ...(surname.length >= 3 && surname !== name ? [surname] : [])],
    url: page.url,
    properties: {
      type: "person",
      url: page.url,
      description: textIn(person, "description") ?? firstLines(page),
      person: fields,
    },
    pages: [page.url],
    key: `person:${canonicalAddress(page.url)}`,
    // people of one name are many: the name joins pages only together with the employer
    sameAs: [
      `page:${canonicalAddress(page.url)}`,
      ...links.map((url) => `page:${canonicalAddress(url ?? "")}`),
      ...(company === null ? [] : [`name:${plain(name)}@${plain(company)}`]),
    ],
  };
}

/** "Prof. Dr." stands before a name and is none of it: sentences say it without. */
const HONORIFICS =
  /^(?:(?:Prof|Professor|Dr|Mr|Mrs|Ms|Mx|Sir|Dame|Herr|Frau|Ing|Mag)(?:\.|(?=\s))\s*(?:(?:h\.\s?c|med|rer\.\s?nat|phil|jur)\.\s*)?)+/u;

function isPerson(item: StructuredItem): boolean {
  return item.types.includes("Person");
}

function profileName(page: PageText): string | undefined {
  const graph = openGraph(page);
  const names = [graph["profile:first_name"], graph["profile:last_name"]].filter((one) => one !== undefined);
  return names.length === 2 ? names.join(" ") : undefined;
}

/** "Ada Lovelace - Chief Analyst - Analytical Engines | LinkedIn", "Ada Lovelace, Chief Analyst at Analytical Engines". */
function readTitle(
  title: string,
): { readonly name: string; readonly position: string | null; readonly company: string | null } | undefined {
  const bare = title
    .replaceAll(/\s{2,}/g, " ")
    .replace(/\s?[|–-]\s?LinkedIn.*$/is, "")
    .trim();
  const named = cutAt(bare, /(?:,|\s[|–—-])\s/g);
  const placed = named === undefined ? undefined : cutAt(named.after, /\s(?:at|@|of)\s/g);
  if (named !== undefined && placed !== undefined && placed.after !== "") {
    const company = cutAt(placed.after, /\s[|–—-]/g)?.before ?? placed.after;
    return { name: named.before, position: placed.before, company };
  }
  const parts = bare.split(/(?<!\s)\s+[|–—-]\s+/);
  const [name, position, company] = parts;
  return name === undefined || name === ""
    ? undefined
    : {
        name,
        position: parts.length >= 3 ? (position ?? null) : null,
        company: parts.length >= 3 ? (company ?? null) : null,
      };
}

/** Before and after the first place that a pattern finds, where something is before it. One pattern for all three cuts would take the cube of a title's length. */
function cutAt(text: string, separator: RegExp): { readonly before: string; readonly after: string } | undefined {
  separator.lastIndex = 1;
  const found = separator.exec(text);
  if (found === null) return undefined;
  return { before: text.slice(0, found.index), after: text.slice(found.index + found[0].length) };
}

function leadingName(text: string): string | undefined {
  return /^\s*((?:(?:Dr|Prof|Mr|Mrs|Ms)\.?\s+)?\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}\.)?(?:\s+(?:(?:de|van|von|bin|al|la|der)\s+)?\p{Lu}[\p{L}'’-]+){1,3})\s+(?:is|was|likes|works|leads|has|joined|serves|\p{Ll}+s)\b/u.exec(
    text,
  )?.[1];
}

function looksLikePerson(name: string): boolean {
  return (
    /^(?:\p{L}+\.?\s+)?\p{Lu}[\p{L}'’.-]*(?:\s+(?:(?:de|van|von|bin|al|la|der|da|dos)\s+)*\p{Lu}[\p{L}'’.-]*){1,4}$/u.test(
      name.trim(),
    ) &&
    !/\b(?:Inc|GmbH|Ltd|LLC|University|Institute|About|Team|Home|Contact|Welcome|News|The|Our|Company|Group)\b/.test(
      name,
    )
  );
}

function statedPosition(
  text: string,
  name: string,
): { readonly position: string; readonly company: string | null } | undefined {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(
    `${escaped}\\sis\\s(?:an?|the|our)\\s([\\p{L} ,&-]{3,60}?)\\s(?:at|of|for)\\s(\\p{Lu}[\\p{L}\\p{N}&'’.-]*(?:\\s\\p{Lu}[\\p{L}\\p{N}&'’.-]*)*)`,
    "u",
  ).exec(text.slice(0, 5_000).replaceAll(/\s{2,}/g, " ")); // a long run of blanks could be shared out in too many ways
  return found === null
    ? undefined
    : { position: (found[1] ?? "").trim(), company: found[2]?.replace(/\.$/, "") ?? null };
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}
