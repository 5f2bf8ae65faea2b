import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { announceServer, cliWorld, serveApi } from "../testing.ts";
import type { ApiAnswer, CliResult, SeenRequest } from "../testing.ts";

const approval = {
  id: "approval_1",
  sessionId: "session_1",
  toolCallId: "c1",
  caller: "a key",
  tool: "exa_search",
  status: "pending",
  query: { type: "exa-search-request", args: { query: "tides" } },
  queryId: 1,
  argsHash: "00",
  reasons: ["it reaches out"],
  risk: "low",
  hosts: [],
  paths: [],
  diff: null,
  choices: ["once", "reject"],
  decision: null,
  reason: null,
  answeredBy: null,
  createdAt: "2030-01-01T00:00:00.000Z",
  expiresAt: "2030-01-02T00:00:00.000Z",
  answeredAt: null,
};
const writing = { ...approval, tool: "edit_file_v2", query: { type: "edit-file-v2-request", args: { path: "a" } } };

const annotations = { title: "Search", readOnly: true, destructive: false, idempotent: true, openWorld: true };
const TOOLS = [
  { name: "exa_search", tool: null, description: "Searches.", tier: "network", annotations, argsSchema: {} },
  {
    name: "read_file_v2",
    tool: "READ_FILE_V2",
    description: "Reads a file.",
    tier: "read",
    annotations,
    argsSchema: {},
  },
];

/** A server whose tool waits for its approval and then does what the answer says. */
async function runTools(
  args: readonly string[],
  options: {
    readonly approval?: Omit<typeof approval, "query"> & { readonly query: object };
    readonly lines?: readonly string[];
  } = {},
): Promise<CliResult & { readonly seen: readonly SeenRequest[]; readonly answers: readonly unknown[] }> {
  const answers: { decision?: string }[] = [];
  const asked = options.approval ?? approval;
  const respond = ({ url, method, body }: SeenRequest): ApiAnswer => {
    if (url.includes("/answer")) {
      answers.push(body as { decision?: string });
      return { body: { ...asked, status: "granted" } };
    }
    if (url.includes("/approvals/")) return { body: asked };
    if (method === "GET") return { body: { data: TOOLS } };
    const [answer] = answers;
    if (answer === undefined) {
      const headers = { "x-quarry-call-state": "awaiting-approval", "x-quarry-approval-id": asked.id };
      return { headers, body: { error: { error: "waiting" } } };
    }
    const isYes = answer.decision === "once";
    const headers = { "x-quarry-call-state": isYes ? "succeeded" : "rejected" };
    return { headers, body: isYes ? { success: {} } : { rejected: { reason: "no" } } };
  };
  const api = await serveApi(respond);
  const world = cliWorld(options.lines === undefined ? {} : { lines: options.lines });
  announceServer(world.dataDirectory, { url: api.url });
  return { ...(await world.run("tools", ...args)), seen: api.seen, answers };
}

verifies(
  ["policy:cli:exa-auto-approved", "cli:tools:call-exa"],
  "runs exa_search and exa_fetch without asking",
  async () => {
    for (const type of ["exa-search-request", "exa-fetch-request"]) {
      const asked = { ...approval, query: { type, args: { query: "tides" } } };
      const result = await runTools(["call", "exa_search", '{"query":"tides"}', "--json"], { approval: asked });
      expect(result).toMatchObject({ code: 0, answers: [{ decision: "once" }] });
      expect(JSON.parse(result.stdout)).toEqual({ success: {} });
      const ids = result.seen.flatMap(({ url }) => /toolCallId=([^&]+)/.exec(url)?.[1] ?? []);
      expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    }
  },
);

verifies(
  ["policy:cli:nothing-else", "cli:tools:write-asks", "cli:tools:yes"],
  "asks at the terminal about anything else, unless --yes",
  async () => {
    const call = ["call", "edit_file_v2", '{"path":"a"}'];
    expect(await runTools(call, { approval: writing, lines: ["y"] })).toMatchObject({
      code: 0,
      answers: [{ decision: "once" }],
    });
    const declined = await runTools(call, { approval: writing, lines: ["n"] });
    expect(declined).toMatchObject({ code: 1, answers: [{ decision: "reject" }] });
    expect(declined.stderr).toContain("edit_file_v2 wants to run");
    expect(await runTools([...call, "--yes"], { approval: writing })).toMatchObject({
      code: 0,
      answers: [{ decision: "once" }],
    });
    const alone = await runTools(call, { approval: writing });
    expect(alone).toMatchObject({ code: 3, answers: [] });
    expect(alone.stderr).toContain("quarry approvals answer approval_1");
  },
);

it("refuses arguments that are no JSON object", async () => {
  expect(await runTools(["call", "exa_search", "tides"])).toMatchObject({ code: 2 });
});

verifies("cli:tools:list", "lists the tools by name, tier and what they do", async () => {
  const listed = await runTools(["list"]);
  expect([listed.code, listed.seen.map(({ url }) => url)]).toEqual([0, ["/quarry/v1/tools"]]);
  expect(listed.stdout).toMatch(
    /NAME +TIER +DESCRIPTION\s+exa_search +network +Searches\.\s+read_file_v2 +read +Reads a file\./,
  );
  expect(JSON.parse((await runTools(["list", "--json"])).stdout)).toEqual({ data: TOOLS });
});
