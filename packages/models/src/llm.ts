/** One turn of a conversation with a language model. */
export interface LlmMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What a language model is asked. */
export interface LlmRequest {
  readonly messages: readonly LlmMessage[];
  /** The reply ends here at the latest, so that a budget can be kept. */
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  /** Asks for JSON of this shape. A server may not obey: check what it sends. */
  readonly schema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> } | undefined;
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

/** More tokens than any known tokeniser makes of these messages: none makes more than one of a byte. */
export function boundInputTokens(messages: readonly LlmMessage[]): number {
  return messages.reduce((sum, message) => sum + Buffer.byteLength(message.content) + TOKENS_AROUND_MESSAGE, 0);
}

const TOKENS_AROUND_MESSAGE = 16;
