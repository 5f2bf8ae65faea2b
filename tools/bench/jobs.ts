import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  claimJobs,
  completeJob,
  completeJobs,
  enqueueJob,
  enqueueJobs,
  migrate,
  openDatabase,
  startEmbeddedPostgres,
  startJobRunner,
  type Database,
  type LeasedJob,
} from "@quarry/store";
import type { Benchmark } from "./benchmark.ts";

/** The job queue, beside bare statements of the same minute. */
export const jobsBenchmark: Benchmark = {
  name: "jobs",
  run: async ({ size, progress }) => {
    progress("jobs: measuring on an embedded PostgreSQL of its own");
    const bench = await benchJobs({ size });
    const ms = (value: number): string => `${value.toFixed(2)} ms`;
    const perSecond = (value: number): string => `${value.toFixed(0)} /s`;
    const times = (value: number): string => `${value.toFixed(2)} x`;
    return {
      figures: { ...bench },
      tables: [
        {
          title: "Jobs (median; times a bare transaction; promise)",
          columns: ["", "measured", "ratio", "promise"],
          rows: [
            ["one round trip (SELECT 1)", ms(bench.roundTripMs), "", ""],
            ["bare INSERT + UPDATE, committed", ms(bench.bareTransactionMs), times(1), ""],
            ["enqueue one", ms(bench.enqueueMs), times(bench.enqueueToBareTransaction), ""],
            ["enqueue one by one", perSecond(bench.enqueuePerSecond), "", ""],
            ["enqueue in bulk", perSecond(bench.bulkEnqueuePerSecond), "", ""],
            [
              "claim and complete one",
              ms(bench.claimAndCompleteMs),
              times(bench.claimAndCompleteToBareTransaction),
              "2.50 ms",
            ],
            ["  at the 95th percentile", ms(bench.claimAndCompleteP95Ms), "", ""],
            ["  with an effect in its transaction", ms(bench.claimAndCompleteWithEffectMs), "", ""],
            ["  in front of a long queue", ms(bench.claimAndCompleteInLongQueueMs), "", "2.50 ms"],
            ["  beside a hot key", ms(bench.claimAndCompleteBesideHotKeyMs), "", "2.50 ms"],
            ["  beside a hot key, before the next vacuum", ms(bench.claimAndCompleteBesideNewHotKeyMs), "", ""],
            ["longest claim while a hot key steps aside", ms(bench.longestClaimWhileSteppingAsideMs), "", ""],
            ["claim and complete in batches of 20", perSecond(bench.jobsPerSecondInBatchesOf20), "", ""],
            ["claims by eight claimers", perSecond(bench.competingClaimsPerSecond), "", ""],
            ["from commit to handler, runner idle", ms(bench.wakeUpMs), "", ""],
          ],
        },
      ],
    };
  },
};

/** What the job queue costs on this machine, now, beside what bare statements cost in the same minute. */
export interface JobsBench {
  /** One round trip: SELECT 1. */
  readonly roundTripMs: number;
  /** BEGIN, INSERT, UPDATE, COMMIT of one row, durable. */
  readonly bareTransactionMs: number;
  readonly enqueueMs: number;
  readonly enqueuePerSecond: number;
  readonly bulkEnqueuePerSecond: number;
  /** Claimed and completed, nothing in between. */
  readonly claimAndCompleteMs: number;
  readonly claimAndCompleteP95Ms: number;
  /** The same, with a row written in the completing transaction. */
  readonly claimAndCompleteWithEffectMs: number;
  /** The same as claimAndCompleteMs in front of 100,000 queued jobs. */
  readonly claimAndCompleteInLongQueueMs: number;
  /** The same beside 100,000 jobs of one key that is full, right after they have stepped aside. */
  readonly claimAndCompleteBesideNewHotKeyMs: number;
  /** The same once autovacuum has cleared away what they left in the indexes, within a minute. */
  readonly claimAndCompleteBesideHotKeyMs: number;
  /** The longest claim while those 100,000 step aside. */
  readonly longestClaimWhileSteppingAsideMs: number;
  readonly batchesOf20PerSecond: number;
  readonly jobsPerSecondInBatchesOf20: number;
  /** Claims per second by eight claimers of one job each. */
  readonly competingClaimsPerSecond: number;
  /** From the commit that adds a job to its handler, by an idle runner. */
  readonly wakeUpMs: number;
  readonly claimAndCompleteToBareTransaction: number;
  readonly enqueueToBareTransaction: number;
}

