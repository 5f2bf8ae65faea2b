import { sleep } from "@quarry/base";
import { startLightEmbedder } from "../light-embedder.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import type { Soak } from "./soak.ts";

const KILLS = 100;
const COMPANIES = 24;
const QUERY = "companies that make electric cargo bikes";
const SETTINGS = { QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };
/** The longest a life of the server lasts after it is ready. */
const LIFE_MS = 1_500;
/** What is not idle by then is stuck. */
const IDLE_WITHIN_MS = 240_000;
const VECTORS_WITHIN_MS = 25_000;
const PAGE = 100;

/** Syllables that make names no other word of the pages is like. */
const FIRST = ["Alp", "Berg", "City", "Dolo", "Elb", "Fjord"];
const SECOND = ["rad", "werk", "last", "wind"];

/** A company as its page tells of it. */
export interface Company {
  readonly name: string;
  readonly host: string;
  readonly employees: number;
  readonly makesBikes: boolean;
}

/**
 * 100 times `kill -9` of the whole server while websets search, judge and enrich: each webset ends idle with the very items
 * and cells that it has in peace, no item lost or doubled, no cell left open, and its events in order.
 */
export const websetsKillsSoak: Soak = {
  name: "websets-kills",
  run: ({ random, size, report }) =>
    withDataDirectory(async (directory) => {
      const kills = Math.max(1, Math.ceil(KILLS * size));
      const violations: string[] = [];
      const struck: string[] = [];
      let onTheWay = 0;
      // Meaning is not what is proved here, and a server that loads no model is back sooner after each kill.
      const embedder = await startLightEmbedder();
      const settings = { ...SETTINGS, ...embedder.settings };
      let server = await startServerProcess(directory, settings);
      try {
        await postPages(server, makeCompanies());
        await waitForVectors(server);
        const peaceful = await create(server);
        await waitUntilIdle(server, peaceful);
        const expected = await readWebsetResult(server, peaceful);
        if (expected.items.length === 0) violations.push("the webset is empty in peace");
        for (let kill = 1; kill <= kills; kill += 1) {
          const last = struck.at(-1);
          if (last === undefined || (await statusOf(server, last)) === "idle") struck.push(await create(server));
          await sleep(random.integer(0, LIFE_MS));
          const status = await statusOf(server, struck.at(-1) ?? "");
          if (status !== "idle") onTheWay += 1;
          await server.kill();
          server = await startServerProcess(directory, settings);
          report(
            `kill ${kill} of ${kills} while ${status}; ${struck.length} websets; ready after ${server.readyMs.toFixed(0)} ms`,
          );
        }
        for (const id of struck) {
          await waitUntilIdle(server, id);
          violations.push(
            ...compareWebsets(expected, await readWebsetResult(server, id)).map((line) => `${id}: ${line}`),
          );
        }
        if (onTheWay === 0) violations.push("no kill hit a webset on its way");
        return { figures: { kills, onTheWay, websets: struck.length, items: expected.items.length }, violations };
      } finally {
        await server.stop();
        await embedder.close();
      }
    }),
};

/** Companies of which two in three make bikes, each with its own number of employees. */
export function makeCompanies(): readonly Company[] {
  return Array.from({ length: COMPANIES }, (_, index) => {
    const name = `${FIRST[index % FIRST.length] ?? ""}${SECOND[Math.floor(index / FIRST.length)] ?? ""}`;
    return { name, host: `${name.toLowerCase()}.example`, employees: 10 + index, makesBikes: index % 3 !== 2 };
  });
}

/** Gives the server a page of each company, and waits until they can be found. */
export async function postPages(server: ServerProcess, companies: readonly Company[]): Promise<void> {
  const documents = companies.map(({ name, host, employees, makesBikes }) => {
    const url = `https://${host}/`;
    const organization = { "@context": "https://schema.org", "@type": "Organization", name, url };
    const product = makesBikes ? `${name} makes electric cargo bikes.` : `${name} bakes plum cake for the whole town.`;
    const html =
      `<!doctype html><html lang="en"><head><title>${name}</title>` +
      `<script type="application/ld+json">${JSON.stringify(organization)}</script></head><body><main><h1>${name}</h1>` +
      `<p>${product}</p><p>${name} employs ${employees} people.</p><p>Write to hello@${host} for more.</p></main></body></html>`;
    return { url, html };
  });
  const { status } = await server.call("POST", "/quarry/v1/documents?wait=true", documents);
  if (status !== 200) throw new Error(`the pages were answered with ${status}`);
}

