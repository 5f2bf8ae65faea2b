import { statfs } from "node:fs/promises";
import type { Config } from "@quarry/config";
import type { Health, HealthComponent, Readiness } from "@quarry/contract";
import type { Metrics } from "@quarry/doors";
import { countJobs, readQueueAges, type Database } from "@quarry/store";

/** How the server does, and whether it takes work. */
export interface ServerHealth {
  /** Asks the database too: a server that cannot reach it takes no work, and says so. */
  readonly readiness: () => Promise<Readiness>;
  readonly health: () => Promise<Omit<Health, "status">>;
  /** Everything a request needs is there. */
  readonly started: () => void;
  /** No new work, please. */
  readonly stopping: () => void;
}

/** Below so much free space the database may soon be unable to write. */
const LOW_DISK_BYTES = 1024 ** 3;
const DATABASE_PATIENCE_MS = 2_000;

/** Watches over the server's parts; registers the queue's depth as a metric. */
export function createHealth(deps: {
  readonly config: Config;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly version: string;
  readonly isEmbedded: boolean;
  readonly models: { readonly check: () => HealthComponent };
  readonly index: { readonly check: () => Promise<HealthComponent> };
}): ServerHealth {
  const { config, database, metrics } = deps;
  let status: Readiness["status"] = "starting";
  metrics.gauge("quarry_jobs", "Jobs in the store by state.", async () =>
    Object.entries(await countJobs(database)).map(([state, value]) => ({ labels: { state }, value })),
  );
  metrics.gauge("quarry_jobs_oldest_seconds", "How long the oldest waiting job of each kind is overdue.", async () =>
    Object.entries(await readQueueAges(database)).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  return {
    readiness: async () => {
      if (status !== "ready") return { status, waitingFor: status === "starting" ? ["the listener"] : [] };
      const isThere = (await checkDatabase(database, deps.isEmbedded)).status === "ok";
      return { status: isThere ? "ready" : "starting", waitingFor: isThere ? [] : ["the database"] };
    },
    health: async () => ({
      version: deps.version,
      role: config.role,
      uptimeSeconds: Math.round(process.uptime()),
      components: [
        ...(await Promise.all([
          checkDatabase(database, deps.isEmbedded),
          checkJobs(database),
          checkDisk(config.dataDir),
          deps.index.check(),
        ])),
        deps.models.check(),
        checkAuth(config.auth),
        checkMemory(),
      ],
    }),
    started: () => (status = "ready"),
    stopping: () => (status = "stopping"),
  };
}

async function checkDatabase(database: Database, isEmbedded: boolean): Promise<HealthComponent> {
  const began = performance.now();
  try {
    await Promise.race([
      database.query("SELECT 1"),
      new Promise((_, reject) => {
        setTimeout(() => reject(new Error("no answer in time")), DATABASE_PATIENCE_MS).unref();
      }),
    ]);
    const answerMs = Number((performance.now() - began).toFixed(2));
    return { name: "database", status: "ok", figures: { answerMs } };
  } catch {
    // The reason stays in the log of the store; a caller needs to know what to do.
    const detail = isEmbedded
      ? "the embedded database does not answer; it is being started again, see postgres.log in the data directory"
      : "the database of QUARRY_DATABASE_URL does not answer; check that it runs and can be reached";
    return { name: "database", status: "down", detail };
  }
}

async function checkJobs(database: Database): Promise<HealthComponent> {
  try {
    const counts = await countJobs(database);
    const detail = counts.dead > 0 ? `${counts.dead} jobs failed for good and wait to be looked at` : undefined;
    return {
      name: "jobs",
      status: counts.dead > 0 ? "degraded" : "ok",
      ...(detail === undefined ? {} : { detail }),
      figures: counts,
    };
  } catch {
    return { name: "jobs", status: "down", detail: "the queue cannot be read while the database does not answer" };
  }
}

async function checkDisk(dataDirectory: string): Promise<HealthComponent> {
  try {
    const { bavail, bsize } = await statfs(dataDirectory);
    const freeBytes = bavail * bsize;
    const figures = { freeMegabytes: Math.floor(freeBytes / 1024 ** 2) };
    if (freeBytes >= LOW_DISK_BYTES) return { name: "disk", status: "ok", figures };
    return {
      name: "disk",
      status: "degraded",
      detail: "less than 1 GB is free where the data lies; make room",
      figures,
    };
  } catch {
    return { name: "disk", status: "degraded", detail: "the data directory cannot be examined; check that it exists" };
  }
}

function checkAuth(auth: Config["auth"]): HealthComponent {
  if (auth === "key") return { name: "auth", status: "ok", detail: "every request shows a key" };
  return {
    name: "auth",
    status: "ok",
    detail: "QUARRY_AUTH=none: no key is asked, whoever reaches this port may do everything",
  };
}

function checkMemory(): HealthComponent {
  const { rss, heapUsed } = process.memoryUsage();
  const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);
  return {
    name: "memory",
    status: "ok",
    figures: { residentMegabytes: megabytes(rss), heapMegabytes: megabytes(heapUsed) },
  };
}
