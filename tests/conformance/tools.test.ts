import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import {
  ApprovalDecision,
  ApprovalService,
  ApprovalStatus,
  ClientSideToolV2,
  ExecService,
  ToolService,
  VmDaemonService,
  type AgentToolCall,
  type ToolEventMessage,
} from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const PAGE = {
  url: "https://tools.example/lighthouse",
  title: "Lighthouses",
  text: "A lighthouse warns ships at night. ".repeat(40),
};

/** The same key as REST, on every protocol; both transports of a name share the server's one port. */
const TRANSPORTS = {
  "Connect with JSON": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect with binary": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
} as const;

interface Clients {
  readonly tools: Client<typeof ToolService>;
  readonly approvals: Client<typeof ApprovalService>;
  readonly daemon: Client<typeof VmDaemonService>;
  readonly exec: Client<typeof ExecService>;
  readonly headers: { readonly headers: Record<string, string> };
}

function clientsOf(transport: Transport, key: string): Clients {
  return {
    tools: createClient(ToolService, transport),
    approvals: createClient(ApprovalService, transport),
    daemon: createClient(VmDaemonService, transport),
    exec: createClient(ExecService, transport),
    headers: { headers: { "x-api-key": key } },
  };
}

describe("the tool services of the real server", () => {
  let server: ServerProcess;
  let finish: () => void = () => undefined;
  let finished: Promise<void>;

  beforeAll(async () => {
    await new Promise<void>((ready, fail) => {
      finished = withDataDirectory(async (directory) => {
        server = await startServerProcess(directory, { QUARRY_SAMPLE: "0" });
        await server.call("POST", "/quarry/v1/documents?wait=true", PAGE);
        const over = new Promise<void>((resolve) => (finish = resolve));
        ready();
        await over;
        await server.stop();
      });
      finished.catch(fail);
    });
  }, 120_000);

  afterAll(async () => {
    finish();
    await finished;
  }, 60_000);

  for (const [name, makeTransport] of Object.entries(TRANSPORTS)) {
    const clients = (): Clients => clientsOf(makeTransport(server.url), server.key);
    it(`search, are asked, fetch by id and are asked again over ${name}`, async () => {
      const { tools, approvals, headers } = clients();
      const sessionId = await makeSession(server);
      const found = await runAgent(clients(), {
        sessionId,
        call: {
          case: "exaSearchToolCall",
          value: { args: { query: "lighthouse ships", type: "keyword", toolCallId: "s1" } },
        },
        onApproval: async (id, query) => {
          expect(query).toMatchObject({
            case: "exaSearchRequestQuery",
            value: { args: { query: "lighthouse ships", toolCallId: "s1" } },
          });
          await approvals.answer(
            { approvalId: id, answer: { case: "decision", value: ApprovalDecision.ONCE } },
            headers,
          );
        },
      });
      expect(found.cases).toEqual(["accepted", "partialCall", "call", "approvalNeeded", "progress", "agentResult"]);
      const search = found.call?.tool.case === "exaSearchToolCall" ? found.call.tool.value.result?.result : undefined;
      if (search?.case !== "success") throw new Error(`no success: ${JSON.stringify(search)}`);
      expect(search.value.references).toMatchObject([{ url: PAGE.url, title: "Lighthouses" }]);
      expect(search.value.references[0]?.text).toContain("<untrusted-web-text");

      const fetched = await runAgent(clients(), {
        sessionId,
        call: { case: "exaFetchToolCall", value: { args: { ids: [PAGE.url], toolCallId: "f1" } } },
        onApproval: async (id, query) => {
          const queryId = query === undefined ? 0 : found.queryId + 1;
          const { data } = (await server.call("GET", `/quarry/v1/approvals?sessionId=${sessionId}&status=pending`))
            .body as {
            data: { id: string; reasons: string[]; query: { type: string } }[];
          };
          expect(data).toMatchObject([{ id, query: { type: "exa-fetch-request" } }]);
          expect(data[0]?.reasons.join()).not.toContain("not from a search");
          const result = {
            case: "exaFetchRequestResponse",
            value: { result: { case: "approved", value: {} } },
          } as const;
          await approvals.answer(
            { sessionId, answer: { case: "interactionResponse", value: { id: queryId, result } } },
            headers,
          );
        },
      });
      const fetch = fetched.call?.tool.case === "exaFetchToolCall" ? fetched.call.tool.value.result?.result : undefined;
      if (fetch?.case !== "success") throw new Error(`no success: ${JSON.stringify(fetch)}`);
      expect(fetch.value.contents[0]?.text).toContain("A lighthouse warns ships at night.");
      expect((await tools.listTools({}, headers)).tools.map((tool) => tool.name)).toEqual([
        "exa_search",
        "exa_fetch",
        "web_search",
        "web_fetch",
        "fetch",
      ]);
    }, 60_000);
  }
});

async function makeSession(server: ServerProcess): Promise<string> {
  const { body } = await server.call("POST", "/quarry/v1/sessions", {});
  return (body as { id: string }).id;
}

async function runAgent(
  { tools, headers }: Clients,
  run: {
    readonly sessionId: string;
    readonly call: AgentToolCall["tool"] | { readonly case: string; readonly value: unknown };
    readonly onApproval: (approvalId: string, query: unknown) => Promise<void>;
  },
): Promise<{ readonly cases: readonly string[]; readonly call: AgentToolCall | undefined; readonly queryId: number }> {
  const cases: string[] = [];
  let call: AgentToolCall | undefined;
  let queryId = 0;
  const request = { sessionId: run.sessionId, call: { tool: run.call as AgentToolCall["tool"] } };
  for await (const event of tools.runAgentTool(request, headers) as AsyncIterable<ToolEventMessage>) {
    cases.push(event.event.case ?? "none");
    if (event.event.case === "approvalNeeded") {
      const { query } = event.event.value;
      queryId = query.case === "interactionQuery" ? query.value.id : 0;
      await run.onApproval(event.event.value.id, query.case === "interactionQuery" ? query.value.query : undefined);
    }
    if (event.event.case === "agentResult") call = event.event.value;
  }
  return { cases, call, queryId };
}
