import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { announceServer, cliWorld, serveApi, type CliResult, type SeenRequest } from "../testing.ts";

const approval = {
  id: "approval_1",
  sessionId: "session_1",
  toolCallId: "c1",
  caller: "a key",
  tool: "edit_file_v2",
  status: "pending",
  query: { type: "edit-file-v2-request", args: { path: "a" } },
  queryId: 1,
  argsHash: "00",
  reasons: ["it writes"],
  risk: "medium",
  hosts: [],
  paths: ["a"],
  diff: null,
  choices: ["once", "reject"],
  decision: null,
  reason: null,
  answeredBy: null,
  createdAt: "2030-01-01T00:00:00.000Z",
  expiresAt: "2030-01-02T00:00:00.000Z",
  answeredAt: null,
};

async function runApprovals(
  args: readonly string[],
  waiting: readonly object[] = [approval],
): Promise<CliResult & { readonly seen: readonly SeenRequest[] }> {
  const api = await serveApi(({ method }) =>
    method === "POST"
      ? { body: { ...approval, status: "granted" } }
      : { body: { data: waiting, hasMore: false, nextCursor: null } },
  );
  const world = cliWorld();
  announceServer(world.dataDirectory, { url: api.url });
  return { ...(await world.run("approvals", ...args)), seen: api.seen };
}

verifies("cli:approvals:command", "lists what waits, and answers with a reason", async () => {
  const listed = await runApprovals([]);
  expect(listed.code).toBe(0);
  expect(listed.seen.map(({ url }) => url)).toEqual([
    expect.stringMatching(/^\/quarry\/v1\/approvals\?.*status=pending/),
  ]);
  expect(listed.stdout).toMatch(/approval_1 +edit_file_v2 +pending +medium +\{"path":"a"\}/);
  const all = await runApprovals(["list", "--all", "--json"]);
  expect(all.seen[0]?.url).not.toContain("status=");
  expect(JSON.parse(all.stdout)).toEqual({ data: [approval] });
  expect((await runApprovals([], [])).stdout).toContain("Nothing waits.");

  const answered = await runApprovals(["answer", "approval_1", "reject", "--reason", "not this file"]);
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining("approval_1 granted") as unknown });
  expect(answered.seen).toMatchObject([
    {
      method: "POST",
      url: "/quarry/v1/approvals/approval_1/answer",
      body: { decision: "reject", reason: "not this file" },
    },
  ]);
});

it("does not send an answer without a decision", async () => {
  expect(await runApprovals(["answer", "approval_1"])).toMatchObject({ code: 2, seen: [] });
});
