import { LAYOUTS } from "./mini-web-layouts.ts";
import { DEV_SENTENCES, TEST_SENTENCES, type StatementKind, type Topic } from "./mini-web-sentences.ts";
import { FIRST_PARTS, PLACES, PRODUCTS, SECOND_PARTS, SUFFIXES } from "./mini-web-words.ts";
import { createRandom, type Random } from "./random.ts";

/** A criterion of the made-up web, and which companies' pages state that they meet it. */
export interface MiniWebCriterion {
  readonly description: string;
  /** Hosts of the companies that meet it and say so. */
  readonly met: ReadonlySet<string>;
}

/** Pages of made-up companies, with what is true of them. */
export interface MiniWeb {
  readonly pages: readonly { readonly url: string; readonly html: string }[];
  readonly companies: readonly { readonly name: string; readonly host: string }[];
  readonly criteria: readonly MiniWebCriterion[];
  /** How many pages carry a statement that is negated, about another company, or outdated. */
  readonly trappedPages: number;
}

/** What of it is made. */
export interface MiniWebWish {
  readonly seed: number;
  readonly templates: "dev" | "test";
  readonly companies: number;
}

const PAGES = [
  { path: "", heading: "Welcome", lead: "Good engineering for people who depend on it." },
  { path: "about", heading: "About us", lead: "Who we are, where we come from, and what we care about." },
  { path: "company/facts", heading: "Facts and figures", lead: "The short version for journalists and partners." },
] as const;
const TOPICS: readonly Topic[] = ["founded", "place", "employees", "funding", "certified", "api", "product"];
const TRAPS: readonly StatementKind[] = ["negated", "other-entity", "outdated"];
/** How often a page of a company has a trap on it. */
const TRAP_SHARE = 0.4;

/** Makes a web of companies, three messy pages each, from a seed. */
export function makeMiniWeb({ seed, templates, companies: count }: MiniWebWish): MiniWeb {
  const random = createRandom(seed);
  const names = random
    .shuffle(FIRST_PARTS.flatMap((first) => SECOND_PARTS.map((second) => `${first}${second}`)))
    .slice(0, count);
  const companies = names.map((name) => makeCompany(name, random));
  const pages: { url: string; html: string }[] = [];
  let trappedPages = 0;
  for (const company of companies) {
    const others = random.take(companies, 4).filter((other) => other !== company);
    const plan = planStatements(company, others, { random, templates });
    for (const [index, page] of PAGES.entries()) {
      const mine = plan.filter((one) => one.page === index);
      if (mine.some(({ kind }) => kind !== "stated")) trappedPages += 1;
      const html = random.pick(LAYOUTS[templates])({
        company: company.name,
        heading: page.heading,
        lead: page.lead,
        statements: mine.map(({ text }) => text),
        others: others.map(({ name }) => name),
        jsonLd: { "@context": "https://schema.org", "@type": "Organization", name: company.name, url: company.url },
        random,
      });
      pages.push({ url: `${company.url}${page.path}`, html });
    }
  }
  return {
    pages: random.shuffle(pages),
    companies: companies.map(({ name, host }) => ({ name, host })),
    criteria: CRITERIA.map(({ description, topic, isMet }) => ({
      description,
      met: new Set(companies.filter((one) => one.stated.has(topic) && isMet(one)).map(({ host }) => host)),
    })),
    trappedPages,
  };
}

interface Company {
  readonly name: string;
  readonly host: string;
  readonly url: string;
  readonly year: number;
  readonly place: (typeof PLACES)[number];
  readonly employees: number;
  readonly millions: number;
  readonly product: string;
  /** Topics its pages speak the truth about. */
  readonly stated: ReadonlySet<Topic>;
}

const CRITERIA: readonly {
  readonly description: string;
  readonly topic: Topic;
  readonly isMet: (company: Company) => boolean;
}[] = [
  { description: "founded after 2015", topic: "founded", isMet: ({ year }) => year > 2015 },
  { description: "headquartered in Germany", topic: "place", isMet: ({ place }) => place.country === "Germany" },
  { description: "has more than 200 employees", topic: "employees", isMet: ({ employees }) => employees > 200 },
  { description: "raised over $10 million", topic: "funding", isMet: ({ millions }) => millions > 10 },
  { description: "is ISO 27001 certified", topic: "certified", isMet: () => true },
  { description: "offers a public API", topic: "api", isMet: () => true },
  { description: "makes heat pumps", topic: "product", isMet: ({ product }) => product === "heat pumps" },
];

function makeCompany(stem: string, random: Random): Company {
  const host = `www.${stem.toLowerCase()}.example`;
  return {
    name: `${stem}${random.pick(SUFFIXES)}`,
    host,
    url: `https://${host}/`,
    year: 1990 + random.below(35),
    place: random.pick(random.next() < 0.4 ? PLACES.filter(({ country }) => country === "Germany") : PLACES),
    employees: random.next() < 0.5 ? 20 + random.below(180) : 205 + random.below(4_000),
    millions: random.next() < 0.5 ? 1 + random.below(9) : 11 + random.below(90),
    product: random.next() < 0.4 ? "heat pumps" : random.pick(PRODUCTS),
    stated: new Set(TOPICS.filter(() => random.next() < 0.6)),
  };
}

interface Statement {
  readonly page: number;
  readonly kind: StatementKind;
  readonly text: string;
}

/** The truth where the company states it; traps only where it does not, so that the truth stays known. */
function planStatements(
  company: Company,
  others: readonly Company[],
  { random, templates }: { readonly random: Random; readonly templates: "dev" | "test" },
): readonly Statement[] {
  const table = templates === "dev" ? DEV_SENTENCES : TEST_SENTENCES;
  const other = random.pick(others).name;
  const stated = TOPICS.filter((topic) => company.stated.has(topic)).map((topic) => ({
    page: random.below(PAGES.length),
    kind: "stated" as const,
    text: fill(random.pick(table[topic].stated), company, { other, random }),
  }));
  const unstated = TOPICS.filter((topic) => !company.stated.has(topic));
  const traps = PAGES.flatMap((_, page) => {
    const topic = unstated.length === 0 ? undefined : random.pick(unstated);
    if (topic === undefined || random.next() >= TRAP_SHARE) return [];
    const kind = random.pick(TRAPS);
    return [{ page, kind, text: fill(random.pick(table[topic][kind]), tempting(company), { other, random }) }];
  });
  return [...stated, ...traps];
}

/** A trap names values that would meet the criteria. */
function tempting(company: Company): Company {
  const place = PLACES[0] ?? company.place;
  return { ...company, year: 2019, place, employees: 840, millions: 55, product: "heat pumps" };
}

function fill(
  template: string,
  company: Company,
  { other, random }: { readonly other: string; readonly random: Random },
): string {
  const { employees, millions } = company;
  const holes: Readonly<Record<string, string>> = {
    name: company.name,
    other,
    year: String(company.year),
    city: company.place.city,
    country: company.place.country,
    count: random.next() < 0.5 ? employees.toLocaleString("en-US") : String(employees),
    money: random.pick([
      `$${millions} million`,
      `$${millions}M`,
      `US$${millions},000,000`,
      `${millions} million dollars`,
    ]),
    product: company.product,
  };
  return template.replaceAll(/\{(\w+)\}/g, (_, hole: string) => holes[hole] ?? "");
}