const KINDS = ["bench-a", "bench-b", "bench-c", "bench-d", "bench-e"];
const QUEUE_LENGTH = 100_000;

/** Runs the bench on an embedded PostgreSQL of its own, with the settings of production; `size` 1 takes about a minute. */
export async function benchJobs(options: { readonly size?: number } = {}): Promise<JobsBench> {
  // On a disk, also where tests keep their temporary files in memory: bare transactions are measured with their way there.
  const disk = process.env["TEST_DISK_DIRECTORY"] ?? tmpdir();
  const directory = await mkdtemp(path.join(disk, "quarry-bench-jobs-"));
  try {
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    try {
      const db = await openDatabase({ address: server.address });
      try {
        await migrate(db, path.resolve("packages/store/migrations"));
        await db.query("CREATE TABLE bench_rows (id text PRIMARY KEY, state text NOT NULL)");
        return await measure(db, options.size ?? 1);
      } finally {
        await db.close();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(db: Database, size: number): Promise<JobsBench> {
  const samples = Math.max(20, Math.round(500 * size));
  const queueLength = Math.round(QUEUE_LENGTH * size);
  const roundTrip: number[] = [];
  const bare: number[] = [];
  const enqueue: number[] = [];
  const cycle: number[] = [];
  const withEffect: number[] = [];
  for (let sample = -20; sample < samples; sample += 1) {
    // Interleaved, so that a busy minute of the machine falls on all of them; the first 20 warm up.
    const times = [
      await timed(() => db.query("SELECT 1")),
      await timed(() => bareTransaction(db, sample)),
      await timed(() => enqueueJob(db, { kind: "bench-a", payload: { sample } })),
      await timed(() => claimAndComplete(db)),
    ];
    await enqueueJob(db, { kind: "bench-b", payload: { sample } });
    times.push(await timed(() => claimAndComplete(db, (job) => writeRow(db, job))));
    if (sample < 0) continue;
    [roundTrip, bare, enqueue, cycle, withEffect].forEach((list, index) => list.push(times[index] ?? Number.NaN));
  }

  const bulkMs = await timed(() => addToQueue(db, queueLength));
  const longQueue = await repeat(samples, () => timed(() => claimAndComplete(db)));
  const batches = await repeat(Math.round(samples / 2), () => timed(() => claimAndCompleteBatch(db, 20)));
  const competing = await timed(() =>
    Promise.all(Array.from({ length: 8 }, () => repeat(Math.round(samples / 4), () => claim(db, 1)))),
  );

  await db.query("TRUNCATE jobs, job_lanes");
  await addToQueue(db, queueLength, { key: "hot", maxPerKey: 1, priority: 1 });
  await addToQueue(db, samples);
  const steppingAside: number[] = [];
  const hotJobs = await claim(db, 1);
  while ((await countQueuedHotJobs(db)) > 0) {
    steppingAside.push(await timed(async () => complete(db, await claim(db, 1))));
  }
  await addToQueue(db, samples);
  const besideNewHotKey = await repeat(Math.round(samples / 2), () => timed(() => claimAndComplete(db)));
  await db.query("VACUUM jobs");
  const besideHotKey = await repeat(Math.round(samples / 2), () => timed(() => claimAndComplete(db)));
  await complete(db, hotJobs);

  await db.query("TRUNCATE jobs, job_lanes");
  const wakeUp = await measureWakeUp(db, Math.round(samples / 5));
  const bareTransactionMs = median(bare);
  return {
    roundTripMs: median(roundTrip),
    bareTransactionMs,
    enqueueMs: median(enqueue),
    enqueuePerSecond: 1_000 / median(enqueue),
    bulkEnqueuePerSecond: (queueLength / bulkMs) * 1_000,
    claimAndCompleteMs: median(cycle),
    claimAndCompleteP95Ms: quantile(cycle, 0.95),
    claimAndCompleteWithEffectMs: median(withEffect),
    claimAndCompleteInLongQueueMs: median(longQueue),
    claimAndCompleteBesideNewHotKeyMs: median(besideNewHotKey),
    claimAndCompleteBesideHotKeyMs: median(besideHotKey),
    longestClaimWhileSteppingAsideMs: Math.max(...steppingAside),
    batchesOf20PerSecond: 1_000 / median(batches),
    jobsPerSecondInBatchesOf20: 20_000 / median(batches),
    competingClaimsPerSecond: ((8 * Math.round(samples / 4)) / competing) * 1_000,
    wakeUpMs: median(wakeUp),
    claimAndCompleteToBareTransaction: median(cycle) / bareTransactionMs,
    enqueueToBareTransaction: median(enqueue) / bareTransactionMs,
  };
}

async function bareTransaction(db: Database, sample: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("INSERT INTO bench_rows VALUES ($1, 'queued')", [`bare ${sample}`]);
    await tx.query("UPDATE bench_rows SET state = 'completed' WHERE id = $1", [`bare ${sample}`]);
  });
}

async function writeRow(db: Database, job: LeasedJob): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("INSERT INTO bench_rows VALUES ($1, 'effect')", [job.id]);
    await completeJob(tx, job.lease);
  });
}

