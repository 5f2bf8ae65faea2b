import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { AppError, sleep } from "@quarry/base";
import {
  cancelJobs,
  deleteJobSchedule,
  enqueueJobs,
  migrate,
  openDatabase,
  setJobSchedule,
  startEmbeddedPostgres,
  type Database,
  type EmbeddedPostgres,
  type NewJob,
} from "@quarry/store";
import { buildProgram } from "./build-program.ts";
import { checkJobs, makeSoakTables } from "./jobs-check.ts";
import { startWorkers, type WorkerCrew } from "./jobs-workers.ts";
import { makeWorkload } from "./jobs-workload.ts";
import type { Random } from "./random.ts";
import type { Soak, SoakContext, SoakResult } from "./soak.ts";

const JOBS = 5_000;
const KILLS = 200;
const CREW = 4;
const LEASE_MS = 2_000;
/** Jobs on top of the proof's, some of which are called off. */
const CANCELABLE_PER_ROUND = 2;
const FINISH_WITHIN_MS = 180_000;

/** 200 kills of a worker during 5,000 jobs that write rows: each effect is there exactly once, no job is stuck. */
export const jobsSoak: Soak = {
  name: "jobs",
  run: (context) => runJobsSoak(context, async ({ crew }) => crew.killOne(), { lullMs: 400 }),
};

/** The same, killing the database server itself, and now and then a worker too. */
export const jobsDatabaseSoak: Soak = {
  name: "jobs-database",
  run: (context) =>
    runJobsSoak(
      context,
      async ({ crew, server, random }) => {
        const killed = server.pid();
        process.kill(killed, "SIGKILL");
        if (random.chance(0.1)) await crew.killOne();
        while (server.pid() === killed) await sleep(20);
      },
      { lullMs: 800 },
    ),
};

interface Scene {
  readonly crew: WorkerCrew;
  readonly server: EmbeddedPostgres;
  readonly random: Random;
}

async function runJobsSoak(
  context: SoakContext,
  strike: (scene: Scene) => Promise<void>,
  options: { readonly lullMs: number },
): Promise<SoakResult> {
  const { random } = context;
  const startedAtMs = performance.now();
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-soak-jobs-"));
  const program = await buildProgram("tools/soak/jobs-worker.ts");
  const server = await startEmbeddedPostgres({ dataDirectory: directory });
  const failures: string[] = [];
  let crew: WorkerCrew | undefined;
  let db: Database | undefined;
  try {
    db = await openDatabase({ address: server.address, connectPatienceMs: 60_000 });
    await migrate(db, path.resolve("packages/store/migrations"));
    await makeSoakTables(db);
    const everySecond = { pattern: "* * * * * *", timeZone: "UTC" };
    await setJobSchedule(db, { name: "soak", kind: "soak-slot", payload: null, maxAttempts: 200, ...everySecond });
    crew = startWorkers({
      program,
      address: server.address,
      leaseMs: LEASE_MS,
      size: CREW,
      random,
      onFailure: (failure) => failures.push(failure),
    });

    const kills = Math.max(1, Math.round(KILLS * context.size));
    const total = Math.round(JOBS * context.size);
    const workload = makeWorkload(random, total);
    const cancelable = makeWorkload(random, kills * CANCELABLE_PER_ROUND, total);
    for (let round = 0; round < kills; round += 1) {
      await enqueueOnce(db, round, [
        ...sliceOf(workload.jobs, round, kills),
        ...sliceOf(cancelable.jobs, round, kills),
      ]);
      await crew.untilAtWork();
      await sleep(random.integer(0, options.lullMs));
      if (random.chance(0.5)) await cancelSome(db, random, cancelable.numbers);
      if (random.chance(0.05)) await crew.stopOne();
      await strike({ crew, server, random });
      if ((round + 1) % 20 === 0) context.report(`${round + 1} of ${kills} kills`);
    }
    await untilDatabaseAnswers(db, async (database) => {
      await deleteJobSchedule(database, "soak");
      // Nobody need wait out the back-off of what the kills made fail.
      await database.query("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'");
      await database.query("SELECT wake_job_runners('{soak-a,soak-b,soak-c}')");
    });
    await waitForTheEnd(db, context.report);

    const figures = await readFigures(db);
    const violations = await checkJobs(db, { numbers: workload.numbers, cancelable: cancelable.numbers });
    const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
    return {
      figures: { jobs: total, kills, ...figures, seconds },
      violations: [...violations, ...failures],
    };
  } finally {
    await crew?.dismiss();
    await db?.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
    await rm(program, { force: true });
  }
}

function sliceOf<T>(list: readonly T[], round: number, rounds: number): readonly T[] {
  return list.slice(Math.floor((list.length * round) / rounds), Math.floor((list.length * (round + 1)) / rounds));
}

/** A commit whose answer was lost must not add the jobs again. */
async function enqueueOnce(db: Database, batch: number, jobs: readonly NewJob[]): Promise<void> {
  await untilDatabaseAnswers(db, (database) =>
    database.transaction(async (tx) => {
      const added = await tx.query("INSERT INTO soak_enqueued VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1", [batch]);
      if (added.length > 0) await enqueueJobs(tx, jobs);
    }),
  );
}

async function cancelSome(db: Database, random: Random, cancelable: readonly number[]): Promise<void> {
  const numbers = [random.pick(cancelable), random.pick(cancelable)];
  await untilDatabaseAnswers(db, async (database) => {
    const rows = await database.query<{ id: string }>(
      "SELECT id FROM jobs WHERE (payload->>'number')::int = ANY ($1)",
      [numbers],
    );
    await cancelJobs(
      database,
      rows.map(({ id }) => id),
    );
  });
}

/** The soak's own statements come again until the server is back. */
async function untilDatabaseAnswers<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(db);
    } catch (error) {
      if (!AppError.from(error).retryable || attempt === 100) throw error;
    }
    await sleep(50);
  }
}

async function waitForTheEnd(db: Database, report: (line: string) => void): Promise<void> {
  const deadlineMs = performance.now() + FINISH_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    const [row] = await untilDatabaseAnswers(db, (database) =>
      database.query<{ open: number }>(
        "SELECT count(*) AS open FROM jobs WHERE state IN ('scheduled', 'queued', 'blocked', 'running')",
      ),
    );
    if (row?.open === 0) return;
    await sleep(100);
  }
  report(`not done ${FINISH_WITHIN_MS / 1_000} s after the last kill`);
}

async function readFigures(db: Database): Promise<Readonly<Record<string, number>>> {
  const [row] = await db.query<Record<string, number>>(
    `SELECT (SELECT count(*) FROM soak_effects) AS effects,
       (SELECT count(DISTINCT number) FROM soak_effects) AS "distinct effects",
       (SELECT count(*) FROM soak_slots) AS "cron slots run",
       count(*) FILTER (WHERE state = 'canceled') AS "jobs canceled",
       count(*) FILTER (WHERE attempts > 1 + coalesce((payload->>'failures')::int, 0)) AS "jobs begun again after a kill",
       max(attempts) AS "most tries of a job"
     FROM jobs`,
  );
  return row ?? {};
}
