import { makeId } from "@quarry/base";
import { PRICE_LISTS, type CellAttempt } from "@quarry/contract";
import { insertWebset, insertWebsetEnrichment, insertWebsetItem, recordCellAttempt } from "@quarry/store";
import { JUDGES, readLiving, type WebsetsDeps } from "@quarry/websets";
import { expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { websetItemRoutes } from "./webset-items.ts";

const NOW = new Date("2026-03-10T12:00:00.000Z");
const JUDGED: CellAttempt = {
  round: 1,
  tries: 2,
  outcome: "filled",
  pages: 3,
  tokens: 0,
  costDollars: 0.015,
  at: NOW.toISOString(),
};
const FILLED: CellAttempt = { ...JUDGED, tries: 1, outcome: "empty" };
const COMPANY = {
  name: "Alpenrad",
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
const PAGE = "https://alpenrad.example/";
const ENTITY = {
  type: "company",
  name: "Alpenrad",
  aliases: [],
  url: PAGE,
  properties: { type: "company", url: PAGE, description: "Makes bikes.", content: "", company: COMPANY },
  pages: [PAGE],
  key: "company:alpenrad",
  sameAs: [],
};
const ITEM = "/quarry/v1/websets/webset_1/items/item_1";
const OF_CELL = `${ITEM}/cells/enrich_1/attempts`;
const OF_VERDICT = `${ITEM}/verdict/attempts?criterion=${encodeURIComponent("makes cargo bikes")}`;

/** A webset of one item that was judged once, with one cell that was filled once. */
async function makeItem({ db, teamId }: HttpWorld): Promise<void> {
  await db.transaction(async (tx) => {
    const nothing = { caps: {}, excludes: [], imports: [], metadata: {}, title: null, externalId: null };
    await insertWebset(tx, { id: "webset_1", teamId, ...nothing }, NOW);
    const shared = { websetId: "webset_1", teamId };
    const verdict = { criterion: "makes cargo bikes", satisfied: "yes", reasoning: "It says so.", references: [] };
    const item = {
      ...shared,
      id: "item_1",
      entityKey: "company:alpenrad",
      identities: [],
      entity: ENTITY,
      groupKey: null,
      source: "search",
      sourceId: "wsearch_1",
      sourceEntityId: null,
      scopeId: null,
      contentSnapshotId: null,
      contentExtractorVersion: null,
      evaluations: [{ ...verdict, satisfied: "yes", attempts: [JUDGED] }],
    } as const;
    await insertWebsetItem(tx, item, NOW);
    const wish = { title: null, description: "Founded", options: null, instructions: null, metadata: {} };
    await insertWebsetEnrichment(tx, { ...shared, id: "enrich_1", format: "number", ...wish }, NOW);
    await recordCellAttempt(tx, { itemId: "item_1", enrichmentId: "enrich_1" }, FILLED);
  });
}

function withItem(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(
    async (world) => {
      await makeItem(world);
      await work(world);
    },
    ({ db }) => {
      const websets: WebsetsDeps = {
        database: db,
        clock: { now: () => NOW },
        llm: undefined,
        judges: JUDGES,
        prices: PRICE_LISTS.free,
        newId: (prefix) => makeId(prefix),
        find: () => Promise.resolve([]),
        readPages: () => Promise.resolve([]),
        dashboardUrl: (id) => id,
        readLiving,
      };
      return { routes: websetItemRoutes({ websets }) };
    },
  );
}

it("tells how a cell was filled and how a verdict was reached", () =>
  withItem(async ({ call }) => {
    expect((await call("GET", OF_CELL)).json()).toEqual({ data: [FILLED] });
    expect((await call("GET", OF_VERDICT)).json()).toEqual({ data: [JUDGED] });
    const item = await call("GET", "/websets/v0/websets/webset_1/items/item_1");
    expect(item.statusCode, item.body).toBe(200);
    expect(item.body).not.toContain("attempts"); // Exa's shape has none
    const put = await call("PUT", `${ITEM}/verdict`, { body: { criterion: "makes cargo bikes", satisfied: "no" } });
    expect(put.statusCode, put.body).toBe(200);
    expect((await call("GET", OF_VERDICT)).json()).toEqual({ data: [JUDGED] }); // a person is no attempt, and ends none
  }));

it("shows another team nothing, and says what is wrong with a question", () =>
  withItem(async ({ call, makeKey, makeTeam }) => {
    const { secret } = await makeKey({ teamId: await makeTeam() });
    for (const address of [OF_CELL, OF_VERDICT]) {
      expect((await call("GET", address, { key: secret })).statusCode).toBe(404);
    }
    for (const address of [
      `${ITEM}/cells/enrich_2/attempts`,
      "/quarry/v1/websets/webset_1/items/item_2/cells/enrich_1/attempts",
      OF_VERDICT.replace("item_1", "item_2"),
    ]) {
      expect((await call("GET", address)).statusCode).toBe(404);
    }
    const unknown = await call("GET", `${ITEM}/verdict/attempts?criterion=bakes`);
    expect([unknown.statusCode, unknown.body]).toEqual([400, expect.stringContaining("makes cargo bikes")]);
    expect((await call("GET", `${ITEM}/verdict/attempts`)).statusCode).toBe(400);
  }));