function claim(db: Database, limit: number): Promise<readonly LeasedJob[]> {
  return claimJobs(db, { kinds: KINDS, workerId: "bench", limit, leaseMs: 3_600_000 });
}

async function complete(db: Database, jobs: readonly LeasedJob[]): Promise<void> {
  await completeJobs(
    db,
    jobs.map(({ lease }) => lease),
  );
}

async function claimAndComplete(
  db: Database,
  finish = (job: LeasedJob): Promise<void> => completeJob(db, job.lease),
): Promise<void> {
  const [job] = await claim(db, 1);
  if (job === undefined) throw new Error("the bench ran out of jobs");
  await finish(job);
}

async function claimAndCompleteBatch(db: Database, size: number): Promise<void> {
  const jobs = await claim(db, size);
  if (jobs.length < size) throw new Error("the bench ran out of jobs");
  await complete(db, jobs);
}

async function addToQueue(
  db: Database,
  count: number,
  part: { readonly key?: string; readonly maxPerKey?: number; readonly priority?: number } = {},
): Promise<void> {
  const jobs = Array.from({ length: count }, (_, index) => ({
    kind: KINDS[index % KINDS.length] ?? "bench-a",
    payload: { index },
    ...part,
  }));
  await db.transaction((tx) => enqueueJobs(tx, jobs));
}

async function countQueuedHotJobs(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "SELECT count(*) AS count FROM jobs WHERE concurrency_key = 'hot' AND state = 'queued'",
  );
  return row?.count ?? 0;
}

async function measureWakeUp(db: Database, samples: number): Promise<readonly number[]> {
  let arrived: (() => void) | undefined;
  const runner = await startJobRunner({
    database: db,
    handlers: {
      "bench-wake": (run) => {
        arrived?.();
        return run.complete();
      },
    },
  });
  try {
    return await repeat(samples, async () => {
      const arrival = new Promise<void>((resolve) => (arrived = resolve));
      await enqueueJob(db, { kind: "bench-wake", payload: null });
      return timed(() => arrival);
    });
  } finally {
    await runner.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

async function repeat<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let time = 0; time < times; time += 1) results.push(await work());
  return results;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
