import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, createClient, type Client, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import {
  ApprovalDecision,
  ApprovalService,
  ApprovalStatus,
  ExecService,
  ToolService,
  VmDaemonService,
  type AgentToolCall,
  type SessionRequestSchema,
  type SessionResponse,
} from "@quarry/contract";
import { findChainBreak, type AuditRecord } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect } from "vitest";
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

const SEARCH = {
  case: "exaSearchToolCall",
  value: { args: { query: "ships", type: "keyword", toolCallId: "s1" } },
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
    verifies(
      [
        "agent-protocol:proof:search-approve-fetch",
        "agent-protocol:doors:connect-json",
        "agent-protocol:doors:connect-binary",
        "agent-protocol:doors:grpc",
        "agent-protocol:doors:grpc-web",
        "agent-protocol:services:run-agent-tool",
        "agent-protocol:services:list-tools",
        "agent-protocol:services:approval-list",
        "agent-protocol:services:approval-answer",
        "agent-protocol:stream:partial-call",
        "agent-protocol:stream:call-v2",
        "agent-protocol:stream:result-last",
        "agent-protocol:rest:approvals-list",
        "agent-protocol:rest:query-form",
        "approvals:exa:id-echoed",
        "tools:exa-search:args:tool-call-id",
        "tools:exa-fetch:args:tool-call-id",
        "tools:web:engine:own",
      ],
      `search, are asked, fetch by id and are asked again over ${name}`,
      async () => {
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
        const fetch =
          fetched.call?.tool.case === "exaFetchToolCall" ? fetched.call.tool.value.result?.result : undefined;
        if (fetch?.case !== "success") throw new Error(`no success: ${JSON.stringify(fetch)}`);
        expect(fetch.value.contents[0]?.text).toContain("A lighthouse warns ships at night.");
        expect(fetched.call?.tool.value).toMatchObject({ args: { toolCallId: "f1" } });
        expect(found.call?.tool.value).toMatchObject({ args: { toolCallId: "s1" } });
        const names = (await tools.listTools({}, headers)).tools.map((tool) => tool.name);
        expect(names).toEqual(expect.arrayContaining(["exa_search", "exa_fetch", "web_search", "read_file_v2"]));
      },
      60_000,
    );
  }

  verifies(
    ["agent-protocol:rest:list", "agent-protocol:rest:schema", "agent-protocol:rest:schema-equals-seed"],
    "list tools and give their schemas over REST, the Exa ones word for word",
    async () => {
      const { body } = await server.call("GET", "/quarry/v1/tools");
      expect(
        (body as { data: { name: string; tier: string }[] }).data.map(({ name, tier }) => `${name} ${tier}`),
      ).toEqual(expect.arrayContaining(["exa_search network", "fetch network", "list_dir read", "delete_file write"]));
      expect((await server.call("GET", "/quarry/v1/tools/exa_search/schema")).body).toEqual({
        $schema: "http://json-schema.org/draft-07/schema#",
        title: "agent.v1.ExaSearchArgs",
        type: "object",
        properties: {
          query: { type: "string", description: "Search query string" },
          type: {
            type: "string",
            enum: ["", "auto", "neural", "keyword", "fast", "deep"],
            description: "Search mode",
          },
          numResults: { type: "integer", format: "int32", description: "Number of results to return" },
          toolCallId: { type: "string", description: "Correlation ID" },
        },
        required: ["query"],
      });
      expect((await server.call("GET", "/quarry/v1/tools/exa_fetch/schema")).body).toEqual({
        $schema: "http://json-schema.org/draft-07/schema#",
        title: "agent.v1.ExaFetchArgs",
        type: "object",
        properties: {
          ids: { type: "array", items: { type: "string" }, description: "IDs from ExaSearchReference results" },
          toolCallId: { type: "string", description: "Correlation ID" },
        },
        required: ["ids"],
      });
      expect((await server.call("GET", "/quarry/v1/tools/nothing/schema")).status).toBe(404);
    },
  );

  verifies(
    ["agent-protocol:rest:call", "approvals:doors:listed-everywhere", "policy:audit:exportable"],
    "run a call over REST after its approval, and export the log of it",
    async () => {
      const path = "/quarry/v1/tools/exa_search/calls?toolCallId=rest-1";
      const waiting = await server.call("POST", `${path}&timeoutMs=0`, { query: "lighthouse", type: "keyword" });
      const { data } = (await server.call("GET", "/quarry/v1/approvals?status=pending")).body as {
        data: { id: string }[];
      };
      const [approval] = data;
      expect(JSON.stringify(waiting.body)).toContain(approval?.id);
      const { approvals, headers } = clientsOf(TRANSPORTS.gRPC(server.url), server.key);
      const listed = await approvals.list({ status: ApprovalStatus.PENDING }, headers);
      expect(listed.approvals.map(({ id }) => id)).toEqual([approval?.id]);
      await server.call("POST", `/quarry/v1/approvals/${approval?.id ?? ""}/answer`, { decision: "once" });
      const done = await server.call("POST", path, { query: "lighthouse", type: "keyword" });
      expect(done.body).toMatchObject({ success: { references: [{ url: PAGE.url }] } });
      const exported = await fetch(`${server.url}/quarry/v1/audit/export`, { headers: { "x-api-key": server.key } });
      const records = (await exported.text())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as AuditRecord);
      expect(findChainBreak(records)).toBeUndefined();
      expect(records.map(({ entry }) => (JSON.parse(entry) as { toolCallId: string }).toolCallId)).toContain("rest-1");
    },
    60_000,
  );

  verifies(
    ["agent-protocol:services:run", "agent-protocol:services:exec", "agent-protocol:stream:output-deltas"],
    "stream a call's output before its result, and run exec messages",
    async () => {
      const { tools, approvals, exec, headers } = clientsOf(TRANSPORTS["Connect with binary"](server.url), server.key);
      const yes = (approvalId: string) =>
        approvals.answer({ approvalId, answer: { case: "decision", value: ApprovalDecision.ALWAYS } }, headers);
      const cases: string[] = [];
      const call = {
        name: "web_search",
        toolCallId: "w1",
        params: { case: "webSearchParams", value: { searchTerm: "ships" } },
      } as const;
      for await (const { event } of tools.run({ call }, headers)) {
        cases.push(event.case ?? "none");
        if (event.case === "approvalNeeded") await yes(event.value.id);
        if (event.case === "result") {
          expect(event.value.result).toMatchObject({ case: "webSearchResult", value: { isFinal: true } });
        }
      }
      expect(cases).toEqual(["accepted", "partialCall", "call", "approvalNeeded", "output", "result"]);
      await yes((await askFor(tools, headers)).id);
      const elements: string[] = [];
      const request = { id: 9, message: { case: "fetchArgs", value: { url: PAGE.url, toolCallId: "x1" } } } as const;
      for await (const { element } of exec.exec(request, headers)) {
        if (element.case === "execClientMessage") {
          expect(element.value).toMatchObject({
            id: 9,
            message: { case: "fetchResult", value: { result: { case: "success" } } },
          });
        }
        elements.push(
          element.case === "execClientControlMessage" ? (element.value.message.case ?? "") : (element.case ?? ""),
        );
      }
      expect(elements.slice(-2)).toEqual(["execClientMessage", "streamClose"]);
    },
    60_000,
  );

  verifies(
    [
      "agent-protocol:proof:rejected",
      "agent-protocol:doors:auth",
      "agent-protocol:doors:same-port",
      "approvals:exa:asked-over-doors",
      "agent-protocol:rest:approved-form",
      "agent-protocol:rest:approvals-answer",
    ],
    "end a rejected call with the reason, on one port and for known keys alone",
    async () => {
      for (const [name, makeTransport] of Object.entries(TRANSPORTS)) {
        const clients = clientsOf(makeTransport(server.url), server.key);
        const sessionId = await makeSession(server);
        const { call } = await runAgent(clients, {
          sessionId,
          call: SEARCH,
          onApproval: async (id) => {
            const answer = { approved: false, reason: `not over ${name}` };
            expect((await server.call("POST", `/quarry/v1/approvals/${id}/answer`, answer)).status).toBe(200);
            expect((await server.call("POST", `/quarry/v1/approvals/${id}/answer`, answer)).status).toBe(409);
          },
        });
        const result = call?.tool.case === "exaSearchToolCall" ? call.tool.value.result?.result : undefined;
        expect(result).toMatchObject({ case: "rejected", value: { reason: `not over ${name}` } });
        await expect(clients.tools.listTools({}, { headers: { "x-api-key": "wrong" } })).rejects.toMatchObject({
          code: Code.Unauthenticated,
        });
      }
    },
    60_000,
  );

  verifies(
    [
      "agent-protocol:services:session",
      "agent-protocol:services:session-resume",
      "agent-protocol:services:approval-watch",
    ],
    "carry a session both ways, and resume it without loss",
    async () => {
      const { tools, approvals, headers } = clientsOf(TRANSPORTS["Connect with binary"](server.url), server.key);
      const watching = new AbortController();
      const watched = approvals.watch({}, { ...headers, signal: watching.signal })[Symbol.asyncIterator]();
      const up = new Uplink();
      const down = tools.session(up.read(), headers)[Symbol.asyncIterator]();
      up.put({ message: { case: "open", value: {} } });
      const opened = (await down.next()).value as SessionResponse;
      const sessionId = opened.message.case === "opened" ? opened.message.value.sessionId : "";
      up.put({ message: { case: "heartbeat", value: {} } });
      up.put({
        message: {
          case: "call",
          value: { toolCallId: "a", name: "exa_search", rawArgs: '{"query":"ships","type":"keyword"}' },
        },
      });
      const query = await until(down, ({ message }) => message.case === "interactionQuery");
      expect(((await watched.next()).value as { approval?: { toolCallId: string } }).approval?.toolCallId).toBe("a");
      watching.abort();
      const id = query.message.case === "interactionQuery" ? query.message.value.id : 0;
      const result = {
        case: "exaSearchRequestResponse",
        value: { result: { case: "approved", value: {} } },
      } as const;
      const wrong = { case: "exaFetchRequestResponse", value: { result: { case: "approved", value: {} } } } as const;
      up.put({ message: { case: "interactionResponse", value: { id, result: wrong } } });
      expect((await until(down, ({ message }) => message.case === "refused")).message.value).toMatchObject({
        code: "invalid_request",
      });
      up.put({ message: { case: "interactionResponse", value: { id, result } } });
      const ended = await until(down, ({ sequence }) => sequence > 0n);
      expect(ended.message).toMatchObject({ case: "event", value: { event: { case: "result" } } });
      up.close();

      const again = new Uplink();
      const resumed = tools.session(again.read(), headers)[Symbol.asyncIterator]();
      again.put({ message: { case: "open", value: { sessionId, lastSequence: 0n } } });
      const replayed = await until(resumed, ({ sequence }) => sequence > 0n);
      expect([replayed.sequence, replayed.message]).toMatchObject([
        ended.sequence,
        { case: "event", value: { toolCallId: "a", event: { case: "result" } } },
      ]);
      again.close();
    },
    60_000,
  );
});

