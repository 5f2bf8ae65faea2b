import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { lockDataDirectory } from "@quarry/store";
import { expect, it, onTestFinished } from "vitest";
import { isAlive } from "./server-file.ts";
import { announceServer, cliWorld } from "./testing.ts";
import type { CliWorld, CliWorldOptions } from "./testing.ts";

/** A world whose background server, if one is left, is ended with the test. */
function worldWithServer(options: CliWorldOptions = {}): CliWorld {
  const world = cliWorld(options);
  onTestFinished(async () => {
    await world.run("stop");
  });
  return world;
}

function pidIn(world: CliWorld): number {
  const file: unknown = JSON.parse(readFileSync(path.join(world.dataDirectory, "server.json"), "utf8"));
  return typeof file === "object" && file !== null && "pid" in file ? Number(file.pid) : 0;
}

it("starts a server when none runs, uses it again, and stops it", async () => {
  const world = worldWithServer({ env: { FAKE_SERVER: "slow" } });
  const first = await world.run("keys", "list", "--json");
  expect(first).toMatchObject({ code: 0, stdout: '{\n  "data": []\n}\n' });
  const log = path.join(world.dataDirectory, "server.log");
  expect(first.stderr).toMatch(/^Starting Quarry in the background \(log: .+\)\nQuarry is ready at http:.+\n$/);
  expect(first.stderr).toContain(`its first API key is in ${log}`);
  expect(statSync(log).mode & 0o777).toBe(0o600);

  const pid = pidIn(world);
  expect(await world.run("keys", "list")).toMatchObject({ code: 0, stderr: "" });
  expect(pidIn(world)).toBe(pid);

  expect(await world.run("stop", "--json")).toMatchObject({
    code: 0,
    stdout: `{\n  "stopped": true,\n  "pid": ${pid}\n}\n`,
  });
  expect(isAlive(pid)).toBe(false);
  expect(readFileSync(log, "utf8")).toContain("fake server got SIGTERM");
  expect(await world.run("stop")).toMatchObject({ code: 0, stdout: "No server is running.\n" });
});

it.each([
  ["says where the first key is, also when the start before had failed", "", true],
  ["says nothing of a key that was made before", "known", false],
])("%s", async (_, mode, isSaid) => {
  const world = worldWithServer({ env: { FAKE_SERVER: mode } });
  mkdirSync(world.dataDirectory);
  writeFileSync(path.join(world.dataDirectory, "server.log"), "  API key, shown once   of long ago\n");
  const { stderr } = await world.run("keys", "list");
  expect(stderr).toContain("Quarry is ready at");
  expect(stderr.includes("its first API key is in")).toBe(isSaid);
});

it("is silent about it with --quiet", async () => {
  expect(await worldWithServer().run("keys", "list", "--quiet", "--json")).toMatchObject({ code: 0, stderr: "" });
});

it("starts anew where a killed server left its file", async () => {
  const world = worldWithServer();
  announceServer(world.dataDirectory, { pid: 2 ** 22 - 1 });
  expect((await world.run("keys", "list")).code).toBe(0);
});

it("shows the end of the log of this start when it fails", async () => {
  const world = cliWorld({ env: { FAKE_SERVER: "crash" } });
  announceServer(world.dataDirectory, { pid: 2 ** 22 - 1 });
  writeFileSync(path.join(world.dataDirectory, "server.log"), "a line of long ago\n");
  const result = await world.run("keys", "list");
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("The server did not start: it ended with exit code 7.");
  expect(result.stderr).toContain("  the fake server fails on purpose");
  expect(result.stderr).not.toContain("a line of long ago");
});

it("waits for the owner of the directory instead of starting a second server", async () => {
  const world = cliWorld();
  const lock = await lockDataDirectory(world.dataDirectory);
  onTestFinished(lock.release);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300).unref();
  const waiting = cliWorld({ env: { QUARRY_DATA_DIR: world.dataDirectory }, signal: stop.signal });
  const result = await waiting.run("keys", "list");
  expect(result).toMatchObject({
    code: 130,
    stderr: `Waiting for the server with process ${process.pid}, which is not ready yet\n`,
  });
});

it("starts none for a process that only works", async () => {
  const env = { QUARRY_ROLE: "worker", QUARRY_DATABASE_URL: "postgres://h/q" };
  expect(await cliWorld({ env }).run("keys", "list")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--url") as string,
  });
});
