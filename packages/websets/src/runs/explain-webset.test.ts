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

describe("what a webset turned down", () => {
  it("is named with the criterion that was not met and the reason, the latest first", () =>
    withDatabase(async (db) => {
      const world = await openWorld(db, [
        { name: "Acme", says: "Acme makes rockets. It sells abroad." },
        { name: "Beta", says: "Beta makes rockets. It does not sells abroad." },
        { name: "Delta", says: "Delta makes cakes." },
      ]);
      const criteria = [{ description: "makes rockets" }, { description: "sells abroad" }];
      const { id } = await world.create({ search: { query: "makes rockets", count: 10, criteria } });
      const done = await world.work(id);
      const searchId = done.searches[0]?.id;
      const { turnedDown } = await explainWebset(world.deps, { teamId: world.teamId, webset: id });
      expect(turnedDown).toEqual([
        {
          ...{ name: "Delta", url: "https://delta.example/", searchId },
          ...{ criterion: "makes rockets", satisfied: "unclear", reasoning: "It is silent." },
        },
        {
          ...{ name: "Beta", url: "https://beta.example/", searchId },
          ...{ criterion: "sells abroad", satisfied: "no", reasoning: "It says so." },
        },
      ]);
    }));
});
