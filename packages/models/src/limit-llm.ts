import { AppError } from "@quarry/base";
import { boundInputTokens, type Llm, type LlmRequest, type LlmUsage } from "./llm.ts";

/** What a run may spend on a language model; fixed before it starts. */
export interface LlmBudget {
  readonly maxTokens: number;
  readonly maxDollars?: number | undefined;
  /** Dollars for a million tokens; without them money is not counted. */
  readonly inputPrice?: number | undefined;
  readonly outputPrice?: number | undefined;
}

/** What a run has spent so far. */
export interface LlmSpending {
  readonly calls: number;
  readonly tokens: number;
  readonly dollars: number;
}

/** A language model that refuses a call it could not pay for. */
export interface LimitedLlm extends Llm {
  readonly spent: () => LlmSpending;
}

/**
 * Puts a budget before a model. Before each call the most it can cost is set aside, and the rest given back when its real use
 * is known; so calls at the same time cannot pass the budget together. A call that does not fit throws `budget_exceeded`. `already`
 * is what an earlier life of the same run has spent.
 */
export function limitLlm(llm: Llm, budget: LlmBudget, already: LlmSpending = NOTHING): LimitedLlm {
  let spent = already;
  let reservedTokens = 0;
  let reservedDollars = 0;

  const priceOf = ({ inputTokens, outputTokens }: LlmUsage): number =>
    (inputTokens * (budget.inputPrice ?? 0) + outputTokens * (budget.outputPrice ?? 0)) / 1e6;

  const reserve = (request: LlmRequest): ((usage: LlmUsage | undefined) => void) => {
    const inputTokens = boundInputTokens(request.messages, request.tools);
    const most = { inputTokens, outputTokens: request.maxOutputTokens };
    const tokens = most.inputTokens + most.outputTokens;
    const dollars = priceOf(most);
    const isOver =
      spent.tokens + reservedTokens + tokens > budget.maxTokens ||
      spent.dollars + reservedDollars + dollars > (budget.maxDollars ?? Infinity);
    if (isOver) {
      throw new AppError("budget_exceeded", "the budget of this run does not allow another call to the language model");
    }
    reservedTokens += tokens;
    reservedDollars += dollars;
    let isSettled = false;
    return (usage) => {
      if (isSettled) return;
      isSettled = true;
      reservedTokens -= tokens;
      reservedDollars -= dollars;
      // A call that failed may have cost all it could: nobody told us.
      const used = usage ?? most;
      spent = {
        calls: spent.calls + 1,
        tokens: spent.tokens + used.inputTokens + used.outputTokens,
        dollars: spent.dollars + priceOf(used),
      };
    };
  };

  return {
    model: llm.model,
    spent: () => spent,
    complete: async (request, signal) => {
      const settle = reserve(request);
      try {
        const reply = await llm.complete(request, signal);
        settle(reply.usage);
        return reply;
      } finally {
        settle(undefined);
      }
    },
    stream: async function* (request, signal) {
      const settle = reserve(request);
      try {
        for await (const event of llm.stream(request, signal)) {
          if (event.kind === "end") settle(event.usage);
          yield event;
        }
      } finally {
        settle(undefined);
      }
    },
  };
}

const NOTHING: LlmSpending = { calls: 0, tokens: 0, dollars: 0 };
