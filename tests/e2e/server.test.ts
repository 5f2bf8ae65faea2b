import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect as http2Connect } from "node:http2";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { generatedPages, withMiniWeb } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startLightEmbedder, type LightEmbedder } from "../../tools/light-embedder.ts";
import {
  runServerProgram,
  startServerProcess,
  withDataDirectory,
  type ServerProcess,
} from "../../tools/server-process.ts";

const LONG = 180_000;
const OWN_KEY = "a-key-of-my-own-choosing-0123456789";
const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** Nothing here is about meaning: the servers load no model. */
let embedder: LightEmbedder;
beforeAll(async () => {
  embedder = await startLightEmbedder();
});
afterAll(() => embedder.close());

function startServer(directory: string, settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return startServerProcess(directory, { ...embedder.settings, ...settings });
}

describe("a start", () => {
  verifies(
    ["server:port:in-use", "config:auth-none:said-in-log", "config:cors:off-by-default"],
    "says what to do when the port is taken, leaves neither a database nor a key nobody saw, and with QUARRY_AUTH=none asks for no key and says so",
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

        const again = await startServer(directory, { QUARRY_AUTH: "none" });
        expect(again.stdout()).toMatch(/API key, shown once +qry_/);
        expect(again.stdout()).toContain("QUARRY_AUTH=none");
        expect(again.stderr()).toContain("QUARRY_AUTH=none");
        expect((await fetch(`${again.url}/quarry/v1/me`)).status).toBe(200);
        const foreign = await fetch(`${again.url}/quarry/v1/me`, { headers: { origin: "https://evil.example" } });
        expect(foreign.status).toBe(403);
        expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
        expect(await again.stop()).toBe(0);
      }),
    LONG,
  );

  verifies(
    "store:owner:roles-refused",
    "is refused as api or worker on an embedded data directory",
    () =>
      withDataDirectory(async (directory) => {
        for (const role of ["api", "worker"]) {
          const { code, stderr } = await runServerProgram(directory, { QUARRY_ROLE: role });
          expect(code).toBe(2);
          expect(stderr).toContain("QUARRY_DATABASE_URL");
        }
      }),
    LONG,
  );

  it(
    "is refused with settings that cannot be used, each of them named",
    () =>
      withDataDirectory(async (directory) => {
        const settings = { QUARRY_PROT: "1", QUARRY_PORT: "many", QUARRY_AUTH: "none", QUARRY_HOST: "0.0.0.0" };
        const { code, stdout, stderr } = await runServerProgram(directory, settings);
        expect([code, stdout]).toEqual([2, ""]);
        for (const named of ["did you mean QUARRY_PORT?", "QUARRY_PORT is", "QUARRY_AUTH is"]) {
          expect(stderr).toContain(named);
        }
      }),
    LONG,
  );
});

