import { AppError } from "@quarry/base";
import {
  boundInputTokens,
  type Llm,
  type LlmEvent,
  type LlmMessage,
  type LlmReply,
  type LlmRequest,
  type LlmToolCall,
  type LlmUsage,
} from "../llm.ts";
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
  const { schema, temperature, tools = [] } = request;
  return {
    model: request.model ?? model,
    messages: request.messages.map(toMessage),
    max_tokens: request.maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: schema.name, schema: schema.schema } } }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema: parameters }) => ({
            type: "function",
            function: { name, description, parameters },
          })),
        }),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function toMessage({ role, content, toolCalls, toolCallId }: LlmMessage): Readonly<Record<string, unknown>> {
  return {
    role,
    content,
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(toolCalls === undefined || toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, args }) => ({
            id,
            type: "function",
            function: { name, arguments: args },
          })),
        }),
  };
}

/** The part of a reply, or of a streamed chunk, that counts. */
interface Chunk {
  readonly text: string;
  readonly finish: LlmReply["finish"] | undefined;
  readonly usage: LlmUsage | undefined;
  readonly toolCalls: readonly LlmToolCall[];
}

function toReply(request: LlmRequest, value: unknown): LlmReply {
  const { text, finish, usage, toolCalls } = readChunk(value, "message");
  if (finish === undefined) throw malformed("a reply without finish_reason");
  const said = text + toolCalls.map(({ name, args }) => name + args).join("");
  return {
    text,
    finish,
    usage: usage ?? boundUsage(request, said),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
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
  const message = asRecord(choice[member]);
  const content = message["content"];
  const toolCalls = member === "message" ? readToolCalls(message["tool_calls"]) : [];
  if (member === "message" && typeof content !== "string" && toolCalls.length === 0) {
    throw malformed("a message without content");
  }
  const usage = asRecord(reply["usage"]);
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
  return {
    text: typeof content === "string" ? content : "",
    finish: readFinish(choice["finish_reason"]),
    usage: isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined,
    toolCalls,
  };
}

/** The calls of a message. Small servers leave out the id, or send the arguments as an object. */
function readToolCalls(value: unknown): readonly LlmToolCall[] {
  if (!Array.isArray(value)) return [];
  return value.map((item, index) => {
    const call = asRecord(item);
    const { name, arguments: args } = asRecord(call["function"]);
    if (typeof name !== "string" || name === "") throw malformed("a tool call without a name");
    const id = call["id"];
    return {
      id: typeof id === "string" && id !== "" ? id : `call_${index + 1}`,
      name,
      args: typeof args === "string" ? args : JSON.stringify(args ?? {}),
    };
  });
}

function readFinish(reason: unknown): LlmReply["finish"] | undefined {
  if (typeof reason !== "string") return undefined;
  if (reason === "length") return "length";
  return reason === "content_filter" ? "filtered" : "stop";
}

/** A server that counts nothing is taken to have used the most it can have. */
function boundUsage(request: LlmRequest, text: string): LlmUsage {
  const outputTokens = Math.min(request.maxOutputTokens, Buffer.byteLength(text));
  return { inputTokens: boundInputTokens(request.messages, request.tools), outputTokens };
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