describe("the tool services over a death of the server", () => {
  verifies(
    [
      "agent-protocol:proof:killed-while-waiting",
      "agent-protocol:proof:headless",
      "agent-protocol:unary:waits-for-approval",
      "agent-protocol:services:vm-daemon",
      "agent-protocol:call:tool-index-echoed",
      "agent-protocol:call:model-call-id-echoed",
      "agent-protocol:call:preview-not-executed",
      "durability:approvals:survive-kill",
      "durability:sessions:survive-restart",
    ],
    "go on after the server was killed while the question waited, and refuse new ones with nobody there",
    () =>
      withDataDirectory(async (directory) => {
        const key = "one-key-for-all-starts-000000";
        const settings = { QUARRY_SAMPLE: "0", QUARRY_API_KEY: key };
        const first = await startServerProcess(directory, settings);
        await first.call("POST", "/quarry/v1/documents?wait=true", PAGE);
        const request = {
          composerId: "composer 1",
          toolCall: {
            name: "exa_search",
            rawArgs: JSON.stringify({ query: "lighthouse", type: "keyword" }),
            toolCallId: "u1",
            toolIndex: 4,
            modelCallId: "m1",
            timeoutMs: 500,
          },
        };
        const before = clientsOf(TRANSPORTS["Connect with JSON"](first.url), key);
        const preview = { ...request, toolCall: { ...request.toolCall, isStreaming: true } };
        expect((await before.daemon.callClientSideV2Tool(preview, before.headers)).toolResult?.error).toBeUndefined();
        expect((await before.approvals.list({}, before.headers)).approvals).toEqual([]);
        const waiting = await before.daemon.callClientSideV2Tool(request, before.headers);
        const [approval] = (await before.approvals.list({ status: ApprovalStatus.PENDING }, before.headers)).approvals;
        expect(waiting.toolResult?.error?.modelVisibleErrorMessage).toContain(approval?.id);
        const sessions = (await first.call("GET", "/quarry/v1/sessions")).body;
        expect(JSON.stringify(sessions)).toContain(approval?.sessionId);
        await first.kill();

        const second = await startServerProcess(directory, { ...settings, QUARRY_HEADLESS: "deny" });
        expect((await second.call("GET", "/quarry/v1/sessions")).body).toEqual(sessions);
        const after = clientsOf(TRANSPORTS["Connect with binary"](second.url), key);
        const answer = { case: "decision", value: ApprovalDecision.ONCE } as const;
        await after.approvals.answer({ approvalId: approval?.id ?? "", answer }, after.headers);
        const { toolResult } = await after.daemon.callClientSideV2Tool(
          { ...request, toolCall: { ...request.toolCall, timeoutMs: 20_000 } },
          after.headers,
        );
        expect(toolResult).toMatchObject({ toolCallId: "u1", toolIndex: 4, modelCallId: "m1" });
        expect(toolResult?.result).toMatchObject({
          case: "exaSearchResult",
          value: { result: { case: "success", value: { references: [{ url: PAGE.url }] } } },
        });
        const refused = await runAgent(after, { sessionId: "", call: SEARCH, onApproval: () => Promise.resolve() });
        const result =
          refused.call?.tool.case === "exaSearchToolCall" ? refused.call.tool.value.result?.result : undefined;
        expect(result).toMatchObject({
          case: "rejected",
          value: { reason: expect.stringContaining("nobody") as unknown },
        });
        await second.stop();
      }),
    180_000,
  );
});

