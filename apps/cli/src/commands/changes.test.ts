import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { cliWorld, serveApi } from "../testing.ts";

const change = {
  id: "change_1",
  toolCallId: "call",
  path: "/w/a.ts",
  kind: "changed",
  at: "2030-01-31T10:00:00.000Z",
  undoes: null,
};
const session = ["--session", "session_1"];

verifies("tools:undo:checkpoints:list-diff-restore", "lists, compares, restores and undoes by name", async () => {
  const api = await serveApi(({ url }) => {
    if (url.endsWith("/checkpoints")) {
      return { body: { data: [{ id: "change_1", turnId: "turn", at: change.at, changes: [change] }] } };
    }
    if (url.endsWith("/checkpoints/change_1")) return { body: { data: [{ path: "/w/a.ts", diff: "-a\n+b" }] } };
    return { body: { changes: [{ ...change, id: "change_2", undoes: "change_1" }] } };
  });
  const run = (...args: readonly string[]) => cliWorld().run("changes", ...args, ...session, "--url", api.url);
  expect((await run()).stdout).toMatch(/^CHANGE\s+CHECKPOINT.*\nchange_1\s+change_1\s.*changed\s+\/w\/a\.ts\n$/);
  expect((await run("diff", "change_1")).stdout).toBe("-a\n+b\n");
  expect((await run("restore", "change_1")).stdout).toBe("Taken back: /w/a.ts\n");
  expect((await run("undo", "change_1")).stdout).toBe("Taken back: /w/a.ts\n");
  expect(api.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET /quarry/v1/sessions/session_1/checkpoints",
    "GET /quarry/v1/sessions/session_1/checkpoints/change_1",
    "POST /quarry/v1/sessions/session_1/checkpoints/change_1/restore",
    "POST /quarry/v1/sessions/session_1/changes/change_1/undo",
  ]);
});

it("says what the server refuses, and takes the CLI's own session unless one is named", async () => {
  const error = "nothing was taken back: /w/a.ts changed since";
  const api = await serveApi(() => ({ status: 409, body: { requestId: "r", error, tag: "CONFLICT" } }));
  const refused = await cliWorld().run("changes", "undo", "change_1", ...session, "--url", api.url);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(error)]);
  await cliWorld().run("changes", "undo", "change_1", "--url", api.url);
  expect(api.seen.at(-1)?.url).toBe("/quarry/v1/sessions/own/changes/change_1/undo");
});
