import { expect, it } from "vitest";
import { cliWorld, serveApi } from "../testing.ts";

function task(kind: string, change: object): object {
  const createdAt = "2026-11-01T10:00:00.000Z";
  return { id: "task_1", kind, status: "queued", report: null, error: null, createdAt, finishedAt: null, ...change };
}

/** A server whose task is queued at first, then running, then as `end` says. */
async function serveTask(kind: string, end: object): Promise<{ readonly url: string }> {
  let asked = 0;
  return serveApi(({ method }) => {
    if (method === "POST") return { body: task(kind, {}) };
    asked += 1;
    return { body: asked < 2 ? task(kind, { status: "running" }) : task(kind, end) };
  });
}

const AGREED = {
  documents: 3,
  waiting: 1,
  pages: 2,
  missing: 0,
  outdated: 0,
  ahead: 0,
  orphaned: 0,
  withoutVectors: 0,
};

it("verifies: 0 when index and store agree, 6 when they did not", async () => {
  const agreed = await serveTask("verify", { status: "done", report: { ...AGREED, differences: 0 } });
  const good = await cliWorld().run("index", "verify", "--url", agreed.url, "--key", "k");
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining("3 (1 on their way)") as string });
  const differing = await serveTask("verify", { status: "done", report: { ...AGREED, orphaned: 2, differences: 2 } });
  const bad = await cliWorld().run("index", "verify", "--url", differing.url, "--key", "k", "--json");
  expect(bad.code).toBe(6);
  expect(JSON.parse(bad.stdout)).toMatchObject({ kind: "verify", report: { differences: 2 } });
});

it("waits until the index is built anew", async () => {
  const api = await serveTask("rebuild", { status: "done", report: { documents: 3 } });
  const result = await cliWorld().run("index", "rebuild", "--url", api.url, "--key", "k");
  expect(result).toMatchObject({ code: 0, stdout: "Built anew: 3 documents are found by their words.\n" });
});

it("says why a task failed", async () => {
  const api = await serveTask("optimize", { status: "failed", error: "the disk is full" });
  const result = await cliWorld().run("index", "optimize", "--url", api.url, "--key", "k");
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("the disk is full") as string });
});