/** Lets `fetch` of the page be asked about once, and gives the question. */
async function askFor(tools: Clients["tools"], headers: Clients["headers"]): Promise<{ readonly id: string }> {
  const params = { case: "fetchParams", value: { url: PAGE.url } } as const;
  for await (const { event } of tools.run({ call: { name: "fetch", toolCallId: "first", params } }, headers)) {
    if (event.case === "approvalNeeded") return event.value;
  }
  throw new Error("nothing was asked");
}

async function until(
  stream: AsyncIterator<SessionResponse>,
  isIt: (response: SessionResponse) => boolean,
): Promise<SessionResponse> {
  for (;;) {
    const next = await stream.next();
    if (next.done === true) throw new Error("the stream ended before");
    if (isIt(next.value)) return next.value;
  }
}

/** What a client sends on a stream, message by message. */
class Uplink {
  readonly #messages: MessageInitShape<typeof SessionRequestSchema>[] = [];
  #bell: (() => void) | undefined;
  #isClosed = false;

  put(message: MessageInitShape<typeof SessionRequestSchema>): void {
    this.#messages.push(message);
    this.#bell?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#bell?.();
  }

  async *read(): AsyncGenerator<MessageInitShape<typeof SessionRequestSchema>> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) yield message;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#bell = resolve));
    }
  }
}

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
  for await (const event of tools.runAgentTool(request, headers)) {
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
