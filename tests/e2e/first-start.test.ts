import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readProcessTree } from "../../tools/bench/process-tree.ts";
import { startLightEmbedder } from "../../tools/light-embedder.ts";
import { howSlowIsThisMachineNow } from "../../tools/machine-slowness.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";
import { faultsOfCommands } from "./documented-commands.ts";
import { snippetsOf } from "./documented-snippets.ts";

const LONG = 180_000;
/** What is left of 2 GB for Quarry beside a small system. */
const TWO_GB_MEGABYTES = 1_600;
const WITH_SAMPLE = { QUARRY_SAMPLE: "1" };
const sampleSize = (
  JSON.parse(readFileSync("sample/manifest.json", "utf8")) as {
    readonly sources: readonly { readonly pages: number }[];
  }
).sources.reduce((sum, { pages }) => sum + pages, 0);

interface Found {
  readonly results: readonly {
    readonly url: string;
    readonly title: string;
    readonly highlights?: readonly string[];
    readonly text?: string;
    readonly quarry?: { readonly source?: string };
  }[];
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
}

/** Searches; until the indexer has made its index, which takes a moment after a start, the answer is 503. */
async function search(server: ServerProcess, body: Readonly<Record<string, unknown>>): Promise<Found> {
  let reply = await server.call("POST", "/search", body);
  for (const end = performance.now() + 60_000; reply.status === 503 && performance.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    reply = await server.call("POST", "/search", body);
  }
  expect([reply.status, reply.body]).toMatchObject([200, { results: expect.any(Array) as unknown }]);
  return reply.body as Found;
}

/** The sample's pages that the server has; they are gone afterwards. */
async function removeSample(server: ServerProcess): Promise<readonly string[]> {
  const reply = await server.call("DELETE", "/quarry/v1/documents?shared=true", { source: "sample" });
  return (reply.body as Removed).deleted;
}

interface Removed {
  readonly deleted: readonly string[];
}

/** The blocks of a language in a part of the README, as they are pasted. */
function readmeBlocks(heading: string, language: string): readonly string[] {
  const part = readFileSync("README.md", "utf8").split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...part.matchAll(/```(\w+)\n(.*?)```/gs)].flatMap(([, kind, code = ""]) => (kind === language ? [code] : []));
}

/** Runs every curl of the documents as it is pasted; those that were not answered with a success. */
function faultsOfCurls(server: ServerProcess, environment: NodeJS.ProcessEnv): readonly string[] {
  const curls = snippetsOf("curl");
  expect(curls.length).toBeGreaterThanOrEqual(8);
  return curls.flatMap(({ file, code: command }) => {
    const here = command.replaceAll("http://127.0.0.1:7700", server.url);
    // A stream never ends by itself: what matters is how it began.
    const { stdout } = spawnSync(
      "bash",
      ["-c", `${here} -s -o /dev/null -w '%{http_code}' --max-time ${here.includes(" -N ") ? 2 : 30}`],
      {
        encoding: "utf8",
        env: { ...environment, KEY: server.key },
      },
    );
    return /^2\d\d$/.test(stdout) ? [] : [`${file}: ${command} is answered with ${stdout}`];
  });
}

/** Runs every program of the documents that uses Exa's client; what they print. */
function runClients(server: ServerProcess, environment: NodeJS.ProcessEnv): readonly string[] {
  const program = path.resolve("node_modules", ".cache", `documents-${process.pid}.mjs`); // where exa-js is found
  mkdirSync(path.dirname(program), { recursive: true });
  onTestFinished(() => rmSync(program, { force: true }));
  const clients = snippetsOf("exa-client");
  expect(clients.map(({ file }) => file)).toEqual(["README.md", "docs/search.md"]);
  return clients.map(({ code }) => {
    const here = code.replaceAll("http://127.0.0.1:7700", server.url);
    // One that prints nothing has found something all the same.
    writeFileSync(program, `${here}\nif (results.length === 0) throw new Error("nothing was found");\n`);
    return execFileSync(process.execPath, [program], { encoding: "utf8", env: environment });
  });
}

