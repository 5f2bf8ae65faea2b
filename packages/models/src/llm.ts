/** One turn of a conversation with a language model. */
export interface LlmMessage {
  /** `tool` is the result of a call that the model asked for. */
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  /** Of an assistant: what it asked for in this turn. */
  readonly toolCalls?: readonly LlmToolCall[] | undefined;
  /** Of a tool: which of those calls this is the result of. */
  readonly toolCallId?: string | undefined;
}

/** A tool that the model may ask for. */
export interface LlmTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of its arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A call that the model asks for. Its arguments are the model's own text: JSON when it did well. */
export interface LlmToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** What a language model is asked. */
export interface LlmRequest {
  readonly messages: readonly LlmMessage[];
  /** The reply ends here at the latest, so that a budget can be kept. */
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  /** Asks for JSON of this shape. A server may not obey: check what it sends. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> } | undefined;
  /** What the model may ask to be called; only `complete` hands such calls on. */
  readonly tools?: readonly LlmTool[] | undefined;
  /** Another model of the same server than the one that was set. */
  readonly model?: string | undefined;
}

/** Tokens of one call, by the server's count or, where it sends none, an upper bound. */
export interface LlmUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A whole reply. `length`: it was ended by `maxOutputTokens` and is not complete. */
export interface LlmReply {
  readonly text: string;
  readonly finish: "stop" | "length" | "filtered";
  readonly usage: LlmUsage;
  /** What the model wants called before it goes on; left out when nothing. */
  readonly toolCalls?: readonly LlmToolCall[];
}

/** A part of a streamed reply; `end` comes last and once. */
export type LlmEvent =
  | { readonly kind: "text"; readonly delta: string }
  | { readonly kind: "end"; readonly finish: LlmReply["finish"]; readonly usage: LlmUsage };

/** A language model. Having none is a normal state: who needs one takes `Llm | undefined`. */
export interface Llm {
  readonly model: string;
  /** The whole reply. Throws when it is cut off, malformed or late; rejects with the signal's reason on abort. */
  readonly complete: (request: LlmRequest, signal: AbortSignal) => Promise<LlmReply>;
  /** The same as it comes. A reply that breaks off throws: what came before is not an answer. */
  readonly stream: (request: LlmRequest, signal: AbortSignal) => AsyncIterable<LlmEvent>;
}

/** More tokens than any known tokeniser makes of these messages and tools: none makes more than one of a byte. */
export function boundInputTokens(messages: readonly LlmMessage[], tools: readonly LlmTool[] = []): number {
  const texts = [
    ...messages.map(({ content, toolCalls = [] }) => content + toolCalls.map(({ name, args }) => name + args).join("")),
    ...tools.map(({ name, description, schema }) => name + description + JSON.stringify(schema)),
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + TOKENS_AROUND_MESSAGE, 0);
}

const TOKENS_AROUND_MESSAGE = 16;
