import { generatedPages, withMiniWeb } from "@quarry/crawl/testing";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, vi } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

/** Starts one process of each role on one database, and stops them afterwards. */
function withRoles(
  work: (api: ServerProcess, worker: ServerProcess, startWorker: () => Promise<ServerProcess>) => Promise<void>,
) {
  return withDatabase((_db, url) =>
    withDataDirectory((apiDirectory) =>
      withDataDirectory(async (workerDirectory) => {
        const settings = {
          QUARRY_DATABASE_URL: url,
          QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
          QUARRY_LOG_LEVEL: "warn",
        };
        const startWorker = () => startServerProcess(workerDirectory, { ...settings, QUARRY_ROLE: "worker" });
        const processes = await Promise.all([
          startServerProcess(apiDirectory, { ...settings, QUARRY_ROLE: "api" }),
          startWorker(),
        ]);
        try {
          await work(processes[0], processes[1], startWorker);
        } finally {
          await Promise.all(processes.map((one) => one.stop()));
        }
      }),
    ),
  );
}

verifies(
  ["server:roles:api", "server:roles:worker", "store:external:database-url"],
  "api and worker share a database: one takes requests, the other does the work",
  () =>
    withMiniWeb(generatedPages(20), {}, (web) =>
      withRoles(async (api, worker, startWorker) => {
        expect((await worker.call("GET", "/quarry/v1/health")).body).toMatchObject({ role: "worker" });
        expect((await worker.call("GET", "/quarry/v1/keys")).status).toBe(404);
        await worker.stop();
        const begun = await api.call("POST", "/quarry/v1/crawls", { url: `${web.origin}/`, delayMs: 0 });
        const { id } = begun.body as { id: string };
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect((await api.call("GET", `/quarry/v1/crawls/${id}`)).body).toMatchObject({ status: "queued" });
        const next = await startWorker();
        try {
          await vi.waitUntil(
            async () =>
              ((await api.call("GET", `/quarry/v1/crawls/${id}`)).body as { status: string }).status === "completed",
            { timeout: 40_000, interval: 100 },
          );
        } finally {
          await next.stop();
        }
      }),
    ),
  120_000,
);
