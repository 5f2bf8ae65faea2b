import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ContentsReplyBody, SearchReplyBody } from "@quarry/contract";
import { serveMiniWeb, type MiniWeb } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { Exa } from "exa-js";
import { Exa as OlderExa } from "exa-js-2.3";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startServerProcess, type ServerProcess } from "../../tools/server-process.ts";

/** The published clients, unchanged, against the real server. */
type Reply = SearchReplyBody & Pick<ContentsReplyBody, "statuses">;
type Options = Readonly<Record<string, unknown>>;

/** What the clients of both ages have in common, and the newer one's stream. */
interface Client {
  readonly search: (query: string, options?: Options) => Promise<Reply>;
  readonly searchAndContents: (query: string, options?: Options) => Promise<Reply>;
  readonly findSimilar: (url: string, options?: Options) => Promise<Reply>;
  readonly findSimilarAndContents: (url: string, options?: Options) => Promise<Reply>;
  readonly getContents: (urls: unknown, options?: Options) => Promise<Reply>;
  readonly streamSearch: (
    query: string,
    options?: Options,
  ) => AsyncIterable<{ readonly content?: string; readonly citations?: readonly { readonly url: string }[] }>;
}

const ETNA = { url: "https://a.example/etna", title: "Etna", author: "Ada", publishedDate: "2025-03-01T00:00:00.000Z" };
const DOCUMENTS = [
  {
    ...ETNA,
    text: "Mount Etna is a volcano in Sicily. It erupted in 2021 and ash fell on Catania. Lava reached the sea.",
  },
  {
    url: "https://a.example/fuji",
    title: "Fuji",
    text: "Mount Fuji is a volcano in Japan. Its lava last flowed in 1707.",
  },
  { url: "https://b.example/soup", title: "Soup", text: "Onion soup is cooked slowly with butter and wine." },
];
const LONG_MS = 120_000;

let home = "";
let web: MiniWeb;
let server: ServerProcess;
const clients = new Map<string, Client>();

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), "quarry-exa-js-"));
  web = await serveMiniWeb((target) =>
    target === "/page"
      ? { body: "<title>Live</title><p>A live page about hawks and other birds of prey.</p>" }
      : undefined,
  );
  server = await startServerProcess(home, {
    QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
    QUARRY_SAMPLE: "0",
    QUARRY_LOG_LEVEL: "warn",
  });
  const { body } = await server.call("POST", "/quarry/v1/documents?wait=true", DOCUMENTS);
  expect(body).toMatchObject({ indexed: true });
  // The two declare different types for what is one wire.
  clients.set("2.23", new Exa(server.key, server.url) as unknown as Client);
  clients.set("2.3.0", new OlderExa(server.key, server.url) as unknown as Client);
  await vectorsOf(server);
}, LONG_MS);

afterAll(async () => {
  await server.stop();
  await web.close();
  rmSync(home, { recursive: true, force: true });
}, LONG_MS);

