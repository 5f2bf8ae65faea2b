import { isUrl } from "@quarry/base";
import { isNamedIn, siteOf, spellings, subjectContext } from "../judge/subject.ts";
import { readStatements } from "../judge/statements.ts";
import { withoutLeft } from "../judge/rule-place.ts";
import { findAmounts, findYears, wholeCount } from "../judge/rule-values.ts";
import { readNumbers } from "../extractors/read-numbers.ts";
import type { PageText } from "../evidence.ts";
import type { CompanyFields, Entity, Headquarters } from "./entity.ts";
import { firstLines } from "./first-lines.ts";
import { absoluteUrl, canonicalAddress, homePage } from "./page-urls.ts";
import { findPeople } from "./person.ts";
import { countryName, findPlaces, readPlace } from "./places.ts";
import { itemsIn, openGraph, structuredItems, textIn, textsIn, type StructuredItem } from "./structured-items.ts";

const ORGANIZATION = /^(?:\w*Organization|Corporation|\w*Business|Airline|\w*Store|\w*Agency|Brand)$/;
const ARTICLE = /^(?:\w*Article|BlogPosting|Report)$/;
/** Sites whose pages are each about another company. */
const DIRECTORIES =
  /(?:^|\.)(?:linkedin\.com|crunchbase\.com|wikipedia\.org|bloomberg\.com|glassdoor\.\w+|g2\.com|capterra\.com|pitchbook\.com|ycombinator\.com|producthunt\.com|trustpilot\.com|facebook\.com|instagram\.com|x\.com|twitter\.com|youtube\.com|github\.com|medium\.com|tracxn\.com|zoominfo\.com|owler\.com|angel\.co|wellfound\.com|dnb\.com|yelp\.com)$/i;

/** The companies that pages tell of: one for each site, and one for each page of a directory. */
export function findCompanies(pages: readonly PageText[]): readonly Entity[] {
  const bySite = new Map<string, PageText[]>();
  const single: PageText[] = [];
  for (const page of pages) {
    const site = siteOf(page.url);
    if (site === null || isDirectory(page.url)) single.push(page);
    else bySite.set(site, [...(bySite.get(site) ?? []), page]);
  }
  const companies = [...bySite].flatMap(([site, own]) =>
    own.every(isArticle) || isOfPeople(site, own) ? [] : [companyOfSite(site, own)],
  );
  return [...companies, ...single.flatMap(companyOfDirectory)];
}

/** Whether an address is on a site whose pages are each about another company. */
export function isDirectory(url: string): boolean {
  return isUrl(url) && DIRECTORIES.test(new URL(url).hostname);
}

/** What a newspaper writes is not about the newspaper. */
function isArticle(page: PageText): boolean {
  const types = structuredItems(page).flatMap((item) => item.types);
  return types.some((type) => ARTICLE.test(type)) || openGraph(page)["og:type"] === "article";
}

/**
 * A site of people, each page another's profile, none of which speaks as a company: no home page, no organisation in its data, no "we",
 * and nobody is "at" or "of" it.
 */
function isOfPeople(site: string, pages: readonly PageText[]): boolean {
  const label = (site.split(".")[0] ?? site).replaceAll(/[^\p{L}\p{N}]/gu, "");
  const named = new RegExp(`\\b(?:at|of|for|with|by|joined|founded)\\s(?:the\\s)?${label}(?![\\p{L}])`, "iu");
  return pages.every((page) => {
    const isHome = isUrl(page.url) && new URL(page.url).pathname === "/";
    if (isHome || structuredItems(page).some(isOrganization)) return false;
    if (/\b(?:[Ww]e|[Oo]ur|[Ww]ir|[Nn]ous)\b/u.test(page.text) || named.test(page.text)) return false;
    const [person] = findPeople([page]);
    return person !== undefined && (isProfile(page) || isAboutPerson(page.text, person.name));
  });
}

