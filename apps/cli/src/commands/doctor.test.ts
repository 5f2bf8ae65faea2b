import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { announceServer, cliWorld, serveApi, temporaryDirectory } from "../testing.ts";
import type { CliWorldOptions } from "../testing.ts";

type Findings = Readonly<Record<string, { readonly status: string; readonly detail: string; readonly fix?: string }>>;

async function examine(options: CliWorldOptions = {}, prepare?: (dataDirectory: string) => void): Promise<Findings> {
  const world = cliWorld({ ...options, env: { QUARRY_PORT: "0", ...options.env } });
  prepare?.(world.dataDirectory);
  const { stdout } = await world.run("doctor", "--json");
  const report = JSON.parse(stdout) as { findings: { check: string; status: string; detail: string; fix?: string }[] };
  return Object.fromEntries(report.findings.map(({ check, ...finding }) => [check, finding]));
}

verifies("cli:doctor:checks", "looks at everything the design names, in a fixed order", async () => {
  expect(Object.keys(await examine())).toEqual([
    "node",
    "settings",
    "server",
    "port",
    "data directory",
    "disk",
    "database",
    "language model",
    "embeddings",
    "browser",
    "ripgrep",
    "bubblewrap",
  ]);
});

verifies(
  "cli:doctor:says-how-to-fix",
  "prints a line for each with its fix and ends with code 1 when one fails",
  async () => {
    const good = await cliWorld({ env: { QUARRY_PORT: "0" } }).run("doctor");
    expect(good.stdout).toMatch(/^ok {4}node {12}Node \d+\.\d+\.\d+$/m);
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining("Nothing fails.\n")]);
    const bad = await cliWorld({ env: { QUARRY_PORT: "0", QUARRY_LLM_URL: "http://127.0.0.1:1/v1" } }).run("doctor");
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(
      /^fail {2}language model {2}127\.0\.0\.1:1 does not answer\n +→ start it, or correct QUARRY_LLM_URL$/m,
    );
    expect(bad.stdout).toMatch(/\n1 check fails\.\n$/);
  },
);

it("names wrong settings and stops there", async () => {
  const findings = await examine({ env: { QUARRY_PROT: "1" } });
  expect(Object.keys(findings)).toEqual(["node", "settings"]);
  expect(findings["settings"]).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("QUARRY_PORT?") as string,
  });
});

it("sees that another program holds the port", async () => {
  const { url } = await serveApi(() => ({}));
  const { port } = new URL(url);
  expect((await examine({ env: { QUARRY_PORT: port } }))["port"]).toEqual({
    status: "fail",
    detail: `another program listens on 127.0.0.1:${port}`,
    fix: "stop that program, or set QUARRY_PORT to another port (0 picks a free one)",
  });
  const own = await examine({ env: { QUARRY_PORT: port } }, (directory) => announceServer(directory, { url }));
  expect(own["port"]).toEqual({ status: "ok", detail: `${port} is held by our own server` });
  expect(own["server"]).toMatchObject({ status: "ok" });
});

it("sees an address that is not this machine's", async () => {
  const findings = await examine({ env: { QUARRY_HOST: "192.0.2.1", QUARRY_PORT: "7700" } });
  expect(findings["port"]).toMatchObject({ status: "fail", detail: "cannot listen on 192.0.2.1:7700 (EADDRNOTAVAIL)" });
});

it("sees a server of another version, and one that does not answer", async () => {
  const { url } = await serveApi(() => ({}));
  const older = await examine({}, (directory) => announceServer(directory, { url, version: "0.0.1" }));
  expect(older["server"]).toMatchObject({ status: "warn", fix: "restart it: quarry stop, then quarry serve" });
  const silent = await examine({}, (directory) => announceServer(directory, {}));
  expect(silent["server"]).toMatchObject({ status: "fail" });
});

it("sees a data directory that is a file, or that others may write", async () => {
  const file = path.join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect((await examine({ env: { QUARRY_DATA_DIR: file } }))["data directory"]).toMatchObject({ status: "fail" });
  const open = await examine({}, (directory) => {
    mkdirSync(directory);
    chmodSync(directory, 0o777);
  });
  expect(open["data directory"]).toMatchObject({
    status: "warn",
    fix: expect.stringContaining("chmod go-w") as string,
  });
});

it("finds that the embedded database can run, without touching the directory", async () => {
  expect((await examine())["database"]).toEqual({
    status: "ok",
    detail: expect.stringMatching(/^embedded PostgreSQL \d+ runs as/) as string,
  });
});

it("finds that a database does not answer, and keeps its password", async () => {
  const findings = await examine({ env: { QUARRY_DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/q" } });
  expect(findings["database"]).toMatchObject({ status: "fail", fix: expect.any(String) as string });
  expect(JSON.stringify(findings)).not.toContain("hunter2");
});

it.each([
  [200, "ok", undefined],
  [401, "fail", "set QUARRY_LLM_KEY to a valid one"],
  [404, "warn", "see that QUARRY_LLM_URL ends where /chat/completions begins, often in /v1"],
])("takes status %i of a model endpoint for %s", async (status, expected, fix) => {
  const api = await serveApi(() => ({ status, body: { data: [] } }));
  const env = { QUARRY_LLM_URL: `${api.url}/v1`, QUARRY_LLM_KEY: "model-key" };
  const finding = (await examine({ env }))["language model"];
  expect([finding?.status, finding?.fix]).toEqual([expected, fix]);
  expect(api.seen[0]).toMatchObject({ url: "/v1/models", authorization: "Bearer model-key" });
});

it("finds programs in PATH and browsers in Playwright's cache", async () => {
  const directory = temporaryDirectory();
  writeFileSync(path.join(directory, "rg"), "", { mode: 0o755 });
  mkdirSync(path.join(directory, "chromium-1200"));
  const env = { PATH: directory, PLAYWRIGHT_BROWSERS_PATH: directory };
  const findings = await examine({ env });
  expect(findings["ripgrep"]).toEqual({ status: "ok", detail: path.join(directory, "rg") });
  expect(findings["browser"]).toEqual({ status: "ok", detail: path.join(directory, "chromium-1200") });
  expect(findings["bubblewrap"]?.status).toBe("info");
});
