import { AppError } from "@quarry/base";
import { boundInputTokens, type Llm, type LlmEvent, type LlmReply, type LlmRequest, type LlmUsage } from "../llm.ts";
import { postForStream, postJson, type ModelEndpoint, type PostDeps } from "./post-json.ts";
import { readEvents } from "./read-events.ts";

/** How long one reply may take in all; a small machine writes a page in minutes. */
const DEFAULT_TIMEOUT_MS = 180_000;

/** A language model behind `POST /chat/completions` of any OpenAI-compatible server (`QUARRY_LLM_URL`). */
export function createOpenAiLlm(
  deps: PostDeps,
  options: { readonly endpoint: ModelEndpoint; readonly model: string; readonly timeoutMs?: number },
): Llm {
  const { endpoint, model, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const call = (request: LlmRequest, isStreamed: boolean) => ({
    endpoint,
    path: "chat/completions",
    body: toBody(model, request, isStreamed),
    timeoutMs,
  });
  return {
    model,
    complete: async (request, signal) => toReply(request, await postJson(deps, call(request, false), signal)),
    stream: async function* (request, signal) {
      const reply = await postForStream(deps, call(request, true), signal);
      try {
        yield* toEvents(request, readEvents(reply.body));
      } finally {
        reply.discard(); // whoever stops listening stops the model, too
      }
    },
  };
}

function toBody(model: string, request: LlmRequest, isStreamed: boolean): Readonly<Record<string, unknown>> {
  const { schema, temperature } = request;
  return {
    model,
    messages: request.messages,
    max_tokens: request.maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: schema.name, schema: schema.schema } } }),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** The part of a reply, or of a streamed chunk, that counts. */
interface Chunk {
  readonly text: string;
  readonly finish: LlmReply["finish"] | undefined;
  readonly usage: LlmUsage | undefined;
}

function toReply(request: LlmRequest, value: unknown): LlmReply {
  const { text, finish, usage } = readChunk(value, "message");
  if (finish === undefined) throw malformed("a reply without finish_reason");
  return { text, finish, usage: usage ?? boundUsage(request, text) };
}

async function* toEvents(request: LlmRequest, events: AsyncIterable<string>): AsyncGenerator<LlmEvent> {
  let text = "";
  let finish: LlmReply["finish"] | undefined;
  let usage: LlmUsage | undefined;
  for await (const data of events) {
    if (data === "[DONE]") break;
    const chunk = readChunk(parse(data), "delta");
    if (chunk.text !== "") yield { kind: "text", delta: chunk.text };
    text += chunk.text;
    finish = chunk.finish ?? finish;
    usage = chunk.usage ?? usage;
  }
  if (finish === undefined) throw malformed("a reply that broke off");
  yield { kind: "end", finish, usage: usage ?? boundUsage(request, text) };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw malformed("a chunk that is not JSON");
  }
}

function readChunk(value: unknown, member: "message" | "delta"): Chunk {
  const reply = asRecord(value);
  const error = asRecord(reply["error"]);
  if (typeof error["message"] === "string") throw malformed(`an error: ${error["message"].slice(0, 200)}`);
  const choices: unknown = reply["choices"];
  if (!Array.isArray(choices)) throw malformed("a reply without choices");
  const choice = asRecord(choices[0]);
  const content = asRecord(choice[member])["content"];
  if (member === "message" && typeof content !== "string") throw malformed("a message without content");
  const usage = asRecord(reply["usage"]);
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
  return {
    text: typeof content === "string" ? content : "",
    finish: readFinish(choice["finish_reason"]),
    usage: isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined,
  };
}

function readFinish(reason: unknown): LlmReply["finish"] | undefined {
  if (typeof reason !== "string") return undefined;
  if (reason === "length") return "length";
  return reason === "content_filter" ? "filtered" : "stop";
}

/** A server that counts nothing is taken to have used the most it can have. */
function boundUsage(request: LlmRequest, text: string): LlmUsage {
  const outputTokens = Math.min(request.maxOutputTokens, Buffer.byteLength(text));
  return { inputTokens: boundInputTokens(request.messages), outputTokens };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function malformed(what: string): AppError {
  return new AppError("upstream_failed", `the language model's server sent ${what}`, { retryable: true });
}
