import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { websetItemSchema, websetSchema } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import {
  CreateEnrichmentParametersFormat as Format,
  Exa,
  WebsetItemEvaluationSatisfied,
  WebsetSearchBehavior,
  WebsetSearchStatus,
  WebsetStatus,
  type Webset,
  type WebsetItem,
} from "exa-js";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

interface Company {
  readonly name: string;
  readonly host: string;
  readonly facts: readonly string[];
}

const COMPANIES: readonly Company[] = [
  {
    name: "Alpenrad",
    host: "alpenrad.example",
    facts: [
      "Alpenrad makes electric cargo bikes.",
      "Alpenrad was founded in 2015.",
      "Alpenrad employs 120 people.",
      "Contact: hello@alpenrad.example, phone +49 30 901820.",
    ],
  },
  {
    name: "Bergwerk",
    host: "bergwerk.example",
    facts: [
      "Bergwerk makes electric cargo bikes.",
      "Bergwerk was founded in 2011.",
      "Bergwerk employs 45 people.",
      "Contact: info@bergwerk.example.",
    ],
  },
  {
    name: "Citylast",
    host: "citylast.example",
    facts: ["Citylast makes electric cargo bikes.", "Citylast was founded in 2019.", "Citylast employs 300 people."],
  },
  {
    name: "Dolomit",
    host: "dolomit.example",
    facts: ["Dolomit does not make electric cargo bikes; it makes climbing ropes.", "Dolomit was founded in 1990."],
  },
  {
    name: "Elbkuchen",
    host: "elbkuchen.example",
    facts: ["Elbkuchen bakes plum cake.", "Elbkuchen was founded in 2001."],
  },
];

const CRITERION = { description: "makes electric cargo bikes" };
const SEARCH = {
  query: "companies that make electric cargo bikes",
  count: 10,
  entity: { type: "company" as const },
  criteria: [CRITERION],
};
const WAIT = { timeout: 60_000, pollInterval: 150 };

let server: ServerProcess;
let exa: Exa;
let site: Server;
let finish = (): void => undefined;
let running: Promise<unknown>;

