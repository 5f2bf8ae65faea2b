// A worker of the jobs soak, made to be killed: `node jobs-worker.mjs '{"address":…,"workerId":…}'`.
import { AppError, sleep } from "@quarry/base";
import {
  enqueueJob,
  openDatabase,
  startJobRunner,
  type DatabaseAddress,
  type JobHandler,
  type JobRunnerOptions,
} from "@quarry/store";
import type { SoakPayload } from "./jobs-workload.ts";

interface WorkerSettings {
  readonly address: DatabaseAddress;
  readonly workerId: string;
  readonly leaseMs: number;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as WorkerSettings;
const database = await patiently(() =>
  openDatabase({ address: settings.address, connectPatienceMs: 20_000, maxConnections: 6 }),
);

const work: JobHandler = async ({ job, signal, complete }) => {
  const payload = job.payload as SoakPayload;
  const [begun] = await database.query<{ at: string }>("SELECT clock_timestamp()::text AS at");
  await sleep(payload.thinkMs, signal);
  if (job.attempts <= payload.failures) {
    throw new AppError("upstream_failed", "one of its planned failures", { retryable: true, retryAfterMs: 50 });
  }
  return complete(async (tx) => {
    await tx.query(
      `INSERT INTO soak_effects (number, concurrency_key, begun_at, ended_at)
       VALUES ($1, $2, $3, clock_timestamp())`,
      [payload.number, job.key, begun?.at],
    );
    if (payload.followUp !== null) {
      await enqueueJob(tx, { kind: job.kind, payload: payload.followUp, maxAttempts: job.maxAttempts });
    }
    await tx.query("SELECT pg_sleep($1)", [payload.lingerMs / 1_000]);
  });
};

const keepSlot: JobHandler = ({ job, complete }) =>
  complete(async (tx) => {
    await tx.query("INSERT INTO soak_slots (slot_at) VALUES ($1)", [job.slot?.at]);
  });

const runnerOptions: JobRunnerOptions = {
  database,
  workerId: settings.workerId,
  concurrency: 5,
  leaseMs: settings.leaseMs,
  pollMs: 5_000,
  onEvent: (event) => {
    // A database that is away for a moment is part of the plan; anything else is not.
    if (event.kind !== "step-failed" || event.error.retryable) return;
    process.stderr.write(`${settings.workerId}: ${event.step} failed: ${event.error.message}\n`);
  },
  handlers: { "soak-a": work, "soak-b": work, "soak-c": work, "soak-slot": keepSlot },
};
const runner = await patiently(() => startJobRunner(runnerOptions));
process.stdout.write("ready\n");

/** A worker may be started while the database is away. */
async function patiently<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (!AppError.from(error).retryable || attempt === 200) throw error;
    }
    await sleep(50);
  }
}

/** Asked to stop, or left alone by the soak. */
async function stop(): Promise<void> {
  await runner.stop({ deadlineMs: 500 });
  await database.close();
  process.exit(0);
}
process.once("SIGTERM", () => void stop());
process.stdin.once("end", () => process.exit(0)).resume();
