import { makeId } from "@quarry/base";
import { withDatabase } from "@quarry/store/testing";
import { expect, it } from "vitest";
import { createWebsetSearch } from "./manage-searches.ts";
import { openWorld, searchWish } from "./testing-world.ts";

const ROCKETS = { query: "makes rockets", count: 10, criteria: [{ description: "makes rockets" }] };

it("counts in its recall what the webset has already, and adds it no second time", () =>
  withDatabase(async (db) => {
    const companies = ["Acme", "Beta", "Gamma"].map((name) => ({ name, says: `${name} makes rockets.` }));
    const world = await openWorld(db, companies);
    const { id } = await world.create({ search: ROCKETS });
    await world.work(id);
    const maker = { id: makeId("wsearch"), teamId: world.teamId };
    const wish = searchWish({ ...ROCKETS, behavior: "append", recall: true });
    await createWebsetSearch(world.deps, { teamId: world.teamId, webset: id }, maker, wish);
    const done = await world.work(id);
    expect(done.items).toHaveLength(3);
    expect(done.searches[1]).toMatchObject({
      progress: { found: 0, analyzed: 3, completion: 100 },
      recall: { expected: { total: 3, bounds: { min: 3 } } },
    });
  }));
