import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInterleaving } from "@quarry/agent/testing";
import { findChainBreak, listAudit, migrate, openDatabase, startEmbeddedPostgres } from "@quarry/store";
import { makeRandom } from "./random.ts";
import type { Soak } from "./soak.ts";

const INTERLEAVINGS = 100_000;
const AT_ONCE = 8;
const SEEDS = 2 ** 31 - 1;

/** 100,000 random interleavings of calls, answers, cancels, deaths and restarts: no effect without a grant, none used twice, no call stuck. */
export const toolsInterleavingsSoak: Soak = {
  name: "tools-interleavings",
  run: async ({ random, size, report }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-soak-tools-"));
    // Processes die in it, the machine does not: nothing needs to reach the disk.
    const settings = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };
    const server = await startEmbeddedPostgres({ dataDirectory: directory, settings });
    const db = await openDatabase({ address: server.address, maxConnections: AT_ONCE });
    try {
      await migrate(db, path.resolve("packages/store/migrations"));
      await db.query("INSERT INTO teams (id, name) VALUES ('team', 'team')");
      const total = Math.round(INTERLEAVINGS * size);
      const violations: string[] = [];
      const figures = { interleavings: total, actions: 0, effects: 0 };
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < total) {
          next += 1;
          const seed = random.integer(0, SEEDS);
          const found = await runInterleaving(db, "team", makeRandom(seed));
          figures.actions += found.actions;
          figures.effects += found.effects;
          violations.push(...found.violations.map((violation) => `seed ${seed}: ${violation}`));
          if (next % 1_000 === 0) report(`${next} of ${total}, ${violations.length} violations`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      violations.push(...(await checkLog(db)));
      return { figures, violations };
    } finally {
      await db.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function checkLog(db: Awaited<ReturnType<typeof openDatabase>>): Promise<readonly string[]> {
  let after = { sequence: 0, hash: "00".repeat(32) };
  for (let cursor: string | undefined; ;) {
    const page = await listAudit(db, "team", { limit: 5_000, cursor });
    const broken = findChainBreak(page.data, after);
    if (broken !== undefined) return [`the audit log is broken at ${broken.sequence}: ${broken.problem}`];
    after = page.data.at(-1) ?? after;
    if (page.nextCursor === null) return [];
    cursor = page.nextCursor;
  }
}