/** "Kim Abel is a nurse", or "Kim Abel" above a page that speaks of "she" or "I". */
function isAboutPerson(text: string, name: string): boolean {
  const at = text.indexOf(name);
  if (at < 0)
    return /\b(?:I am|I['’]m|[Ss]he|[Hh]e) (?:is|was|works|lives|studied|holds|an?|the)\b|^I am\b/u.test(text);
  const behind = text.slice(at + name.length, at + name.length + 40);
  return (
    /^,?\s+(?:is|was|works|worked|lives|studied|holds|leads|teaches|likes|has)\b/u.test(behind) ||
    /\b(?:[Ss]he|[Hh]e|I|[Hh]er|[Hh]is|[Mm]y)\b/u.test(text)
  );
}

function companyOfSite(site: string, pages: readonly PageText[]): Entity {
  const length = ({ url }: PageText): number => homePage(url).replace("//www.", "//").length * 1_000 + url.length;
  const ordered = [...pages].sort((one, other) => length(one) - length(other));
  const organization = ordered.flatMap(structuredItems).find((item) => isOrganization(item) && belongsTo(item, site));
  const label = site.split(".")[0] ?? site;
  const names = companyNames(ordered, organization, label);
  const name = names[0] ?? label.charAt(0).toUpperCase() + label.slice(1);
  const declared = absoluteUrl(textIn(organization, "url"), `https://${site}/`);
  const url = homePage(
    declared !== null && siteOf(declared) === site ? declared : (ordered[0]?.url ?? `https://${site}/`),
  );
  const aliases = [...new Set([...names.slice(1), ...spellings(name), label])].filter((alias) => alias !== name);
  return toCompany({ name, aliases, url, pages: ordered, organization, identities: [`site:${site}`] });
}

function isOrganization(item: StructuredItem): boolean {
  return item.types.some((type) => ORGANIZATION.test(type));
}

/** An organisation in a site's data may be a customer's or a publisher's: its own names itself by the site. */
function belongsTo(item: StructuredItem, site: string): boolean {
  const url = textIn(item, "url") ?? item.id;
  if (url !== null && isUrl(url)) return siteOf(url) === site;
  return matchesLabel(textIn(item, "name", "legalName") ?? "", site.split(".")[0] ?? site);
}

function companyNames(
  pages: readonly PageText[],
  organization: StructuredItem | undefined,
  label: string,
): readonly string[] {
  const votes = new Map<string, number>();
  const vote = (name: string | null | undefined, weight: number): void => {
    const plain = name?.replaceAll(/\s+/g, " ").trim() ?? "";
    if (plain.length < 2 || plain.length > 60) return;
    votes.set(plain, (votes.get(plain) ?? 0) + weight + (matchesLabel(plain, label) ? 5 : 0));
  };
  vote(textIn(organization, "name"), 8);
  vote(textIn(organization, "legalName", "alternateName"), 2);
  const pattern = labelPattern(label);
  for (const page of pages) {
    vote(page.siteName, 3);
    for (const part of (page.title ?? "").split(/(?<!\s)\s+[|–—·•:»-]\s+|:\s+/))
      if (matchesLabel(part, label)) vote(part, 1);
    for (const [found] of page.text.slice(0, MAX_NAME_TEXT).matchAll(pattern)) vote(found, 0.5);
  }
  const ranked = [...votes].sort((one, other) => other[1] - one[1]).map(([name]) => name);
  return ranked.filter((name, index) => index === 0 || matchesLabel(name, label)).slice(0, MAX_NAMES);
}

const MAX_NAME_TEXT = 20_000;
const MAX_NAMES = 4;

function squash(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** As addresses write what they cannot: "Müller" is "mueller". */
function spellOut(name: string): string {
  return name.replaceAll(/[äöüßøæåÄÖÜØÆÅ]/gu, (letter) => SPELLED_OUT[letter.toLowerCase()] ?? letter);
}

const SPELLED_OUT: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", ø: "oe", æ: "ae", å: "aa" };

function matchesLabel(name: string, label: string): boolean {
  const plain = squash(label);
  return spellings(name).some((one) => squash(one) === plain || squash(spellOut(one)) === plain);
}

/** What a text may have where an address has plain letters. */
const ACCENTED: Readonly<Record<string, string>> = {
  ...{ ae: "(?:a[\\s.&'’-]?e|[äæ])", oe: "(?:o[\\s.&'’-]?e|[öø])", ue: "(?:u[\\s.&'’-]?e|ü)" },
  ...{ ss: "(?:s[\\s.&'’-]?s|ß)", aa: "(?:a[\\s.&'’-]?a|å)" },
  ...{ a: "[aàáâãäå]", c: "[cçćč]", e: "[eèéêëę]", i: "[iìíîï]", n: "[nñń]", o: "[oòóôõöø]" },
  ...{ s: "[sšś]", u: "[uùúûü]", y: "[yýÿ]", z: "[zžźż]" },
};

/** The site's label as a text writes it: "brightforge" as "Brightforge GmbH" or "Bright Forge". */
function labelPattern(label: string): RegExp {
  const letters = (label.match(/ae|oe|ue|ss|aa|[\p{L}\p{N}]/giu) ?? []).map(
    (letter) => ACCENTED[letter.toLowerCase()] ?? letter,
  );
  const name = letters.join("[\\s.&'’-]?");
  return new RegExp(
    `(?<![\\p{L}\\p{N}@./-])(?=\\p{Lu}|\\p{N})${name}(?:,?\\s(?:GmbH|AG|SE|Inc\\.?|Ltd\\.?|Limited|LLC|Corp\\.?|AB|AS|Oy|BV|NV|SA|SAS|Labs|PLC|Co\\.?))?(?![\\p{L}\\p{N}@])(?!\\.\\p{Ll})`,
    "giu",
  );
}

/** A network has pages of people, too. */
function isProfile(page: PageText): boolean {
  if (isUrl(page.url) && /(?:^|\.)linkedin\.com$/i.test(new URL(page.url).hostname))
    return /^\/(?:in|pub)\//i.test(new URL(page.url).pathname);
  return structuredItems(page).some((item) =>
    itemsIn(item, "mainEntity").some(({ types }) => types.includes("Person")),
  );
}

function companyOfDirectory(page: PageText): readonly Entity[] {
  if (isProfile(page)) return [];
  const organization = structuredItems(page).find(
    (item) => isOrganization(item) && !isDirectory(textIn(item, "url") ?? ""),
  );
  const titled = (page.title ?? "").split(/(?<!\s)\s+(?:[|–—·•:-]\s+|\()/)[0]?.trim() ?? "";
  const name = textIn(organization, "name") ?? titled;
  if (name.length < 2) return [];
  const own = absoluteUrl(textIn(organization, "url"), page.url);
  const site = own === null || isDirectory(own) ? null : siteOf(own);
  const links = textsIn(organization, "sameAs").filter((url) => isUrl(url) && !isDirectory(url));
  const sites = [site, ...links.map(siteOf)].filter((one) => one !== null).map((one) => `site:${one}`);
  const url = own !== null && site !== null ? homePage(own) : page.url;
  const identities = [...new Set([...sites, `page:${canonicalAddress(page.url)}`])];
  return [
    toCompany({
      name,
      aliases: spellings(name).filter((one) => one !== name),
      url,
      pages: [page],
      organization,
      identities,
    }),
  ];
}

function toCompany({
  name,
  aliases,
  url,
  pages,
  organization,
  identities,
}: {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly url: string;
  readonly pages: readonly PageText[];
  readonly organization: StructuredItem | undefined;
  readonly identities: readonly string[];
}): Entity {
  const about =
    textIn(organization, "description") ??
    pages.map(({ description }) => description).find((one) => one !== null && one !== undefined) ??
    null;
  const address = itemsIn(organization, "address")[0];
  const stated = statedFacts({ type: "company", name, aliases, url }, pages);
  const headquarters = readAddress(address);
  const company: CompanyFields = {
    name,
    location:
      headquarters === null
        ? stated.location
        : [headquarters.city, headquarters.country].filter((one) => one !== null).join(", ") || null,
    employees:
      readCount(
        textIn(itemsIn(organization, "numberOfEmployees")[0], "value", "minValue") ??
          textIn(organization, "numberOfEmployees"),
      ) ?? stated.employees,
    industry: textIn(organization, "industry", "naics"),
    about,
    logoUrl: absoluteUrl(
      textIn(itemsIn(organization, "logo")[0], "url", "contentUrl") ?? textIn(organization, "logo"),
      url,
    ),
    foundedYear: readYear(textIn(organization, "foundingDate")) ?? stated.foundedYear,
    headquarters,
    financials: null,
    webTraffic: null,
  };
  const best = pages[0];
  return {
    type: "company",
    name,
    aliases,
    url,
    properties: { type: "company", url, description: about ?? firstLines(best), company, content: best?.text ?? null },
    pages: pages.map((page) => page.url),
    key: `company:${identities[0] ?? squash(name)}`,
    sameAs: [...identities, `name:${squash(spellings(name)[1] ?? name)}`],
  };
}

/** What the company's own sentences give plainly. */
function statedFacts(
  entity: Pick<Entity, "type" | "name" | "aliases" | "url">,
  pages: readonly PageText[],
): { readonly foundedYear: number | null; readonly employees: number | null; readonly location: string | null } {
  const context = subjectContext(entity);
  const open = { min: null, max: null };
  let foundedYear: number | null = null;
  let employees: number | null = null;
  let location: string | null = null;
  for (const page of pages) {
    const statements = readStatements(page);
    const base = { text: "", isNegated: false } as const;
    const year = findYears(
      { ...base, kind: "year", event: "founded", eventWord: "founded", range: open },
      statements,
      context,
    ).find((one) => one.trap === undefined);
    foundedYear ??= year?.value ?? null;
    const staff = findAmounts(
      { ...base, kind: "number", unit: "employees", isMoney: false, range: open },
      statements,
      context,
    ).find((one) => one.trap === undefined);
    employees ??= staff?.value === undefined ? null : Math.round(staff.value);
    const seat = statements.find(
      ({ text }) =>
        /\b(?:headquarter|head office|HQ\b|based in)/i.test(text) &&
        !/\b(?:not|until|formerly|previously|no longer)\b/i.test(text) &&
        isNamedIn(text, context),
    );
    if (location === null && seat !== undefined) {
      const named = findPlaces(seat.text).filter(({ kind }) => kind !== "demonym");
      const places = withoutLeft(seat.text, named);
      location =
        places.length === 0
          ? null
          : places
              .slice(0, 2)
              .map((place) => place.name)
              .join(", ");
    }
  }
  return { foundedYear, employees, location };
}

function readAddress(address: StructuredItem | undefined): Headquarters | null {
  if (address === undefined) return null;
  const country = textIn(address, "addressCountry");
  const code =
    country === null
      ? null
      : /^[A-Z]{2}$/.test(country)
        ? country
        : ([...(readPlace(country)?.countries ?? [])][0] ?? null);
  const found = {
    address: textIn(address, "streetAddress"),
    city: textIn(address, "addressLocality"),
    state: textIn(address, "addressRegion"),
    postalCode: textIn(address, "postalCode"),
    country: code === null ? country : countryName(code),
    countryCode: code,
  };
  return Object.values(found).every((one) => one === null) ? null : found;
}

function readCount(text: string | null): number | null {
  const found = text === null ? undefined : readNumbers(text)[0];
  if (text === null || found === undefined || found.value < 0) return null;
  return Math.round(wholeCount(text, found));
}

function readYear(text: string | null): number | null {
  const year = /(?:1[5-9]|20)\d\d/.exec(text ?? "")?.[0];
  return year === undefined ? null : Number(year);
}