describe("a first start", () => {
  verifies(
    [
      "commands:start:sample-searchable",
      "commands:start:prints-working-curl",
      "commands:start:ten-lines",
      "commands:start:prints-key-once",
      "commands:start:prints-console-link",
      "commands:start:first-under-15-s",
      "commands:start:later-under-3-s",
      "search:first-start:curl-has-results",
      "commands:start:two-gb",
    ],
    "has the sample's pages, prints key, link and a search with results, once and soon, and works as the README says",
    () =>
      withDataDirectory(async (directory) => {
        const server = await startServerProcess(directory, {
          ...WITH_SAMPLE,
          QUARRY_WORKSPACE_ROOTS: path.resolve("docs"),
          QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", // where the site of the examples is
        });
        const slowness = howSlowIsThisMachineNow();
        const key = /qry_[0-9a-z]+/.exec(server.stdout())?.[0] ?? "no key";
        const link = /http\S+sign-in\S+/.exec(server.stdout())?.[0] ?? "";
        try {
          expect(server.stdout().trim().split("\n").length).toBeLessThanOrEqual(10);
          expect(server.readyMs).toBeLessThan(15_000 * slowness);
          await vi.waitUntil(() => server.stderr().includes("the sample's pages are there"), { timeout: LONG });

          const curl = /curl .*/.exec(server.stdout())?.[0] ?? "";
          const printed = JSON.parse(execFileSync("bash", ["-c", curl], { encoding: "utf8" })) as Found;
          expect(printed.results).toHaveLength(3);
          for (const { highlights } of printed.results) expect(highlights?.join("")).not.toBe("");

          const environment = { ...process.env, QUARRY_API_KEY: server.key };
          expect(faultsOfCurls(server, environment)).toEqual([]);
          const [ask = ""] = readmeBlocks("Ask", "sh").map((code) =>
            code.replace(/^export .*\n/, "").replaceAll("http://127.0.0.1:7700", server.url),
          );
          const asked = JSON.parse(execFileSync("bash", ["-c", ask], { encoding: "utf8", env: environment })) as Found;
          expect(asked.results.length).toBeGreaterThan(0);
          for (const { url } of asked.results) expect(url).toMatch(/sqlite\.org|postgresql\.org/);

          expect(runClients(server, environment).join("\n")).toContain("Abraham Lincoln");
          const site = await serve(({ url }, response) => {
            response.writeHead(url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" });
            response.end(`<title>${url ?? ""}</title><h1>Hawks</h1><p>Hawks hunt by day.</p><a href="/more">More</a>`);
          });
          expect(await faultsOfCommands(directory, site)).toEqual([]);
          expect(readProcessTree(server.pid).residentMegabytes).toBeLessThan(TWO_GB_MEGABYTES);

          const cleanUps = snippetsOf("clean-up").map(({ code }) => code.replace("http://127.0.0.1:7700", server.url));
          const removed = cleanUps.map((code) =>
            execFileSync("bash", ["-c", code], { encoding: "utf8", env: environment }),
          );
          expect(removed.map((text) => (JSON.parse(text) as Removed).deleted.length)).toEqual([sampleSize]);
          expect(sampleSize).toBeGreaterThanOrEqual(300);
        } finally {
          await server.stop();
        }
        const again = await startServerProcess(directory, WITH_SAMPLE);
        try {
          expect(again.readyMs).toBeLessThan(3_000 * slowness);
          expect(again.stdout()).not.toContain(key);
          const next = /http\S+sign-in\S+/.exec(again.stdout())?.[0];
          expect([next?.startsWith(again.url), next === link]).toEqual([true, false]);
          const me = await fetch(`${again.url}/quarry/v1/me`, { headers: { authorization: `Bearer ${key}` } });
          expect(me.status).toBe(200);
          expect(await removeSample(again)).toEqual([]);
          expect(again.stderr()).not.toContain("sample's pages");
        } finally {
          await again.stop();
        }
      }),
    LONG,
  );

  verifies(
    ["commands:start:default-address", "commands:start:embedded-data", "config:sample:off"],
    "with QUARRY_SAMPLE=0 alone listens on 127.0.0.1:7700, keeps everything in ./.quarry, is empty, and says how to get pages",
    () =>
      withDataDirectory(async (directory) => {
        const child = spawn(process.execPath, [path.resolve("dist", "server.js")], {
          cwd: directory,
          env: { PATH: process.env["PATH"], QUARRY_SAMPLE: "0" },
          stdio: ["ignore", "pipe", "ignore"],
        });
        const gone = new Promise((resolve) => child.once("close", resolve));
        try {
          let said = "";
          child.stdout.on("data", (part: Buffer) => (said += part.toString()));
          await vi.waitUntil(() => said.includes("Stop") || child.exitCode !== null, { timeout: LONG });
          expect((await fetch("http://127.0.0.1:7700/readyz")).status).toBe(200);
          const kept = readdirSync(path.join(directory, ".quarry"));
          expect(kept).toEqual(expect.arrayContaining(["index", "postgres", "server.json"]));
          expect(readdirSync(directory)).toEqual([".quarry"]);

          expect(said).toContain("npx quarry crawl");
          const curl = /curl .*/.exec(said)?.[0] ?? "";
          expect(JSON.parse(execFileSync("bash", ["-c", curl], { encoding: "utf8" }))).toHaveProperty("status");
          const { key } = JSON.parse(readFileSync(path.join(directory, ".quarry", "server.json"), "utf8")) as {
            readonly key: string;
          };
          const ask = async (method: string, route: string, body: unknown): Promise<unknown> => {
            const headers = { "x-api-key": key, "content-type": "application/json" };
            return (
              await fetch(`http://127.0.0.1:7700${route}`, { method, headers, body: JSON.stringify(body) })
            ).json();
          };
          // Until the indexer has made its index, the answer is 503.
          await expect
            .poll(() => ask("POST", "/search", { query: "anything at all", type: "keyword" }), { timeout: 60_000 })
            .toMatchObject({ results: [] });
          expect(await ask("DELETE", "/quarry/v1/documents?shared=true", { source: "sample" })).toMatchObject({
            deleted: [],
          });
        } finally {
          child.kill("SIGTERM");
          await gone;
        }
      }),
    LONG,
  );

  it(
    "that is killed while it loads is finished by the next one",
    () =>
      withDataDirectory(async (directory) => {
        const child = spawn(process.execPath, [path.resolve("dist", "server.js")], {
          cwd: directory,
          env: { PATH: process.env["PATH"], QUARRY_DATA_DIR: directory, QUARRY_PORT: "0", QUARRY_LOG_LEVEL: "silent" },
          stdio: "ignore",
        });
        const gone = new Promise((resolve) => child.once("close", resolve));
        await vi.waitUntil(() => countFiles(path.join(directory, "blobs", "snapshots")) > 60, {
          timeout: LONG,
          interval: 50, // each look reads every name below
        });
        child.kill("SIGKILL");
        await gone;

        const server = await startServerProcess(directory, WITH_SAMPLE);
        try {
          await vi.waitUntil(() => server.stderr().includes("the sample's pages are there"), { timeout: LONG });
          const { results } = await search(server, { query: "kluge", type: "keyword", numResults: 5 });
          expect(results.some(({ url }) => url.includes("catb.org"))).toBe(true);
          const pages = await removeSample(server);
          expect([pages.length, new Set(pages).size]).toEqual([sampleSize, sampleSize]);
        } finally {
          await server.stop();
        }
      }),
    LONG,
  );
});

describe("a search provider that is configured", () => {
  verifies(
    ["search:upstream:labelled", "search:upstream:providers"],
    "fills in what the index lacks, marked, and its pages are found here from then on",
    () =>
      withDataDirectory(async (directory) => {
        const tides =
          "<html><title>On tides</title><body><h1>On tides</h1><p>Tides follow the Moon and the Sun.</p></body>";
        const web = await serve(({ url }, response) => {
          response.writeHead(url === "/tides" ? 200 : 404, { "content-type": "text/html" }).end(tides);
        });
        const page = `${web}/tides`;
        const asked: string[] = [];
        const provider = await serve((request, response) => {
          asked.push(request.url ?? "");
          const results = [{ url: page, title: "On tides" }];
          response.setHeader("content-type", "application/json");
          const isBrave = request.url?.startsWith("/res/v1/web/search") === true;
          response.end(JSON.stringify(isBrave ? { type: "search", web: { results } } : { results }));
        });
        const secret = "upstream-key-nobody-sees";
        const embedder = await startLightEmbedder();
        onTestFinished(embedder.close);
        const server = await startServerProcess(directory, {
          ...embedder.settings,
          QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
          QUARRY_UPSTREAM_SEARXNG_URL: provider,
          QUARRY_UPSTREAM_BRAVE_URL: provider,
          QUARRY_UPSTREAM_BRAVE_KEY: secret,
          QUARRY_UPSTREAM_EXA_URL: `${provider}/broken`,
          QUARRY_UPSTREAM_EXA_KEY: secret,
          QUARRY_LOG_LEVEL: "trace",
        });
        try {
          const wish = { query: "why are there tides", numResults: 3, contents: { text: true } };
          const first = await search(server, wish);
          expect(first.results).toMatchObject([{ url: page, title: "On tides" }]);
          expect(["exa", "brave", "searxng"]).toContain(first.results[0]?.quarry?.source);
          expect(first.warnings).toContainEqual(expect.objectContaining({ code: "upstream_results" }));
          expect(asked.map((url) => url.split("?")[0]).sort()).toEqual([
            "/broken/search",
            "/res/v1/web/search",
            "/search",
          ]);
          // A busy machine may need longer for the page than a caller is kept waiting; it is kept all the same.
          const address = `/quarry/v1/documents?url=${encodeURIComponent(page)}`;
          await vi.waitUntil(async () => (await server.call("GET", address)).status === 200, { timeout: 60_000 });
          expect((await server.call("GET", address)).body).toMatchObject({ source: "upstream" });
          const found = await vi.waitUntil(
            async () => {
              const [result] = (await search(server, { ...wish, numResults: 1 })).results;
              return result?.url === page && result.quarry === undefined ? result : undefined;
            },
            { timeout: 60_000, interval: 300 },
          );
          expect(found.text).toContain("follow the Moon");
          expect(server.stdout() + server.stderr()).not.toContain(secret);
        } finally {
          await server.stop();
        }
      }),
    LONG,
  );
});

/** A server on loopback that lives as long as the test; its address. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function countFiles(directory: string): number {
  if (!existsSync(directory)) return 0;
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
}
