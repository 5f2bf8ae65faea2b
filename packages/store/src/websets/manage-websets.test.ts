import { expect, it } from "vitest";
import { ensureFirstTeam } from "../identity/teams.ts";
import { withDatabase } from "../testing.ts";
import { bookExpense, insertWebset } from "./manage-websets.ts";

const NOW = new Date("2026-03-01T12:00:00Z");

it.each([
  ["a cap of pages", 8, [true, false]],
  ["a cap of more pages than there are", Number.MAX_SAFE_INTEGER, [true, true]],
])("an expense is booked up to %s", (_, pages, booked) =>
  withDatabase(async (db) => {
    const { teamId } = await ensureFirstTeam(db, { now: NOW });
    const nothing = { excludes: [], imports: [], metadata: {}, title: null, externalId: null };
    await db.transaction((tx) => insertWebset(tx, { id: "webset_1", teamId, ...nothing, caps: { pages } }, NOW));
    expect(await bookExpense(db, "webset_1", { pages: 8 })).toBe(booked[0]);
    expect(await bookExpense(db, "webset_1", { pages: 1 })).toBe(booked[1]);
  }),
);
