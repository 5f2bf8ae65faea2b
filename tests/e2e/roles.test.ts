import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { generatedPages, withMiniWeb } from "@quarry/crawl/testing";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, it, vi } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const KEY = "a-key-for-both-0123456789";

/** Starts one process of each role on one database, and stops them afterwards. */
function withRoles(
  work: (api: ServerProcess, worker: ServerProcess, startWorker: () => Promise<ServerProcess>) => Promise<void>,
) {
  return withDatabase((_db, url) =>
    withDataDirectory((apiDirectory) =>
      withDataDirectory(async (workerDirectory) => {
        const settings = {
          QUARRY_DATABASE_URL: url,
          QUARRY_API_KEY: KEY,
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
        expect(worker.stdout()).not.toMatch(/console|curl|docs|API key/);
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

it(
  "leaves server.json to the api when both have one data directory",
  () =>
    withDatabase((_db, url) =>
      withDataDirectory(async (directory) => {
        const settings = { QUARRY_DATABASE_URL: url, QUARRY_LOG_LEVEL: "warn" };
        const api = await startServerProcess(directory, { ...settings, QUARRY_ROLE: "api" });
        try {
          const worker = await startServerProcess(directory, { ...settings, QUARRY_ROLE: "worker" });
          const { url: found } = JSON.parse(readFileSync(path.join(directory, "server.json"), "utf8")) as {
            url: string;
          };
          expect([found, worker.url === found]).toEqual([api.url, false]);
          expect((await api.call("GET", "/quarry/v1/me")).status).toBe(200);
          await worker.stop();
          expect(existsSync(path.join(directory, "server.json"))).toBe(true);
        } finally {
          await api.stop();
        }
      }),
    ),
  120_000,
);
