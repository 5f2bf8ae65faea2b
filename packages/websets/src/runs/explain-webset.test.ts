import { AppError } from "@quarry/base";
import { withDatabase } from "@quarry/store/testing";
import { describe, expect, it } from "vitest";
import { explainWebset } from "./explain-webset.ts";
import { openWorld } from "./testing-world.ts";

describe("what a webset waits for", () => {
  it("names the search that failed, and why", () =>
    withDatabase(async (db) => {
      const find = () => Promise.reject(new AppError("upstream_failed", "the index is gone for good"));
      const world = await openWorld(db, [], { find });
      const criteria = [{ description: "makes rockets" }];
      const { id } = await world.create({ search: { query: "makes rockets", count: 10, criteria } });
      const done = await world.work(id);
      expect(await explainWebset(world.deps, { teamId: world.teamId, webset: id })).toMatchObject({
        status: "idle",
        summary: "The webset is idle and waits for nothing; a search failed: the index is gone for good.",
        waitingFor: [{ kind: "failed", id: done.searches[0]?.id, text: "a search failed: the index is gone for good" }],
      });
    }));
});
