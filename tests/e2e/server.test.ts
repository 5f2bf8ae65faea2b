import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect as http2Connect } from "node:http2";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { generatedPages, withMiniWeb } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import {
  runServerProgram,
  startServerProcess,
  withDataDirectory,
  type ServerProcess,
} from "../../tools/server-process.ts";

const LONG = 90_000;

/** How much longer a bare Node takes to start than on two idle cores; 1 or more. The other tests run meanwhile. */
function howSlowIsThisMachineNow(): number {
  const began = performance.now();
  for (let round = 0; round < 5; round += 1) execFileSync(process.execPath, ["-e", "0"]);
  return Math.max(1, (performance.now() - began) / 5 / NODE_START_MS);
}

const NODE_START_MS = 50;

/** Runs `work` on a fresh server that is stopped afterwards, whatever happens. */
function withServer(
  work: (server: ServerProcess, directory: string) => Promise<void>,
  settings: Record<string, string> = {},
) {
  return withDataDirectory(async (directory) => {
    const server = await startServerProcess(directory, settings);
    try {
      await work(server, directory);
    } finally {
      await server.stop();
    }
  });
}

describe("a start", () => {
  verifies(
    [
      "commands:start:prints-key-once",
      "commands:start:prints-console-link",
      "commands:start:prints-working-curl",
      "commands:start:ten-lines",
      "commands:start:first-under-15-s",
      "commands:start:later-under-3-s",
    ],
    "prints key, link and a curl that works, once, in few lines and in little time",
    () =>
      withDataDirectory(async (directory) => {
        const first = await startServerProcess(directory);
        const curl = /curl .*/.exec(first.stdout())?.[0] ?? "";
        expect(JSON.parse(execFileSync("bash", ["-c", curl], { encoding: "utf8" }))).toMatchObject({ role: "all" });
        expect(first.stdout().trim().split("\n").length).toBeLessThanOrEqual(10);
        const slowness = howSlowIsThisMachineNow();
        expect(first.readyMs).toBeLessThan(15_000 * slowness);
        const key = /qry_[0-9a-z]+/.exec(first.stdout())?.[0] ?? "no key";
        const link = /http\S+sign-in\S+/.exec(first.stdout())?.[0] ?? "";
        await first.stop();

        const second = await startServerProcess(directory);
        expect(second.readyMs).toBeLessThan(3_000 * slowness);
        expect(second.stdout()).not.toContain(key);
        expect(/http\S+sign-in\S+/.exec(second.stdout())?.[0]).not.toBe(link);
        const me = await fetch(`${second.url}/quarry/v1/me`, { headers: { authorization: `Bearer ${key}` } });
        expect(me.status).toBe(200);
        await second.stop();
      }),
    LONG,
  );

  verifies(
    ["server:port:in-use"],
    "says what to do when the port is taken, and leaves no database behind",
    () =>
      withDataDirectory(async (directory) => {
        const other = createServer();
        await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
        const { port } = other.address() as AddressInfo;
        const { code, stderr } = await runServerProgram(directory, { QUARRY_PORT: String(port) });
        await new Promise((resolve) => other.close(resolve));
        expect(code).toBe(1);
        expect(stderr).toContain(`${port}`);
        expect(stderr).toContain("QUARRY_PORT");
        const again = await startServerProcess(directory);
        expect(await again.stop()).toBe(0);
      }),
    LONG,
  );

  verifies("store:owner:roles-refused", "is refused as api or worker on an embedded data directory", () =>
    withDataDirectory(async (directory) => {
      for (const role of ["api", "worker"]) {
        const { code, stderr } = await runServerProgram(directory, { QUARRY_ROLE: role });
        expect(code).toBe(2);
        expect(stderr).toContain("QUARRY_DATABASE_URL");
      }
    }),
  );

  it.each([
    [{ QUARRY_PROT: "1" }, "QUARRY_PORT"],
    [{ QUARRY_AUTH: "none", QUARRY_HOST: "0.0.0.0" }, "QUARRY_AUTH"],
    [{ QUARRY_PORT: "many" }, "QUARRY_PORT"],
  ])("is refused with %j, naming %s", (settings, named) =>
    withDataDirectory(async (directory) => {
      const { code, stdout, stderr } = await runServerProgram(directory, settings);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(named);
    }),
  );

  verifies(
    ["store:owner:second-process-refused"],
    "is refused on a data directory that another server owns, naming its process and address",
    () =>
      withServer(async (server, directory) => {
        const { code, stderr } = await runServerProgram(directory, { QUARRY_PORT: "0" });
        expect(code).toBe(1);
        expect(stderr).toContain(String(server.pid));
        expect(stderr).toContain(server.url);
      }),
    LONG,
  );
});

