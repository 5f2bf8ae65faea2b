import { makeId } from "@quarry/base";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { ensureFirstTeam } from "../identity/teams.ts";
import { claimJobs } from "../jobs/claim-jobs.ts";
import { withDatabase } from "../testing.ts";
import {
  cancelResearch,
  createResearch,
  getResearch,
  listResearch,
  moveResearchBy,
  RESEARCH_JOB,
} from "./manage-research.ts";
import { appendResearchEvents, listResearchEvents } from "./research-events.ts";

const now = new Date("2026-03-01T12:00:00Z");

async function begin(db: Database, id = makeId("research"), keyId: string | null = null) {
  const { teamId } = await ensureFirstTeam(db, { now });
  const wanted = { id, teamId, keyId, model: "exa-research", instructions: "Why?", outputSchema: null };
  return createResearch(db, wanted, { maxRunning: 2, now });
}

describe("a research task", () => {
  it("is made once with its job, listed newest first, and seen by its team alone", () =>
    withDatabase(async (db) => {
      const first = await begin(db);
      expect(await begin(db, first.id)).toEqual(first);
      const second = await begin(db);
      const { data } = await listResearch(db, first.teamId, { limit: 10 });
      expect(data.map(({ id }) => id)).toEqual([second.id, first.id]);
      await expect(getResearch(db, "team_other", first.id)).rejects.toMatchObject({ code: "not_found" });
    }));

  it("starts while fewer of its key run than may", () =>
    withDatabase(async (db) => {
      for (let count = 0; count < 4; count += 1) await begin(db, makeId("research"), "apikey_1");
      await begin(db, makeId("research"), "apikey_2");
      const claimed = await claimJobs(db, { kinds: [RESEARCH_JOB], workerId: "w", limit: 10, leaseMs: 60_000 });
      expect(claimed).toHaveLength(3);
    }));

  it("is cancelled once, and then stays as it is", () =>
    withDatabase(async (db) => {
      const { id, teamId } = await begin(db);
      const canceled = await cancelResearch(db, teamId, id, now);
      expect(canceled).toMatchObject({ status: "canceled", finishedAt: now });
      expect(await cancelResearch(db, teamId, id, new Date())).toEqual(canceled);
      const later = await db.transaction((tx) => moveResearchBy(tx, id, { move: "complete", output: {}, now }));
      expect(later).toBeUndefined();
    }));
});

describe("events of a run", () => {
  it("are appended in order, and only by who knows all before", () =>
    withDatabase(async (db) => {
      const { id } = await begin(db);
      await db.transaction((tx) => moveResearchBy(tx, id, { move: "start", now }));
      const append = (known: number, ...words: readonly string[]) =>
        db.transaction((tx) =>
          appendResearchEvents(
            tx,
            id,
            known,
            words.map((event) => ({ event, memory: { event } })),
            now,
          ),
        );
      await append(0, "a", "b");
      const race = await Promise.allSettled([append(2, "c"), append(2, "C")]);
      expect(race.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      await expect(append(2, "d")).rejects.toMatchObject({ code: "conflict" });
      const events = await listResearchEvents(db, id);
      expect(events.map(({ number }) => number)).toEqual([0, 1, 2]);
      expect((await listResearchEvents(db, id, 1)).map(({ memory }) => memory)).toHaveLength(2);
    }));

  it("are refused once the task has ended", () =>
    withDatabase(async (db) => {
      const { id, teamId } = await begin(db);
      await db.transaction((tx) => moveResearchBy(tx, id, { move: "start", now }));
      await cancelResearch(db, teamId, id, now);
      const late = db.transaction((tx) => appendResearchEvents(tx, id, 0, [{ event: "late" }], now));
      await expect(late).rejects.toMatchObject({ code: "conflict" });
    }));
});