describe("a start with settings of its own, and its stop", () => {
  verifies(
    [
      "server:port:chosen-by-variable",
      "config:api-key:used-instead",
      "config:public-url:used-in-links",
      "server:roles:all",
      "server:tracing:traceparent",
      "server:stop:mixed-clients",
      "server:stop:under-10-s",
      "server:stop:drains-requests",
      "server:stop:no-lost-rows",
      "server:stop:hands-back-jobs",
      "server:metrics:queue-figures",
    ],
    "choose the port, the key, the address in links and the collector of traces; the stop ends streams cleanly and in time, loses no usage record, and hands its work back to the next start",
    () =>
      withDataDirectory((directory) =>
        withMiniWeb(generatedPages(60), { delayMs: 150 }, async (web) => {
          const told: string[] = [];
          const collector = createHttpServer((request, response) => {
            request.on("data", (chunk: Buffer) => told.push(chunk.toString("latin1")));
            request.on("end", () => response.end("{}"));
          });
          await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
          const port = await freePort();
          const settings = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_API_KEY: OWN_KEY };
          const first = await startServer(directory, {
            ...settings,
            QUARRY_PORT: String(port),
            QUARRY_PUBLIC_URL: "https://quarry.example.com",
            OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
          });
          expect(first.url).toBe(`http://127.0.0.1:${port}`);
          expect(first.stdout()).toContain("https://quarry.example.com/console/sign-in");
          expect(first.stdout()).not.toContain("API key, shown once");
          const own = { "x-api-key": OWN_KEY, traceparent: `00-${TRACE}-b7ad6b7169203331-01` };
          const health = async (): Promise<unknown> =>
            (await fetch(`${first.url}/quarry/v1/health`, { headers: own })).json();
          // The index opens a moment after the port does, and says so until then.
          await expect.poll(health, { timeout: 20_000 }).toMatchObject({ role: "all", status: "ok" });
          await Promise.all(Array.from({ length: 40 }, () => first.call("GET", "/quarry/v1/me")));
          const session = http2Connect(first.url);
          session.on("error", () => undefined);
          const overHttp2 = session.request({ ":path": "/quarry/v1/events/stream?from=start", "x-api-key": first.key });
          let http2Text = "";
          overHttp2.on("data", (chunk: Buffer) => (http2Text += chunk.toString()));
          const http2Ended = new Promise<void>((resolve) => overHttp2.on("close", () => resolve()));
          const events = await fetch(`${first.url}/quarry/v1/events/stream?from=start`, {
            headers: { "x-api-key": first.key },
          });
          const eventText = events.text();
          await first.call("POST", "/quarry/v1/keys", { name: "seen by the streams" });
          await vi.waitUntil(() => http2Text.includes("seen by the streams"), { timeout: 10_000 });
          const begun = await first.call("POST", "/quarry/v1/crawls", { url: `${web.origin}/`, delayMs: 0 });
          const { id } = begun.body as { id: string };
          await vi.waitUntil(() => web.requests.length > 5, { timeout: 30_000 });
          const metrics = await fetch(`${first.url}/metrics`, { headers: { "x-api-key": first.key } });
          expect(await metrics.text()).toMatch(/quarry_jobs\{state="running"\} 1/);

          const began = performance.now();
          const exit = first.stop();
          expect(await eventText).toContain("seen by the streams");
          await http2Ended;
          expect(await exit).toBe(0);
          expect(performance.now() - began).toBeLessThan(10_000);
          session.destroy();
          await expect(fetch(`${first.url}/healthz`)).rejects.toThrow();
          await new Promise((resolve) => collector.close(resolve));
          expect(told.join("")).toContain("GET /quarry/v1/health");
          expect(told.join("")).toContain(TRACE);

          const next = await startServer(directory, settings);
          try {
            const usage = (await next.call("GET", "/quarry/v1/usage?groupBy=endpoint")).body as {
              data: { endpoint: string; requests: number }[];
            };
            expect(usage.data.find(({ endpoint }) => endpoint.includes("/quarry/v1/me"))?.requests).toBe(40);
            const read = async (): Promise<unknown> => (await next.call("GET", `/quarry/v1/crawls/${id}`)).body;
            await expect
              .poll(read, { timeout: 60_000, interval: 100 })
              .toMatchObject({ status: "completed", progress: { done: 60, failed: 0 } });
          } finally {
            await next.stop();
          }
        }),
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

describe("a running server", () => {
  let server: ServerProcess;
  let directory = "";
  let finish: () => void = () => undefined;
  let finished: Promise<void>;

  beforeAll(async () => {
    await new Promise<void>((ready, fail) => {
      finished = withDataDirectory(async (made) => {
        directory = made;
        server = await startServer(made);
        ready();
        await new Promise<void>((resolve) => (finish = resolve));
        await server.stop();
      });
      finished.catch(fail);
    });
  }, LONG);

  afterAll(async () => {
    finish();
    await finished;
  }, LONG);

  verifies(
    ["store:owner:second-process-refused"],
    "keeps its data directory: another is refused, and told of its process and address",
    async () => {
      const { code, stderr } = await runServerProgram(directory, { QUARRY_PORT: "0" });
      expect(code).toBe(1);
      expect(stderr).toContain(String(server.pid));
      expect(stderr).toContain(server.url);
    },
    LONG,
  );

  verifies(
    "http:idempotency:every-creating-post",
    "honours Idempotency-Key in every POST that answers 201",
    async () => {
      const { paths } = (await server.call("GET", "/openapi.json")).body as {
        paths: Record<string, { post?: { parameters: { name: string }[]; responses: object } }>;
      };
      const creating = Object.entries(paths).flatMap(([route, { post }]) =>
        post !== undefined && "201" in post.responses ? [{ route, parameters: post.parameters }] : [],
      );
      expect(creating.length).toBeGreaterThan(10);
      const deaf = creating.filter(({ parameters }) => !parameters.some(({ name }) => name === "Idempotency-Key"));
      expect(deaf.map(({ route }) => route)).toEqual([]);
    },
  );

  verifies(
    ["durability:backup:consistent-under-load", "durability:backup:restore-refuses-running"],
    "is copied while it works: restored elsewhere, the rows are there",
    async () => {
      for (let index = 0; index < 5; index += 1) await server.call("POST", "/quarry/v1/keys", { name: `key ${index}` });
      const file = path.join(directory, "copy.gz");
      const writing = Array.from({ length: 20 }, (_, index) =>
        server.call("POST", "/quarry/v1/keys", { name: `late ${index}` }),
      );
      execFileSync("bash", ["-c", `curl -sf ${server.url}/quarry/v1/backup -H "x-api-key: ${server.key}" -o ${file}`]);
      await Promise.all(writing);
      expect((await runServerProgram(directory, {}, ["--restore", file])).stderr).toContain(String(server.pid));
      await withDataDirectory(async (elsewhere) => {
        const { code, stdout, stderr } = await runServerProgram(elsewhere, {}, ["--restore", file]);
        expect(`${code} ${stderr}`).toBe("0 ");
        expect(stdout).toMatch(/^Restored \d+ rows/);
        const copy = await startServer(elsewhere);
        const keys = (await copy.call("GET", "/quarry/v1/keys?limit=100")).body as { data: { name: string }[] };
        const names = keys.data.map(({ name }) => name);
        for (let index = 0; index < 5; index += 1) expect(names).toContain(`key ${index}`);
        await copy.stop();
      });
    },
    LONG,
  );

  verifies(
    ["server:health:readyz-when-down"],
    "whose database dies says so on /readyz, and recovers by itself",
    async () => {
      const pidFile = path.join(directory, "postgres", "postmaster.pid");
      const readPid = (): string | undefined => readFileSync(pidFile, "utf8").split("\n")[0];
      const postmaster = readPid();
      process.kill(Number(postmaster), "SIGKILL");
      const seen = new Set<number>();
      await vi.waitUntil(
        async () => {
          const reply = await fetch(`${server.url}/readyz`);
          seen.add(reply.status);
          return reply.status === 200 && readPid() !== postmaster;
        },
        { timeout: 30_000, interval: 20 },
      );
      expect([...seen].every((status) => status === 200 || status === 503)).toBe(true);
      expect((await server.call("GET", "/quarry/v1/me")).status).toBe(200);
    },
    LONG,
  );
});
