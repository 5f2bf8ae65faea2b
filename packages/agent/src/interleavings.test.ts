import { randomInt } from "node:crypto";
import { findChainBreak, getToolCall, listAudit, type AuditRecord, type Database, type takeGrant } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { runInterleaving, type Chance, type Plant } from "./testing.ts";

/** Five hundredths of the soak `tools-interleavings`. */
const INTERLEAVINGS = 5_000;
const AT_ONCE = 8;

describe("interleavings of calls, answers, cancels and restarts", () => {
  verifies(
    ["approvals:proof:interleavings", "policy:audit:every-call"],
    "run nothing without a grant, use none twice and leave none stuck",
    () =>
      withTeam(async (db, teamId) => {
        const seed = randomInt(2 ** 31);
        const found = await runMany(db, { teamId, seed, count: INTERLEAVINGS });
        expect({ seed, violations: found.violations.slice(0, 3) }).toEqual({ seed, violations: [] });
        expect(found.effects).toBeGreaterThan(INTERLEAVINGS / 5);
        const log = await readLog(db, teamId);
        const [ended] = await db.query<{ count: number }>("SELECT count(*) FROM tool_calls WHERE outcome IS NOT NULL");
        const told = log.filter(({ entry }) => (JSON.parse(entry) as { callId: string | null }).callId !== null);
        expect([findChainBreak(log), told.length]).toEqual([undefined, ended?.count]);
      }),
    900_000,
  );

  verifies(
    "approvals:proof:planted-bug",
    "notice a grant that can be used again",
    () =>
      withTeam(async (db, teamId) => {
        const seed = randomInt(2 ** 31);
        // How soon it shows is chance; that it shows long before the count of a whole run is what counts.
        const violations: string[] = [];
        for (let round = 0; round < MOST_ROUNDS && violations.length === 0; round += 1) {
          const plant = { takeGrant: takeGrantAgain };
          const found = await runMany(db, { teamId, seed: seed + round * ROUND, count: ROUND, plant });
          violations.push(...found.violations);
        }
        expect({ seed, violations: violations.join() }).toEqual({
          seed,
          violations: expect.stringContaining("without a grant of its own") as string,
        });
      }),
    120_000,
  );
});

/** Interleavings a round, each of a seed of its own. */
const ROUND = 200;
const MOST_ROUNDS = 12;

/** The planted mistake: it asks whether there ever was a grant, not whether it is still there to be used. It locks as the real one does. */
const takeGrantAgain: typeof takeGrant = async (db, { callId, runnerId, leaseUntil }, now) => {
  await db.query(
    `WITH locked AS (
       SELECT id FROM tool_calls WHERE id = $1 FOR UPDATE
     ), used AS (
       UPDATE tool_approvals a SET state = 'used', used_at = $4 FROM locked
       WHERE a.call_id = locked.id AND a.state IN ('granted', 'used') RETURNING a.id
     )
     UPDATE tool_calls c SET state = 'running', allowed_by = used.id, runner_id = $2, lease_until = $3, outcome = NULL,
       sequence = NULL, run_args = coalesce((SELECT edited_args FROM tool_approvals WHERE call_id = $1), args)
     FROM used WHERE c.id = $1 AND c.state IN ('awaiting-approval', 'running')`,
    [callId, runnerId, leaseUntil, now],
  );
  const call = await getToolCall(db, callId);
  return call?.state === "running" ? call : undefined;
};

async function runMany(
  db: Database,
  run: { readonly teamId: string; readonly seed: number; readonly count: number; readonly plant?: Plant },
): Promise<{ readonly effects: number; readonly violations: readonly string[] }> {
  const violations: string[] = [];
  let effects = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < run.count) {
      const number = next;
      next += 1;
      const found = await runInterleaving(db, run.teamId, makeChance(run.seed + number), run.plant);
      effects += found.effects;
      violations.push(...found.violations.map((violation) => `${number}: ${violation}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { effects, violations };
}

async function readLog(db: Database, teamId: string): Promise<readonly AuditRecord[]> {
  const log: AuditRecord[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listAudit(db, teamId, { limit: 1_000, cursor });
    log.push(...page.data);
    if (page.nextCursor === null) return log;
    cursor = page.nextCursor;
  }
}

function withTeam(work: (db: Database, teamId: string) => Promise<void>): Promise<void> {
  return withDatabase(
    async (db) => {
      await db.query("INSERT INTO teams (id, name) VALUES ('team', 'team')");
      await work(db, "team");
    },
    { maxConnections: AT_ONCE },
  );
}

/** Chance that a seed repeats (mulberry32). */
function makeChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    integer,
    chance: (probability) => next() < probability,
    pick: (list) => {
      const picked = list[integer(0, list.length - 1)];
      if (picked === undefined) throw new RangeError("there is nothing to pick from");
      return picked;
    },
  };
}