describe("a stop", () => {
  verifies(
    ["server:stop:mixed-clients", "server:stop:under-10-s", "server:stop:drains-requests"],
    "ends in time with idle, busy, HTTP/2 and event-stream clients, and ends their streams cleanly",
    () =>
      withDataDirectory(async (directory) => {
        const server = await startServerProcess(directory);
        const session = http2Connect(server.url);
        session.on("error", () => undefined);
        const overHttp2 = session.request({ ":path": "/quarry/v1/events/stream?from=start", "x-api-key": server.key });
        let http2Text = "";
        overHttp2.on("data", (chunk: Buffer) => (http2Text += chunk.toString()));
        const http2Ended = new Promise<void>((resolve) => overHttp2.on("close", () => resolve()));
        const events = await fetch(`${server.url}/quarry/v1/events/stream?from=start`, {
          headers: { "x-api-key": server.key },
        });
        const eventText = events.text();
        await server.call("POST", "/quarry/v1/keys", { name: "seen by the streams" });
        await vi.waitUntil(() => http2Text.includes("seen by the streams"), { timeout: 10_000 });

        const began = performance.now();
        const exit = server.stop();
        expect(await eventText).toContain("seen by the streams");
        await http2Ended;
        expect(await exit).toBe(0);
        expect(performance.now() - began).toBeLessThan(10_000);
        session.destroy();
        await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
      }),
    LONG,
  );

  verifies(
    ["server:stop:no-lost-rows"],
    "loses no usage record of the requests it answered",
    () =>
      withDataDirectory(async (directory) => {
        const server = await startServerProcess(directory);
        await Promise.all(Array.from({ length: 40 }, () => server.call("GET", "/quarry/v1/me")));
        expect(await server.stop()).toBe(0);
        const next = await startServerProcess(directory);
        const usage = (await next.call("GET", "/quarry/v1/usage?groupBy=endpoint")).body as {
          data: { endpoint: string; requests: number }[];
        };
        expect(usage.data.find(({ endpoint }) => endpoint.includes("/quarry/v1/me"))?.requests).toBe(40);
        await next.stop();
      }),
    LONG,
  );
});

