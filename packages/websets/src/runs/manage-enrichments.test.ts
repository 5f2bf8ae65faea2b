import { makeId } from "@quarry/base";
import { withDatabase } from "@quarry/store/testing";
import { describe, expect, it } from "vitest";
import { runDueJobs } from "../testing/run-jobs.ts";
import { WEBSET_CELL_JOB } from "./jobs.ts";
import { cancelEnrichment, deleteEnrichment } from "./manage-enrichments.ts";
import { createWebsetSearch } from "./manage-searches.ts";
import { cancelWebset } from "./steer-webset.ts";
import { openWorld, searchWish, type TestWorld } from "./testing-world.ts";
import { createWebsetJobHandlers } from "./websets-jobs.ts";

const ROCKETS = { query: "makes rockets", count: 10, criteria: [{ description: "makes rockets" }] };
const COLUMNS = [
  { description: "Employees:", format: "number" as const },
  { description: "Founded:", format: "number" as const },
];

function withWorld(work: (world: TestWorld) => Promise<void>): Promise<void> {
  const companies = ["Acme", "Beta"].map((name) => ({ name, says: `${name} makes rockets.` }));
  return withDatabase(async (db) => work(await openWorld(db, companies)));
}

/** Does what is due but fill cells. */
async function runAllButCells({ db, deps }: TestWorld): Promise<void> {
  const handlers = Object.entries(createWebsetJobHandlers(deps)).filter(([kind]) => kind !== WEBSET_CELL_JOB);
  await runDueJobs(db, Object.fromEntries(handlers), new Date(Date.now() + 500));
}

describe("the end of an enrichment", () => {
  it.each([
    ["canceled", cancelEnrichment],
    ["deleted", deleteEnrichment],
  ])("that is %s leaves items enriched whose last open cells were its own", (_, end) =>
    withWorld(async (world) => {
      const { id, enrichments } = await world.create({ search: ROCKETS, enrichments: COLUMNS });
      const reference = { teamId: world.teamId, webset: id };
      await runAllButCells(world);
      await end(world.deps, reference, enrichments[0]?.id ?? "");
      expect(await world.events(id)).not.toContain("webset.item.enriched");
      await end(world.deps, reference, enrichments[1]?.id ?? "");
      const told = (await world.events(id)).slice(-3);
      expect(told).toEqual(["webset.item.enriched", "webset.item.enriched", "webset.idle"]);
    }),
  );
});

describe("the end of a webset's work", () => {
  it("cancels enrichments that had no items yet, and they stay so when items come", () =>
    withWorld(async (world) => {
      const { id } = await world.create({ search: ROCKETS, enrichments: COLUMNS });
      const reference = { teamId: world.teamId, webset: id };
      const canceled = await cancelWebset(world.deps, reference);
      expect(canceled.enrichments.map(({ status }) => status)).toEqual(["canceled", "canceled"]);
      const maker = { id: makeId("wsearch"), teamId: world.teamId };
      await createWebsetSearch(world.deps, reference, maker, searchWish({ ...ROCKETS, behavior: "append" }));
      const done = await world.work(id);
      expect(done.items?.map(({ enrichments }) => enrichments)).toEqual([[], []]);
    }));

  it("leaves enrichments alone that are done", () =>
    withWorld(async (world) => {
      const { id } = await world.create({ search: ROCKETS, enrichments: COLUMNS });
      await world.work(id);
      const canceled = await cancelWebset(world.deps, { teamId: world.teamId, webset: id });
      expect(canceled.enrichments.map(({ status }) => status)).toEqual(["completed", "completed"]);
    }));
});
