import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { afterEach, expect, it } from "vitest";
import type { LlmEvent, LlmRequest } from "../llm.ts";
import { startTestModelServer, type ModelAnswer } from "../testing.ts";
import { createOpenAiLlm } from "./openai-llm.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const request: LlmRequest = { messages: [{ role: "user", content: "Why?" }], maxOutputTokens: 50 };
const never = new AbortController().signal;

const usage = { prompt_tokens: 7, completion_tokens: 2 };
const whole: ModelAnswer = (_, response) =>
  response.end(JSON.stringify({ choices: [{ message: { content: "Because." }, finish_reason: "stop" }], usage }));

function chunk(content: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;
}

async function startLlm(answer: ModelAnswer, timeoutMs = 5_000) {
  const server = await startTestModelServer(answer);
  closers.push(server.close);
  const endpoint = { url: server.url, key: "sk-secret" };
  return { ...server, llm: createOpenAiLlm(server.deps, { endpoint, model: "small", timeoutMs }) };
}

async function collect(events: AsyncIterable<LlmEvent>): Promise<readonly LlmEvent[]> {
  const all: LlmEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error("expected an AppError");
  return thrown;
}

verifies(
  ["models:llm:openai-compatible", "models:llm:usage-counted"],
  "asks for a completion and reads text and usage",
  async () => {
    const { llm, seen } = await startLlm(whole);
    const schema = { name: "answer", schema: { type: "object" } };
    expect(await llm.complete({ ...request, temperature: 0, schema }, never)).toEqual({
      text: "Because.",
      finish: "stop",
      usage: { inputTokens: 7, outputTokens: 2 },
    });
    expect(seen).toMatchObject([
      {
        path: "/v1/chat/completions",
        headers: { authorization: "Bearer sk-secret" },
        body: {
          model: "small",
          messages: request.messages,
          max_tokens: 50,
          temperature: 0,
          response_format: { type: "json_schema", json_schema: schema },
        },
      },
    ]);
  },
);

verifies("models:llm:streaming", "hands on the parts of a reply as they come, however they are cut", async () => {
  const { llm, seen } = await startLlm((_, response) => {
    const text = `: hello\n\n${chunk("Be")}${chunk("cäuse")}${chunk("", "stop")}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    response.end();
  });
  expect(await collect(llm.stream(request, never))).toEqual([
    { kind: "text", delta: "Be" },
    { kind: "text", delta: "cäuse" },
    { kind: "end", finish: "stop", usage: { inputTokens: 7, outputTokens: 2 } },
  ]);
  expect(seen[0]?.body).toMatchObject({ stream: true });
});

it("counts the most a reply can have cost when the server counts nothing", async () => {
  const { llm } = await startLlm((_, response) => response.end(chunk("ok", "length")));
  expect((await collect(llm.stream(request, never))).at(-1)).toEqual({
    kind: "end",
    finish: "length",
    usage: { inputTokens: 20, outputTokens: 2 },
  });
});

verifies("models:llm:retries", "tries again after the time a busy server names, and not after a refusal", async () => {
  const busy = await startLlm((seen, response, tries) => {
    if (tries < 3) response.writeHead(tries === 1 ? 429 : 503, { "retry-after": "2" }).end("{}");
    else whole(seen, response, tries);
  });
  expect((await busy.llm.complete(request, never)).text).toBe("Because.");
  expect(busy.waits).toEqual([2_000, 2_000]);
  const closed = await startLlm((_, response) => response.writeHead(401).end('{"error":"bad key"}'));
  expect((await failureOf(closed.llm.complete(request, never))).message).toContain("401");
  expect(closed.seen).toHaveLength(1);
});

verifies("models:llm:timeout", "cuts off a reply that takes too long", async () => {
  const { llm } = await startLlm(() => undefined, 100);
  expect(await failureOf(llm.complete(request, never))).toMatchObject({ code: "timeout" });
});

verifies("models:llm:abort", "stops the request when the caller goes away, and when nobody listens on", async () => {
  const { llm, abandoned } = await startLlm((_, response) => response.write(chunk("Be")));
  const controller = new AbortController();
  const work = collect(llm.stream(request, controller.signal));
  setTimeout(() => controller.abort(new Error("gone")), 50);
  await expect(work).rejects.toThrow("gone");
  for await (const event of llm.stream(request, never)) {
    expect(event).toEqual({ kind: "text", delta: "Be" });
    break;
  }
  await expect.poll(abandoned).toBe(2);
});

verifies("models:llm:cut-off-reply", "takes a reply that breaks off for an error, not for half an answer", async () => {
  const ended = await startLlm((_, response) => response.end(chunk("Be")));
  expect((await failureOf(collect(ended.llm.stream(request, never)))).message).toContain("broke off");
  const reset = await startLlm((_, response) => {
    response.write(chunk("Be"), () => response.destroy());
  });
  expect((await failureOf(collect(reset.llm.stream(request, never)))).code).toBe("upstream_failed");
});

verifies("models:llm:malformed-reply", "takes a malformed reply for an error that may be tried again", async () => {
  const bodies = [
    "[]",
    "{}",
    '{"choices":[]}',
    '{"choices":[{"message":{"content":5},"finish_reason":"stop"}]}',
    '{"choices":[{"message":{"content":"x"}}]}',
    '{"error":{"message":"out of memory"}}',
  ];
  for (const body of bodies) {
    const { llm } = await startLlm((_, response) => response.end(body));
    expect(await failureOf(llm.complete(request, never)), body).toMatchObject({ retryable: true });
  }
  const stream = await startLlm((_, response) => response.end("data: {broken\n\n"));
  expect(await failureOf(collect(stream.llm.stream(request, never)))).toMatchObject({ retryable: true });
  const endless = await startLlm((_, response) => response.end(`data: ${"x".repeat(2_000_000)}`));
  expect((await failureOf(collect(endless.llm.stream(request, never)))).message).toContain("without end");
});

it("offers tools, reads the calls the model wants, and hands their results back", async () => {
  const call = { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } };
  const bare = { function: { name: "list", arguments: { path: "." } } };
  const { llm, seen } = await startLlm((_, response) =>
    response.end(
      JSON.stringify({
        choices: [{ message: { content: null, tool_calls: [call, bare] }, finish_reason: "tool_calls" }],
        usage,
      }),
    ),
  );
  const tools = [{ name: "read", description: "Reads a file.", schema: { type: "object" } }];
  const toolCalls = [
    { id: "c1", name: "read", args: '{"path":"a"}' },
    { id: "call_2", name: "list", args: '{"path":"."}' },
  ];
  expect(await llm.complete({ ...request, tools, model: "large" }, never)).toEqual({
    text: "",
    finish: "stop",
    usage: { inputTokens: 7, outputTokens: 2 },
    toolCalls,
  });
  const [asked] = toolCalls;
  if (asked === undefined) throw new Error("no call");
  const turn = [
    { role: "assistant" as const, content: "", toolCalls: [asked] },
    { role: "tool" as const, content: "text of a", toolCallId: "c1" },
  ];
  await llm.complete({ ...request, messages: [...request.messages, ...turn] }, never);
  expect(seen.map(({ body }) => [body["model"], body["messages"], body["tools"]])).toEqual([
    [
      "large",
      request.messages,
      [{ type: "function", function: { name: "read", description: "Reads a file.", parameters: { type: "object" } } }],
    ],
    [
      "small",
      [
        ...request.messages,
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", content: "text of a", tool_call_id: "c1" },
      ],
      undefined,
    ],
  ]);
});