describe("work under way", () => {
  verifies(
    ["server:stop:hands-back-jobs", "server:metrics:queue-figures"],
    "is handed back by a stop and goes on after the next start",
    () =>
      withDataDirectory((directory) =>
        withMiniWeb(generatedPages(60), { delayMs: 150 }, async (web) => {
          const settings = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" };
          const first = await startServerProcess(directory, settings);
          const begun = await first.call("POST", "/quarry/v1/crawls", { url: `${web.origin}/`, delayMs: 0 });
          const { id } = begun.body as { id: string };
          await vi.waitUntil(() => web.requests.length > 5, { timeout: 30_000 });
          const metrics = await fetch(`${first.url}/metrics`, { headers: { "x-api-key": first.key } });
          expect(await metrics.text()).toMatch(/quarry_jobs\{state="running"\} 1/);
          expect(await first.stop()).toBe(0);

          const second = await startServerProcess(directory, settings);
          try {
            await vi.waitUntil(
              async () =>
                ((await second.call("GET", `/quarry/v1/crawls/${id}`)).body as { status: string }).status ===
                "completed",
              { timeout: 60_000, interval: 100 },
            );
            expect((await second.call("GET", `/quarry/v1/crawls/${id}`)).body).toMatchObject({
              progress: { done: 60, failed: 0 },
            });
          } finally {
            await second.stop();
          }
        }),
      ),
    LONG,
  );

  verifies(
    ["server:tracing:traceparent"],
    "is told to the collector that the standard variables name, below the caller's trace",
    async () => {
      const bodies: string[] = [];
      const collector = createHttpServer((request, response) => {
        request.on("data", (chunk: Buffer) => bodies.push(chunk.toString("latin1")));
        request.on("end", () => response.end("{}"));
      });
      await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
      const { port } = collector.address() as AddressInfo;
      const trace = "0af7651916cd43dd8448eb211c80319c";
      await withServer(
        async (server) => {
          await fetch(`${server.url}/quarry/v1/me`, {
            headers: { "x-api-key": server.key, traceparent: `00-${trace}-b7ad6b7169203331-01` },
          });
        },
        { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
      );
      await new Promise((resolve) => collector.close(resolve));
      const all = bodies.join("");
      expect(all).toContain("GET /quarry/v1/me");
      expect(all).toContain(trace);
    },
    LONG,
  );
});

describe("settings", () => {
  verifies(
    [
      "server:port:chosen-by-variable",
      "config:api-key:used-instead",
      "config:public-url:used-in-links",
      "server:roles:all",
    ],
    "choose the port, the key and the address in links",
    () =>
      withDataDirectory(async (directory) => {
        const port = await freePort();
        const server = await startServerProcess(directory, {
          QUARRY_PORT: String(port),
          QUARRY_API_KEY: "a-key-of-my-own-choosing-0123456789",
          QUARRY_PUBLIC_URL: "https://quarry.example.com",
        });
        expect(server.url).toBe(`http://127.0.0.1:${port}`);
        expect(server.stdout()).toContain("https://quarry.example.com/console/sign-in");
        expect(server.stdout()).not.toContain("API key, shown once");
        const health = async (): Promise<unknown> => {
          const headers = { "x-api-key": "a-key-of-my-own-choosing-0123456789" };
          return (await fetch(`${server.url}/quarry/v1/health`, { headers })).json();
        };
        // The index opens a moment after the port does, and says so until then.
        await expect.poll(health, { timeout: 20_000 }).toMatchObject({ role: "all", status: "ok" });
        await server.stop();
      }),
    LONG,
  );

  verifies(
    ["config:auth-none:said-in-log", "config:cors:off-by-default"],
    "QUARRY_AUTH=none asks for no key and says so; no other origin may read along",
    () =>
      withServer(
        async (server) => {
          expect(server.stdout()).toContain("QUARRY_AUTH=none");
          expect(server.stderr()).toContain("QUARRY_AUTH=none");
          expect((await fetch(`${server.url}/quarry/v1/me`)).status).toBe(200);
          const foreign = await fetch(`${server.url}/quarry/v1/me`, { headers: { origin: "https://evil.example" } });
          expect(foreign.status).toBe(403);
          expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
        },
        { QUARRY_AUTH: "none" },
      ),
    LONG,
  );
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("trouble", () => {
  verifies(
    ["server:health:readyz-when-down"],
    "with the database: /readyz says so, and it recovers by itself",
    () =>
      withServer(async (server, directory) => {
        const postmaster = Number(
          readFileSync(path.join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0],
        );
        process.kill(postmaster, "SIGKILL");
        const seen = new Set<number>();
        await vi.waitUntil(
          async () => {
            const reply = await fetch(`${server.url}/readyz`);
            seen.add(reply.status);
            const now = readFileSync(path.join(directory, "postgres", "postmaster.pid"), "utf8").split("\n")[0];
            return reply.status === 200 && now !== String(postmaster);
          },
          { timeout: 30_000, interval: 20 },
        );
        expect([...seen].every((status) => status === 200 || status === 503)).toBe(true);
        expect((await server.call("GET", "/quarry/v1/me")).status).toBe(200);
      }),
    LONG,
  );

  verifies(
    ["durability:backup:consistent-under-load", "durability:backup:restore-refuses-running"],
    "of any kind is survived by a backup: restored elsewhere, the old key works and the rows are there",
    () =>
      withServer(async (server, directory) => {
        for (let index = 0; index < 5; index += 1)
          await server.call("POST", "/quarry/v1/keys", { name: `key ${index}` });
        const file = path.join(directory, "copy.gz");
        const writing = Array.from({ length: 20 }, (_, index) =>
          server.call("POST", "/quarry/v1/keys", { name: `late ${index}` }),
        );
        execFileSync("bash", [
          "-c",
          `curl -sf ${server.url}/quarry/v1/backup -H "x-api-key: ${server.key}" -o ${file}`,
        ]);
        await Promise.all(writing);
        expect((await runServerProgram(directory, {}, ["--restore", file])).stderr).toContain(String(server.pid));
        await withDataDirectory(async (elsewhere) => {
          const { code, stdout, stderr } = await runServerProgram(elsewhere, {}, ["--restore", file]);
          expect(`${code} ${stderr}`).toBe("0 ");
          expect(stdout).toMatch(/^Restored \d+ rows/);
          const copy = await startServerProcess(elsewhere);
          const keys = (await copy.call("GET", "/quarry/v1/keys?limit=100")).body as { data: { name: string }[] };
          const names = keys.data.map(({ name }) => name);
          for (let index = 0; index < 5; index += 1) expect(names).toContain(`key ${index}`);
          await copy.stop();
        });
      }),
    LONG,
  );
});
