import { expect, it } from "vitest";
import { announceServer, cliWorld, serveApi } from "../testing.ts";

const health = {
  status: "ok",
  version: "0.1.0",
  role: "all",
  uptimeSeconds: 3_700,
  components: [{ name: "database", status: "ok", figures: { connections: 3, latencyMs: 0.52 } }],
};

it("says how the running server and its parts do", async () => {
  const api = await serveApi(() => ({ body: health }));
  const world = cliWorld();
  announceServer(world.dataDirectory, { url: api.url });
  const { code, stdout } = await world.run("status");
  expect(code).toBe(0);
  expect(stdout).toContain(`Running at  ${api.url}\nProcess     ${process.pid}\n`);
  expect(stdout).toContain("Up for      1 h 1 min\n");
  expect(stdout).toContain("database  ok      connections 3, latencyMs 0.5\n");
  const json = await world.run("health", "--json");
  expect(JSON.parse(json.stdout)).toEqual({ running: true, url: api.url, pid: process.pid, ...health });
});

it("ends with code 1 when a part is down", async () => {
  const components = [{ name: "database", status: "down", detail: "gone: see its log" }];
  const api = await serveApi(() => ({ body: { ...health, status: "down", components } }));
  const result = await cliWorld().run("status", "--url", api.url);
  expect([result.code, result.stdout]).toEqual([1, expect.stringContaining("gone: see its log")]);
});

it("says that none runs, starts none, and ends with code 1", async () => {
  const world = cliWorld();
  const result = await world.run("status", "--json");
  expect(result.code).toBe(1);
  expect(JSON.parse(result.stdout)).toMatchObject({ running: false });
  announceServer(world.dataDirectory, {});
  expect((await world.run("status")).stdout).toContain("lives but http://127.0.0.1:1 does not answer");
});

it("ends with code 3 when the key is refused", async () => {
  const api = await serveApi(() => ({ status: 401, body: { error: "no key" } }));
  const result = await cliWorld().run("status", "--url", api.url);
  expect(result).toMatchObject({ code: 3, stderr: "error: no key; pass --key or set QUARRY_API_KEY\n" });
});