/** Waits until the documents are found by meaning too. */
async function vectorsOf({ call }: ServerProcess): Promise<void> {
  for (const end = performance.now() + LONG_MS / 2; performance.now() < end;) {
    const { status, body } = await call("POST", "/search", { query: "volcano", type: "neural", numResults: 5 });
    if (status === 200 && (body as Reply).results.length >= 2) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("no vectors in time");
}

function client(version: "2.23" | "2.3.0"): Client {
  const found = clients.get(version);
  if (found === undefined) throw new Error("the server did not start");
  return found;
}

const urlsOf = ({ results }: Reply): readonly string[] => results.map(({ url }) => url);

async function checkSearch(exa: Client): Promise<void> {
  const reply = await exa.search("volcano in Sicily", {
    type: "auto",
    numResults: 5,
    includeDomains: ["a.example"],
    excludeDomains: ["c.example"],
    startPublishedDate: "2025-01-01T00:00:00.000Z",
    endPublishedDate: "2026-01-01T00:00:00.000Z",
    startCrawlDate: "2020-01-01T00:00:00.000Z",
    endCrawlDate: "2100-01-01T00:00:00.000Z",
    includeText: ["volcano"],
    excludeText: ["onion"],
    userLocation: "IT",
    moderation: true,
    useAutoprompt: true,
    flags: ["x"],
    additionalQueries: ["Etna"],
    contents: {
      text: { maxCharacters: 1_000, includeHtmlTags: false },
      highlights: { query: "ash", numSentences: 1, highlightsPerUrl: 1 },
      summary: { query: "when" },
      extras: { links: 1, imageLinks: 1 },
      livecrawl: "never",
      livecrawlTimeout: 1_000,
      subpages: 0,
      context: true,
    },
  });
  expect(urlsOf(reply)).toEqual([ETNA.url]);
  const [result] = reply.results;
  expect(result).toMatchObject({ id: ETNA.url, title: "Etna", author: "Ada", publishedDate: ETNA.publishedDate });
  expect(result?.text).toBe(DOCUMENTS[0]?.text);
  expect(result?.highlights).toEqual(["It erupted in 2021 and ash fell on Catania."]);
  expect(result?.highlightScores?.[0]).toBeGreaterThan(0);
  expect(typeof result?.summary).toBe("string");
  expect(reply.requestId).toMatch(/^[0-9a-f]{32}$/);
  expect(reply.context).toContain("Mount Etna");
  expect(reply.costDollars.total).toBe(0);
  const plain = await exa.search("volcano", { contents: false });
  expect(plain.results.some((one) => "text" in one || "highlights" in one || "summary" in one)).toBe(false);
  for (const type of ["keyword", "neural", "fast", "auto", "deep"]) {
    expect([type, urlsOf(await exa.search("Etna volcano", { type, contents: false }))[0]]).toEqual([type, ETNA.url]);
  }
  expect((await exa.search("volcano")).results[0]?.text).toMatch(/^Mount/); // both ask for text by themselves
}

async function checkSearchAndContents(exa: Client): Promise<void> {
  expect((await exa.searchAndContents("Etna")).results[0]?.text).toBe(DOCUMENTS[0]?.text);
  const reply = await exa.searchAndContents("Etna", { text: { maxCharacters: 10 }, highlights: true, numResults: 1 });
  expect(reply.results[0]?.text).toBe("Mount Etna");
  expect(reply.results[0]?.highlights?.length).toBeGreaterThan(0);
  const schema = { type: "object", properties: { year: { type: "integer" } } };
  const summed = await exa.searchAndContents("in which year did Etna erupt", { summary: { schema }, numResults: 1 });
  expect(JSON.parse(summed.results[0]?.summary ?? "")).toEqual({ year: 2021 });
  expect(summed.results[0]).not.toHaveProperty("text");
}

async function checkSimilar(exa: Client): Promise<void> {
  const similar = await exa.findSimilar(ETNA.url, { numResults: 1, contents: false });
  expect(urlsOf(similar)).toEqual(["https://a.example/fuji"]);
  expect(similar.results[0]).not.toHaveProperty("text");
  const elsewhere = await exa.findSimilarAndContents(ETNA.url, { excludeSourceDomain: true, text: true });
  expect(urlsOf(elsewhere)).not.toContain("https://a.example/fuji");
  expect((await exa.findSimilarAndContents(ETNA.url)).results[0]?.text).toMatch(/Fuji/);
}

async function checkContents(exa: Client): Promise<void> {
  const live = `${web.origin}/page`;
  const missing = `${web.origin}/missing`;
  const reply = await exa.getContents([ETNA.url, missing, live, "nonsense"], { livecrawlTimeout: 5_000 });
  expect(reply.statuses).toEqual([
    { id: ETNA.url, status: "success", source: "cached" },
    { id: missing, status: "error", error: { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 } },
    { id: live, status: "success", source: expect.stringMatching(/^(?:crawled|cached)$/) as string },
    { id: "nonsense", status: "error", error: { tag: "UNSUPPORTED_URL", httpStatusCode: null } },
  ]);
  expect(reply.results.map(({ text }) => text)).toEqual([
    DOCUMENTS[0]?.text,
    "A live page about hawks and other birds of prey.",
  ]);
  const found = await exa.search("soup", { type: "keyword", contents: false });
  const again = await exa.getContents(found.results, { highlights: { numSentences: 1 }, maxAgeHours: -1 });
  expect(again.results[0]?.highlights?.length).toBeGreaterThan(0);
  expect(again.results[0]).not.toHaveProperty("text");
  const forced = await exa.getContents(live, { livecrawl: "always" });
  expect(forced.statuses[0]?.source).toBe("crawled");
  await expect(exa.getContents(live, { livecrawl: "always", maxAgeHours: 1 })).rejects.toMatchObject({
    statusCode: 400,
  });
}

describe("exa-js 2.23", () => {
  verifies(
    ["search:exa-js:search", "search:num-results:default"],
    "search with every option",
    () => checkSearch(client("2.23")),
    LONG_MS,
  );
  verifies(
    "search:exa-js:search-and-contents",
    "searchAndContents",
    () => checkSearchAndContents(client("2.23")),
    LONG_MS,
  );
  verifies(
    ["findsimilar:exa-js:find-similar", "findsimilar:exa-js:find-similar-and-contents"],
    "findSimilar and findSimilarAndContents",
    () => checkSimilar(client("2.23")),
    LONG_MS,
  );
  verifies("contents:exa-js:get-contents", "getContents with statuses", () => checkContents(client("2.23")), LONG_MS);

  verifies(
    "search:exa-js:stream-search",
    "streamSearch gives the text and the citations",
    async () => {
      let text = "";
      const cited = new Set<string>();
      const options = { outputSchema: { type: "text" }, numResults: 3 };
      for await (const chunk of client("2.23").streamSearch("when did Etna erupt", options)) {
        text += chunk.content ?? "";
        for (const { url } of chunk.citations ?? []) cited.add(url);
      }
      expect(text).toContain("It erupted in 2021 and ash fell on Catania.");
      expect([...cited]).toContain(ETNA.url);
    },
    LONG_MS,
  );

  verifies(
    "search:bad-input:table",
    "an error is an ExaError with status, message and requestId",
    async () => {
      const refused = client("2.23").search("q", { numResults: 101, contents: false });
      await expect(refused).rejects.toMatchObject({ name: "ExaError", statusCode: 400, message: /numResults/ });
      await expect(client("2.23").search("")).rejects.toMatchObject({ statusCode: 400 });
    },
    LONG_MS,
  );
});

describe("exa-js 2.3.0", () => {
  verifies(
    "search:exa-js:version-2-3",
    "makes the same calls",
    async () => {
      await checkSearch(client("2.3.0"));
      await checkSearchAndContents(client("2.3.0"));
      await checkSimilar(client("2.3.0"));
      await checkContents(client("2.3.0"));
    },
    LONG_MS,
  );
});

/** What the wire carries, as exa-py and old programs send it. */
async function send(route: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const reply = await fetch(`${server.url}${route}`, {
    method: "POST",
    headers: { "x-api-key": server.key, "content-type": "application/json", "user-agent": "exa-py/2.16.1", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return {
    status: reply.status,
    headers: reply.headers,
    body: (await reply.json()) as Reply & { error?: string; tag?: string },
  };
}

describe("requests as exa-py and old programs send them", () => {
  verifies(
    [
      "search:exa-py:shapes",
      "contents:exa-js:old-ids",
      "http:trap:null-is-absent",
      "http:auth:bearer-with-empty-x-api-key",
    ],
    "search, find_similar, get_contents",
    async () => {
      const search = {
        query: "Etna",
        type: "auto",
        numResults: 2,
        contents: { text: { maxCharacters: 10_000 }, highlights: true },
      };
      const found = await send("/search", search);
      expect([found.status, found.body.results[0]?.url]).toEqual([200, ETNA.url]);
      const similar = {
        url: ETNA.url,
        numResults: 3,
        excludeSourceDomain: false,
        contents: { text: true },
        category: null,
      };
      expect((await send("//findSimilar", similar)).body.results.length).toBeGreaterThan(0);
      const highlights = { numSentences: 2, highlightsPerUrl: 1, query: null };
      const read = { urls: [ETNA.url], text: { maxCharacters: 10_000 }, highlights, summary: null, livecrawl: null };
      expect((await send("/contents", read)).body.results[0]?.highlights).toHaveLength(1);
      expect((await send("/contents", { ids: [ETNA.url] })).body.results[0]?.text).toBe(DOCUMENTS[0]?.text);
      const old = {
        query: "Etna",
        useAutoprompt: true,
        type: "magic",
        text: true,
        highlights: { highlightsPerUrl: 1 },
      };
      const bearer = { "x-api-key": "", authorization: `Bearer ${server.key}` };
      expect((await send("/search", old, bearer)).body.results[0]?.text).toBe(DOCUMENTS[0]?.text);
    },
    LONG_MS,
  );
});

/** The traps of the wire that concern search; other routes have rows of their own elsewhere. */
const TRAPS: readonly (readonly [number, string, () => Promise<void>])[] = [
  [
    2,
    "always JSON with a body, status 200",
    async () => expect((await send("/search", { query: "zzzz" })).status).toBe(200),
  ],
  [
    3,
    "a stream has status 200",
    async () => {
      const body = JSON.stringify({ query: "Etna", stream: true, outputSchema: { type: "text" } });
      const headers = { "x-api-key": server.key, "content-type": "application/json" };
      const reply = await fetch(`${server.url}/search`, { method: "POST", headers, body });
      expect([reply.status, (await reply.text()).endsWith("data: [DONE]\n\n")]).toEqual([200, true]);
    },
  ],
  [
    4,
    "an error is an object whose error is a text",
    async () => {
      const { status, body } = await send("/search", "{");
      expect([status, typeof body.error, body.tag]).toEqual([400, "string", "INVALID_REQUEST_BODY"]);
    },
  ],
  [
    5,
    "null is absent",
    async () => {
      const nothing = {
        type: null,
        category: null,
        contents: null,
        numResults: null,
        outputSchema: null,
        stream: null,
      };
      expect((await send("/search", { query: "Etna", ...nothing, userLocation: null })).status).toBe(200);
    },
  ],
  [
    8,
    "content keys that were not asked for are absent",
    async () => {
      const [result] = (await send("/search", { query: "Etna", contents: { highlights: true } })).body.results;
      expect(["text", "summary", "extras", "subpages", "entities"].filter((key) => key in (result ?? {}))).toEqual([]);
    },
  ],
  [
    11,
    "results carry documented keys alone",
    async () => {
      const known =
        "id url title publishedDate author score image favicon text highlights highlightScores summary extras";
      const contents = { text: true, highlights: true, summary: true, extras: { links: 1 } };
      const [result] = (await send("/search", { query: "Etna", contents })).body.results;
      expect(Object.keys(result ?? {}).filter((key) => !known.split(" ").includes(key))).toEqual([]);
    },
  ],
  [
    18,
    "livecrawl with maxAgeHours is a 400",
    async () => {
      const { status, body } = await send("/contents", { urls: [ETNA.url], livecrawl: "always", maxAgeHours: 1 });
      expect([status, body.tag, /maxAgeHours/.test(body.error ?? "")]).toEqual([400, "INVALID_REQUEST", true]);
    },
  ],
  [
    19,
    "numResults over 100 is a 400, maxCharacters over 10,000 is cut",
    async () => {
      expect((await send("/search", { query: "q", numResults: 101 })).status).toBe(400);
      const text = { maxCharacters: 1_000_000 };
      expect((await send("/search", { query: "Etna", contents: { text } })).body.results[0]?.text).toBe(
        DOCUMENTS[0]?.text,
      );
    },
  ],
  [
    20,
    "one status per id in the order of the request, whatever is wrong",
    async () => {
      const ids = ["::", ETNA.url, "mailto:x@y.z", "http://127.0.0.1:1/", ETNA.url];
      const { status, body } = await send("/contents", { ids, livecrawlTimeout: 3_000 });
      expect([status, body.statuses.map(({ id }) => id), body.results.length]).toEqual([200, ids, 1]);
    },
  ],
  [
    21,
    "Bearer counts beside an empty x-api-key",
    async () => {
      const headers = { "x-api-key": "", authorization: `Bearer ${server.key}` };
      expect((await send("/search", { query: "Etna" }, headers)).status).toBe(200);
    },
  ],
];

describe("traps of the wire", () => {
  for (const [number, name, check] of TRAPS)
    verifies("search:exa-py:shapes", `trap ${number}: ${name}`, check, LONG_MS);
});