beforeAll(async () => {
  site = createServer((request, response) => {
    const isHome = request.url === "/";
    response.writeHead(isHome ? 200 : 404, { "content-type": "text/html" });
    const fact = "Fjordbike makes electric cargo bikes. Fjordbike was founded in 2020 in Bergen.";
    response.end(isHome ? pageOf({ name: "Fjordbike", host: "fjordbike.example", facts: [fact] }) : "");
  });
  await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
  await new Promise<void>((ready, refuse) => {
    running = withDataDirectory(async (directory) => {
      server = await startServerProcess(directory, { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" });
      exa = new Exa(server.key, server.url);
      const documents = COMPANIES.map((company) => ({ url: `https://${company.host}/`, html: pageOf(company) }));
      expect((await server.call("POST", "/quarry/v1/documents?wait=true", documents)).status).toBe(200);
      ready();
      await new Promise<void>((done) => (finish = done));
      await server.stop();
    });
    running.catch(refuse);
  });
}, 180_000);

afterAll(async () => {
  finish();
  await running;
  await new Promise((closed) => site.close(closed));
}, 60_000);

function pageOf({ name, host, facts }: Company): string {
  const organization = { "@context": "https://schema.org", "@type": "Organization", name, url: `https://${host}/` };
  return `<!doctype html><html lang="en"><head><title>${name}</title>
    <script type="application/ld+json">${JSON.stringify(organization)}</script></head>
    <body><main><h1>${name}</h1>${facts.map((fact) => `<p>${fact}</p>`).join("\n")}
    <p>This page tells who we are and what we do, for customers and for the press.</p></main></body></html>`;
}

async function itemsOf(webset: string): Promise<readonly WebsetItem[]> {
  return exa.websets.items.getAll(webset);
}

function namesOf(items: readonly WebsetItem[]): readonly string[] {
  return items.map(({ properties }) => new URL(properties.url).hostname.replace(".example", "")).sort();
}

let first: Webset;

describe("exa-js", () => {
  verifies(
    [
      "websets:exa-js:end-to-end",
      "websets:create:201",
      "websets:create:enrichments",
      "websets:create:title-generated",
      "websets:search:criteria-given",
      "websets:object:shape",
      "websets:object:lists-present",
      "websets:object:dashboard-url",
      "websets:search-object:shape",
      "websets:search-object:progress",
      "websets:item:shape",
      "websets:item:company",
      "websets:item:nullable-present",
      "websets:item:enrichments-list",
      "websets:item:source",
      "websets:enrichment:shape",
      "websets:cell:result-strings",
      "websets:cell:number",
      "websets:extractors:without-model",
      "websets:find:negated-statement",
    ],
    "creates a webset, waits until it is idle, and reads items with evidence and cells",
    async () => {
      const made = await exa.websets.create({
        search: SEARCH,
        enrichments: [{ description: "Number of employees", format: Format.number }],
        metadata: { purpose: "test" },
      });
      expect(websetSchema.parse(made)).toMatchObject({ status: "pending", metadata: { purpose: "test" } });
      expect(made.title).toBeTruthy();
      const idle = await exa.websets.waitUntilIdle(made.id, WAIT);
      expect(websetSchema.parse(idle)).toMatchObject({ status: "idle", imports: [], monitors: [], externalId: null });
      const [search] = idle.searches;
      expect(search).toMatchObject({ status: "completed", count: 10, progress: { found: 3, completion: 100 } });
      const items = await itemsOf(made.id);
      expect(namesOf(items)).toEqual(["alpenrad", "bergwerk", "citylast"]);
      for (const item of items) {
        websetItemSchema.parse(item);
        expect(item).toMatchObject({ source: "search", sourceId: search?.id, websetId: made.id });
        expect(item.evaluations[0]).toMatchObject({
          criterion: CRITERION.description,
          satisfied: WebsetItemEvaluationSatisfied.yes,
        });
        expect(item.evaluations[0]?.references[0]?.snippet).toContain("cargo bikes");
      }
      const alpenrad = items.find(({ properties }) => properties.url.includes("alpenrad"));
      expect(alpenrad?.enrichments?.[0]).toMatchObject({ status: "completed", format: "number", result: ["120"] });
      first = idle;
    },
    120_000,
  );

  verifies(
    ["websets:cell:reference-quote-in-snapshot", "websets:item:get", "websets:items:content-not-in-lists"],
    "quotes that stand in the stored snapshot; our own lists carry no page text",
    async () => {
      const [some] = await itemsOf(first.id);
      const item = await exa.websets.items.get(first.id, some?.id ?? "");
      expect(item.properties).toHaveProperty("content", expect.stringContaining("cargo bikes"));
      const reference = websetItemSchema.parse(item).evaluations[0]?.references[0];
      const place = reference?.quarry;
      const { content } = item.properties as { readonly content?: string };
      expect(content?.slice(place?.start, place?.end)).toBe(reference?.snippet);
      const snapshot = await server.call("GET", `/quarry/v1/snapshots/${place?.snapshotId ?? ""}`);
      expect(snapshot).toMatchObject({ status: 200, body: { id: place?.snapshotId } });
      const full = await server.call("GET", `/quarry/v1/websets/${first.id}/items?projection=full`);
      expect(JSON.stringify(full.body)).not.toContain('"content"');
    },
  );

  verifies(
    [
      "websets:enrichment:get",
      "websets:enrichment:update-returns-it",
      "websets:enrichment:delete",
      "websets:enrichment:cancel",
      "websets:enrichment:format-chosen",
      "websets:enrichment:title-generated",
      "websets:enrichment:formats",
      "websets:enrichment:metadata-null",
      "websets:cell:email",
      "websets:cell:date",
      "websets:cell:options",
      "websets:cell:phone",
      "websets:cell:url",
    ],
    "adds, reads, changes, cancels and deletes enrichments of an idle webset",
    async () => {
      const email = await exa.websets.enrichments.create(first.id, { description: "Contact e-mail address" });
      expect(email).toMatchObject({ format: "email", status: "pending", websetId: first.id });
      expect(email.title).toBeTruthy();
      const formats: readonly object[] = [
        { description: "Date of founding", format: Format.date },
        { description: "Phone number", format: Format.phone },
        { description: "Website", format: Format.url },
        {
          description: "What does it make: cargo bikes or cake?",
          format: Format.options,
          options: [{ label: "cargo bikes" }, { label: "cake" }],
        },
      ];
      const others = [];
      for (const wish of formats) others.push(await exa.websets.enrichments.create(first.id, wish as never));
      expect((await exa.websets.get(first.id)).status).toBe(WebsetStatus.running);
      const idle = await exa.websets.waitUntilIdle(first.id, WAIT);
      expect(new Set(idle.enrichments.map(({ status }) => status))).toEqual(new Set(["completed"]));
      const alpenrad = (await itemsOf(first.id)).find(({ properties }) => properties.url.includes("alpenrad"));
      const resultOf = (id: string | undefined) =>
        alpenrad?.enrichments?.find((cell) => cell.enrichmentId === id)?.result;
      expect(resultOf(email.id)).toEqual(["hello@alpenrad.example"]);
      expect(resultOf(others[0]?.id)?.[0]).toMatch(/^2015(?:-\d\d-\d\d)?$/);
      expect(resultOf(others[1]?.id)).toEqual(["+4930901820"]);
      expect(resultOf(others[2]?.id)?.[0] ?? "https://x").toMatch(/^https?:\/\//);
      expect(resultOf(others[3]?.id)).toEqual(["cargo bikes"]);

      await exa.websets.enrichments.update(first.id, email.id, { metadata: { seen: "yes" } });
      expect(await exa.websets.enrichments.get(first.id, email.id)).toMatchObject({ metadata: { seen: "yes" } });
      const patched = await server.call("PATCH", `/websets/v0/websets/${first.id}/enrichments/${email.id}`, {
        metadata: null,
      });
      expect(patched.body).toMatchObject({ id: email.id, metadata: {} });
      expect(await exa.websets.enrichments.cancel(first.id, email.id)).toMatchObject({ status: "canceled" });
      expect(await exa.websets.enrichments.delete(first.id, email.id)).toMatchObject({ id: email.id });
      const left = await itemsOf(first.id);
      expect(left.every(({ enrichments }) => enrichments?.every(({ enrichmentId }) => enrichmentId !== email.id))).toBe(
        true,
      );
    },
    120_000,
  );

  verifies(
    [
      "websets:exa-js:cancel-override-append",
      "websets:search:get",
      "websets:search:cancel",
      "websets:search:metadata",
      "websets:search:count-required",
      "websets:search-object:items-before-end",
    ],
    "appends, overrides and cancels searches",
    async () => {
      const ropes = {
        query: "climbing ropes",
        count: 5,
        entity: SEARCH.entity,
        criteria: [{ description: "makes climbing ropes" }],
      };
      const appended = await exa.websets.searches.create(first.id, {
        ...ropes,
        behavior: WebsetSearchBehavior.append,
        metadata: { part: "two" },
      });
      expect(appended).toMatchObject({ behavior: "append", metadata: { part: "two" } });
      await exa.websets.waitUntilIdle(first.id, WAIT);
      expect(await exa.websets.searches.get(first.id, appended.id)).toMatchObject({ status: "completed" });
      expect(namesOf(await itemsOf(first.id))).toContain("dolomit");
      const waiting = await exa.websets.searches.create(first.id, { ...SEARCH, behavior: WebsetSearchBehavior.append });
      const canceled = await exa.websets.searches.cancel(first.id, waiting.id);
      expect(["canceled", "completed"]).toContain(canceled.status);
      await exa.websets.searches.create(first.id, { ...SEARCH, behavior: WebsetSearchBehavior.override });
      await exa.websets.waitUntilIdle(first.id, WAIT);
      expect(namesOf(await itemsOf(first.id))).toEqual(["alpenrad", "bergwerk", "citylast"]);
      const refused = await server.call("POST", `/websets/v0/websets/${first.id}/searches`, { query: "bikes" });
      expect(refused.status).toBe(400);
    },
    120_000,
  );

  verifies(
    [
      "websets:get:by-external-id",
      "websets:trap:external-id-with-slash",
      "websets:create:external-id-unique",
      "websets:create:external-id-length",
      "websets:get:expand-items",
      "websets:get:by-id",
      "websets:get:unknown",
      "websets:update:title-and-metadata",
      "websets:list:paged",
      "websets:list:search-filter",
      "websets:delete:returns-object",
      "websets:search:entity-detected",
      "websets:search:criteria-detected",
      "websets:search:count-default",
    ],
    "addresses a webset by an externalId with slashes and spaces, lists, updates and deletes it",
    async () => {
      const externalId = "team a/quarter 1";
      const made = await exa.websets.create({
        externalId,
        search: { query: "companies that make electric cargo bikes" } as typeof SEARCH,
      });
      expect(made.searches[0]).toMatchObject({ count: 10, entity: { type: "company" } });
      const idle = await exa.websets.waitUntilIdle(externalId, WAIT);
      expect(idle.id).toBe(made.id);
      expect(idle.searches[0]?.entity).toEqual({ type: "company" });
      expect(idle.searches[0]?.criteria.length).toBeGreaterThan(0);
      const encoded = await server.call("GET", `/v0/websets/${encodeURIComponent(externalId)}/items?limit=1`);
      expect(encoded).toMatchObject({ status: 200 });
      expect((await exa.websets.items.list(externalId, { limit: 2 })).data.length).toBeLessThanOrEqual(2);
      const expanded = await exa.websets.get(made.id, ["items"]);
      expect((expanded as { items?: unknown[] }).items).toHaveLength((await itemsOf(made.id)).length);
      const twice = exa.websets.create({ externalId, search: { query: "bikes" } as typeof SEARCH });
      await expect(twice).rejects.toMatchObject({ statusCode: 409 });
      const long = await server.call("POST", "/websets/v0/websets", { externalId: "x".repeat(301), search: SEARCH });
      expect(long.status).toBe(400);
      expect(await exa.websets.update(made.id, { metadata: { a: "b" } })).toMatchObject({ metadata: { a: "b" } });
      expect(await server.call("POST", `/websets/v0/websets/${made.id}`, { title: "Bikes" })).toMatchObject({
        body: { title: "Bikes", metadata: { a: "b" } },
      });
      const listed = await exa.websets.list({ limit: 1 });
      expect(listed).toMatchObject({ data: [{ id: made.id }], hasMore: true });
      const found = await server.call("GET", "/websets/v0/websets?search=quarter");
      expect(found.body).toMatchObject({ data: [{ id: made.id }], hasMore: false });
      expect(await exa.websets.delete(made.id)).toMatchObject({ id: made.id, object: "webset" });
      await expect(exa.websets.get(made.id)).rejects.toMatchObject({ statusCode: 404 });
      const unknown = await server.call("GET", "/websets/v0/websets/nothing");
      expect(unknown).toMatchObject({
        status: 404,
        body: { statusCode: 404, error: "Not Found", message: "Webset not found", path: "/v0/websets/nothing" },
      });
    },
    120_000,
  );

  verifies(
    [
      "websets:preview:routed-first",
      "websets:preview:entity-and-criteria",
      "websets:preview:items",
      "websets:preview:flat-body",
      "websets:preview:not-understood",
      "websets:preview:count-limit",
    ],
    "previews a query",
    async () => {
      const preview = await exa.websets.preview({ query: SEARCH.query } as never);
      expect(preview).toMatchObject({ search: { entity: { type: "company" } }, items: [] });
      const sample = await server.call("POST", "/websets/v0/websets/preview?search=True", {
        search: { query: SEARCH.query, count: 2 },
      });
      expect(sample).toMatchObject({ status: 200 });
      const { items } = sample.body as { readonly items: readonly unknown[] };
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThanOrEqual(2);
      expect((await server.call("POST", "/websets/v0/websets/preview", { search: { query: "??" } })).status).toBe(422);
      const many = await server.call("POST", "/websets/v0/websets/preview", { search: { query: "bikes", count: 11 } });
      expect(many.status).toBe(400);
    },
  );

  verifies(
    [
      "websets:create:search-or-import",
      "websets:create:metadata-limits",
      "websets:create:import-and-scope",
      "websets:search:query-limits",
      "websets:search:criteria-limits",
      "websets:entity:custom-description",
      "websets:enrichment:create-limits",
      "websets:enrichment:boolean-refused",
      "websets:enrichment:options-needed",
      "websets:hints:criteria-strings",
      "websets:hints:entity-string",
      "websets:hints:behavior",
      "websets:hints:options",
    ],
    "refuses wrong shapes with what is usually wrong",
    async () => {
      const scope = [{ source: "webset", id: first.id }];
      const bodies: readonly unknown[] = [
        {},
        { search: { query: "" } },
        { search: { query: "x".repeat(5_001) } },
        { search: { query: "bikes", criteria: ["makes bikes"] } },
        { search: { query: "bikes", criteria: Array.from({ length: 6 }, () => CRITERION) } },
        { search: { query: "bikes", entity: "company" } },
        { search: { query: "bikes", entity: { type: "custom", description: "x" } } },
        { search: SEARCH, metadata: { long: "x".repeat(1_001) } },
        { search: { ...SEARCH, scope }, import: scope },
        { search: SEARCH, enrichments: [{ description: "", format: "text" }] },
        { search: SEARCH, enrichments: [{ description: "Is it good?", format: "boolean" }] },
        { search: SEARCH, enrichments: [{ description: "Kind", format: "options" }] },
      ];
      for (const body of bodies) {
        const refused = await server.call("POST", "/websets/v0/websets", body);
        expect(refused).toMatchObject({ status: 400, body: { statusCode: 400 } });
        expect((refused.body as { readonly message: string }).message).toContain("Common issues: ");
      }
      const behavior = await server.call("POST", `/websets/v0/websets/${first.id}/searches`, {
        ...SEARCH,
        behavior: "merge",
      });
      expect(behavior.status).toBe(400);
      expect(JSON.stringify(behavior.body)).toContain("behavior is 'append' or 'override'");
    },
  );

  verifies(
    [
      "websets:items:etag",
      "websets:items:list-paged",
      "websets:items:source-filter",
      "websets:item:delete",
      "websets:team:me",
    ],
    "pages, filters and deletes items; answers 304 to who has them",
    async () => {
      const route = `${server.url}/websets/v0/websets/${first.id}/items?limit=2`;
      const headers = { "x-api-key": server.key };
      const reply = await fetch(route, { headers });
      const page = (await reply.json()) as { data: { sourceId: string }[]; hasMore: boolean; nextCursor: string };
      expect(page).toMatchObject({ hasMore: true });
      const etag = reply.headers.get("etag") ?? "";
      expect((await fetch(route, { headers: { ...headers, "if-none-match": etag } })).status).toBe(304);
      const rest = await exa.websets.items.list(first.id, { cursor: page.nextCursor, limit: 2 });
      expect(rest).toMatchObject({ hasMore: false, nextCursor: null });
      expect(rest.data).toHaveLength(1);
      const none = await server.call("GET", `/websets/v0/websets/${first.id}/items?sourceId=wsearch_none`);
      expect(none.body).toMatchObject({ data: [] });
      const gone = rest.data[0]?.id ?? "";
      expect(await exa.websets.items.delete(first.id, gone)).toMatchObject({ id: gone, object: "webset_item" });
      await expect(exa.websets.items.get(first.id, gone)).rejects.toMatchObject({ statusCode: 404 });
      const team = await server.call("GET", "/websets/v0/teams/me");
      expect(team.body).toMatchObject({ object: "team", concurrency: { active: 0, queued: 0 } });
    },
  );

  verifies(
    ["websets:find:live-crawl-of-named-sites", "websets:search:query-urls", "websets:explain:waiting-for"],
    "crawls a site that the query names, and says what it waits for meanwhile",
    async () => {
      const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
      const made = await exa.websets.create({
        search: { ...SEARCH, query: `companies such as ${address} that make electric cargo bikes` },
      });
      const explained = await server.call("GET", `/quarry/v1/websets/${made.id}/explain`);
      expect(explained).toMatchObject({ status: 200, body: { waitingFor: [{ kind: "search" }] } });
      await exa.websets.waitUntilIdle(made.id, WAIT);
      const items = await itemsOf(made.id);
      expect(items.some(({ properties }) => JSON.stringify(properties).includes("Fjordbike"))).toBe(true);
      const done = await server.call("GET", `/quarry/v1/websets/${made.id}/explain`);
      expect(done.body).toMatchObject({ status: "idle", waitingFor: [] });
    },
    120_000,
  );

  verifies(["websets:estimate:before-run"], "tells before a run what it takes at most", async () => {
    const body = { search: { ...SEARCH, count: 2 }, enrichments: [{ description: "Employees" }] };
    const reply = await server.call("POST", "/quarry/v1/websets/estimate", body);
    expect(reply).toMatchObject({
      status: 200,
      body: { items: 2, candidates: 100, verdicts: 100, cells: 2, tokens: 0, costDollars: 0, withinCaps: true },
    });
  });

  verifies("websets:trap:old-enum-values", "sends no value that old clients do not know", async () => {
    const all = await server.call("GET", "/websets/v0/websets?limit=100");
    const text = JSON.stringify(all.body);
    expect(text).not.toContain("out_of_credits");
    expect(Object.values(WebsetSearchStatus).map(String)).toEqual(
      expect.arrayContaining(["created", "running", "completed", "canceled"]),
    );
  });
});