/** Words can be found at once; what vectors find must be the same in peace and after. */
export async function waitForVectors(server: ServerProcess): Promise<void> {
  for (const end = performance.now() + VECTORS_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("POST", "/search", { query: QUERY, type: "neural", numResults: COMPANIES });
    const { results = [] } = body as { readonly results?: readonly unknown[] }; // none while the index opens
    if (results.length >= COMPANIES) return;
    await sleep(200);
  }
  throw new Error("the pages have no vectors yet");
}

/** A webset of the companies that make bikes, with two columns. */
export const WISHED_WEBSET = {
  search: {
    query: QUERY,
    count: COMPANIES,
    entity: { type: "company" },
    criteria: [{ description: "makes electric cargo bikes" }],
  },
  enrichments: [
    { description: "Number of employees", format: "number" },
    { description: "Contact e-mail address", format: "email" },
  ],
} as const;

async function create(server: ServerProcess): Promise<string> {
  const { status, body } = await server.call("POST", "/websets/v0/websets", WISHED_WEBSET);
  if (status !== 201) throw new Error(`a webset was answered with ${status}: ${JSON.stringify(body)}`);
  return (body as { readonly id: string }).id;
}

async function statusOf(server: ServerProcess, id: string): Promise<string> {
  const { body } = await server.call("GET", `/websets/v0/websets/${id}`);
  return (body as { readonly status: string }).status;
}

async function waitUntilIdle(server: ServerProcess, id: string): Promise<void> {
  for (const end = performance.now() + IDLE_WITHIN_MS; performance.now() < end;) {
    if ((await statusOf(server, id)) === "idle") return;
    await sleep(200);
  }
  const { body } = await server.call("GET", `/quarry/v1/websets/${id}/explain`);
  throw new Error(`${id} did not become idle: ${JSON.stringify(body)}`);
}

/** What a webset came to. */
export interface WebsetResult {
  /** Address and cells of each item, sorted. */
  readonly items: readonly string[];
  readonly openCells: number;
  readonly found: number;
  readonly events: readonly string[];
}

/** Reads what a webset has now. */
export async function readWebsetResult(server: ServerProcess, id: string): Promise<WebsetResult> {
  interface Item {
    readonly properties: { readonly url: string };
    readonly enrichments: readonly { readonly status: string; readonly result: readonly string[] | null }[];
  }
  const items: Item[] = [];
  for (let cursor = ""; ;) {
    const { body } = await server.call("GET", `/websets/v0/websets/${id}/items?limit=${PAGE}${cursor}`);
    const page = body as { readonly data: readonly Item[]; readonly nextCursor: string | null };
    items.push(...page.data);
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  const { body } = await server.call("GET", `/websets/v0/websets/${id}`);
  const { searches } = body as { readonly searches: readonly { readonly progress: { readonly found: number } }[] };
  return {
    items: items
      .map(({ properties, enrichments }) =>
        [properties.url, ...enrichments.map(({ result }) => result?.join("+") ?? "none")].join(" | "),
      )
      .sort(),
    openCells: items.flatMap(({ enrichments }) => enrichments).filter(({ status }) => status !== "completed").length,
    found: searches[0]?.progress.found ?? 0,
    events: await readEvents(server, id),
  };
}

async function readEvents(server: ServerProcess, id: string): Promise<readonly string[]> {
  const types: string[] = [];
  for (let cursor = ""; ;) {
    const query = `resourceKind=webset&resourceId=${id}&limit=200${cursor}`;
    const { body } = await server.call("GET", `/quarry/v1/events?${query}`);
    const page = body as { readonly data: readonly { readonly type: string }[]; readonly nextCursor: string | null };
    types.push(...page.data.map(({ type }) => type));
    if (page.nextCursor === null) return types;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

/** How a webset differs from the one in peace, a sentence each. */
export function compareWebsets(expected: WebsetResult, result: WebsetResult): readonly string[] {
  const violations: string[] = [];
  const lost = expected.items.filter((item) => !result.items.includes(item));
  const other = result.items.filter((item) => !expected.items.includes(item));
  violations.push(...lost.map((item) => `lost ${item}`), ...other.map((item) => `has ${item}`));
  if (new Set(result.items).size !== result.items.length) violations.push("an item is there twice");
  if (result.openCells > 0) violations.push(`${result.openCells} cells are open although it is idle`);
  if (result.found !== expected.found) violations.push(`found ${result.found} instead of ${expected.found}`);
  for (const type of ["webset.created", "webset.search.completed", "webset.idle"]) {
    const times = result.events.filter((one) => one === type).length;
    if (times !== 1) violations.push(`${type} was told ${times} times`);
  }
  for (const type of ["webset.item.created", "webset.item.enriched"]) {
    const times = result.events.filter((one) => one === type).length;
    if (times !== expected.items.length) violations.push(`${type} was told ${times} times`);
  }
  return violations;
}
