import { AppError } from "@quarry/base";
import { completeJson, type Llm, type LlmMessage, type LlmUsage } from "@quarry/models";

/** What a model made of a question, and what it cost; no value when it failed, was late or has no budget left. */
export interface ModelReply {
  readonly value: unknown;
  readonly usage: LlmUsage;
}

const MODEL_FAULTS: ReadonlySet<string> = new Set([
  "upstream_failed",
  "unavailable",
  "timeout",
  "budget_exceeded",
  "rate_limited",
]);

/** Asks for JSON of a shape, counting tokens over corrections. A fault of the model is no value; an abort is thrown on. */
export async function askModel(
  llm: Llm,
  ask: {
    readonly name: string;
    readonly schema: Readonly<Record<string, unknown>>;
    readonly messages: readonly LlmMessage[];
    readonly maxOutputTokens: number;
  },
  signal: AbortSignal,
): Promise<ModelReply> {
  let usage: LlmUsage = { inputTokens: 0, outputTokens: 0 };
  const counted: Llm = {
    ...llm,
    complete: async (request, stop) => {
      const reply = await llm.complete(request, stop);
      usage = {
        inputTokens: usage.inputTokens + reply.usage.inputTokens,
        outputTokens: usage.outputTokens + reply.usage.outputTokens,
      };
      return reply;
    },
  };
  const { name, schema, messages, maxOutputTokens } = ask;
  try {
    const value = await completeJson(
      counted,
      { messages, maxOutputTokens, temperature: 0, schema: { name, schema } },
      signal,
    );
    return { value, usage };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!MODEL_FAULTS.has(AppError.from(thrown).code)) throw thrown;
    return { value: undefined, usage };
  }
}
