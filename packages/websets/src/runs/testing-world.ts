import { makeId } from "@quarry/base";
import { createWebsetSchema, createWebsetSearchSchema, PRICE_LISTS, type WebsetWire } from "@quarry/contract";
import { ensureFirstTeam, listEvents, startJobRunner, type Database } from "@quarry/store";
import { expect } from "vitest";
import type { z } from "zod";
import type { Entity } from "../entities/entity.ts";
import { quoteAt, type Evidence, type PageText } from "../evidence.ts";
import { createWebset } from "./create-webset.ts";
import type { Judges } from "./judges.ts";
import { readWebset } from "./read-websets.ts";
import type { StoredPage, WebsetsDeps } from "./websets-deps.ts";
import { createWebsetJobHandlers } from "./websets-jobs.ts";

/** A company of the small web: one page, and the words on it. */
export interface TestCompany {
  readonly name: string;
  readonly says: string;
}

/** The page of a company. */
export function pageOf({ name, says }: TestCompany): StoredPage {
  const text = `${name} is a company. ${says}`;
  return {
    url: urlOf(name),
    title: name,
    text,
    snapshotId: Buffer.from(name).toString("hex").padEnd(64, "0").slice(0, 64),
    extractorVersion: "1",
  };
}

/** The address of a company. */
export function urlOf(name: string): string {
  return `https://${name.toLowerCase()}.example/`;
}

/** Judges by rote: a page has a criterion when it has its words, and a cell is the word after the enrichment's. */
export const ROTE_JUDGES: Judges = {
  understandQuery: ({ query, entity, criteria }) =>
    Promise.resolve(
      query.trim() === "?"
        ? { kind: "not-understood", reason: "there are no words in the query" }
        : {
            kind: "understood",
            entity: entity ?? { type: "company" },
            criteria: criteria ?? [{ description: query }],
            formulations: [query, `${query} again`],
            enrichments: [{ description: "Address", format: "url" }],
            namedSites: [],
          },
    ),
  findEntities: ({ pages }) => pages.map(entityOf),
  judgeCriterion: ({ criterion, pages }) => {
    const quote = findWords(pages, criterion);
    const denied = findWords(pages, `not ${criterion}`);
    if (denied !== undefined)
      return Promise.resolve({ satisfied: "no", reasoning: "It says so.", references: [denied] });
    if (quote === undefined)
      return Promise.resolve({ satisfied: "unclear", reasoning: "It is silent.", references: [] });
    return Promise.resolve({ satisfied: "yes", reasoning: "It says so.", references: [quote] });
  },
  fillCell: ({ enrichment, pages }) => {
    const quote = findWords(pages, enrichment.description);
    const page = pages.find(({ url }) => url === quote?.url);
    if (quote === undefined || page === undefined) {
      return Promise.resolve({ result: null, reasoning: "No page says it.", references: [] });
    }
    const [word = ""] = /[\w-]+/.exec(page.text.slice(quote.end)) ?? [];
    return Promise.resolve({ result: [word], reasoning: "The page says it.", references: [quote] });
  },
};

function findWords(pages: readonly PageText[], words: string): Evidence | undefined {
  for (const page of pages) {
    const at = page.text.toLowerCase().indexOf(words.toLowerCase());
    if (at !== -1) return quoteAt(page, at, at + words.length);
  }
  return undefined;
}

function entityOf(page: PageText): Entity {
  const name = page.title ?? page.url;
  const company = {
    name,
    location: null,
    employees: null,
    industry: null,
    about: null,
    logoUrl: null,
    foundedYear: null,
    headquarters: null,
    financials: null,
    webTraffic: null,
  };
  return {
    type: "company",
    name,
    aliases: [],
    url: page.url,
    properties: { type: "company", url: page.url, description: `About ${name}`, content: page.text, company },
    pages: [page.url],
    key: `company:${name.toLowerCase()}`,
    sameAs: [],
  };
}

/** A small web with a database, and what runs on it. */
export interface TestWorld {
  readonly db: Database;
  readonly deps: WebsetsDeps;
  readonly teamId: string;
  readonly create: (wish: z.input<typeof createWebsetSchema>) => Promise<WebsetWire>;
  readonly read: (webset: string) => Promise<WebsetWire>;
  /** Runs jobs until the webset is idle (or what is asked for holds), and answers it. */
  readonly work: (webset: string, until?: (webset: WebsetWire) => boolean) => Promise<WebsetWire>;
  /** The types of the webset's events, oldest first. */
  readonly events: (webset: string) => Promise<readonly string[]>;
  readonly items: (webset: string) => Promise<NonNullable<WebsetWire["items"]>>;
}

/** A small web of companies on a database of its own. */
export async function openWorld(
  database: Database,
  companies: readonly TestCompany[],
  change: Partial<WebsetsDeps> = {},
): Promise<TestWorld> {
  const { teamId } = await ensureFirstTeam(database, { now: new Date() });
  const pages = companies.map(pageOf);
  const deps: WebsetsDeps = {
    database,
    clock: { now: () => new Date() },
    llm: undefined,
    judges: ROTE_JUDGES,
    prices: PRICE_LISTS.free,
    newId: (prefix) => makeId(prefix),
    find: ({ limit, includeDomains, excludeDomains }) =>
      Promise.resolve(
        pages
          .map(({ url }) => url)
          .filter((url) => includeDomains === undefined || includeDomains.some((domain) => url.includes(domain)))
          .filter((url) => excludeDomains?.some((domain) => url.includes(`/${domain}/`)) !== true)
          .slice(0, limit),
      ),
    readPages: ({ urls }) => Promise.resolve(pages.filter(({ url }) => urls.includes(url))),
    dashboardUrl: (id) => `http://127.0.0.1:7700/console/websets/${id}`,
    readLiving: () => Promise.resolve(new Map()),
    ...change,
  };
  const read = (webset: string): Promise<WebsetWire> => readWebset(deps, { teamId, webset }, { withItems: true });
  return {
    db: database,
    deps,
    teamId,
    read,
    create: (wish) => createWebset(deps, { id: makeId("webset"), teamId }, createWebsetSchema.parse(wish)),
    work: async (webset, until = ({ status }) => status === "idle") => {
      const runner = await startJobRunner({ database, handlers: createWebsetJobHandlers(deps), pollMs: 200 });
      try {
        await expect.poll(async () => until(await read(webset)), { timeout: 20_000, interval: 20 }).toBe(true);
      } catch (cause) {
        const waiting = await database.query(
          `SELECT kind, state, attempts, error_code, error_message FROM jobs
           WHERE state NOT IN ('completed', 'canceled') OR attempts > 1 LIMIT 20`,
        );
        throw new Error(`the webset did not come so far; its jobs: ${JSON.stringify(waiting)}`, { cause });
      } finally {
        await runner.stop({ deadlineMs: 2_000 });
      }
      return read(webset);
    },
    events: async (webset) => {
      const page = await listEvents(database, { teamId, resource: { kind: "webset", id: webset }, limit: 1_000 });
      return page.data.map(({ type }) => type);
    },
    items: async (webset) => (await read(webset)).items ?? [],
  };
}

/** A search as the door checks it. */
export function searchWish(wish: z.input<typeof createWebsetSearchSchema>): z.output<typeof createWebsetSearchSchema> {
  return createWebsetSearchSchema.parse(wish);
}
