import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { limitLlm } from "./limit-llm.ts";
import type { Llm, LlmRequest, LlmUsage } from "./llm.ts";

const never = new AbortController().signal;

/** Bounded at 116 tokens: 84 bytes and 16 around them in, 16 out. */
const request: LlmRequest = { messages: [{ role: "user", content: "x".repeat(84) }], maxOutputTokens: 16 };

function llmThatUses(usage: LlmUsage, reply: () => Promise<void> = () => Promise.resolve()): Llm {
  return {
    model: "test",
    complete: async () => {
      await reply();
      return { text: "ok", finish: "stop", usage };
    },
    stream: async function* () {
      await reply();
      yield { kind: "text", delta: "ok" };
      yield { kind: "end", finish: "stop", usage };
    },
  };
}

verifies(
  "models:llm:token-budget",
  "sets the most aside, gives the rest back, and never passes the budget",
  async () => {
    const llm = limitLlm(llmThatUses({ inputTokens: 20, outputTokens: 10 }), { maxTokens: 200 });
    for (let call = 1; call <= 3; call += 1) await llm.complete(request, never);
    expect(llm.spent()).toEqual({ calls: 3, tokens: 90, dollars: 0 });
    await expect(llm.complete(request, never)).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(llm.spent().calls).toBe(3);
  },
);

it("lets no two calls at once pass the budget together", async () => {
  const llm = limitLlm(llmThatUses({ inputTokens: 20, outputTokens: 10 }), { maxTokens: 300 });
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => llm.complete(request, never)));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
});

verifies("models:llm:money-budget", "counts money by the price of tokens in and out", async () => {
  const prices = { inputPrice: 1_000, outputPrice: 10_000 };
  const llm = limitLlm(llmThatUses({ inputTokens: 20, outputTokens: 10 }), {
    maxTokens: 1e6,
    maxDollars: 0.4,
    ...prices,
  });
  await llm.complete(request, never);
  expect(llm.spent().dollars).toBeCloseTo(0.12, 10);
  await llm.complete(request, never);
  await expect(llm.complete(request, never)).rejects.toMatchObject({ code: "budget_exceeded" });
});

it("takes a call that failed, or was left, to have cost all it could", async () => {
  const failing = limitLlm(
    llmThatUses({ inputTokens: 1, outputTokens: 1 }, () => Promise.reject(new Error("reset"))),
    { maxTokens: 500 },
  );
  await expect(failing.complete(request, never)).rejects.toThrow("reset");
  expect(failing.spent()).toEqual({ calls: 1, tokens: 116, dollars: 0 });
  const left = limitLlm(llmThatUses({ inputTokens: 1, outputTokens: 1 }), { maxTokens: 500 });
  for await (const event of left.stream(request, never)) if (event.kind === "text") break;
  expect(left.spent().tokens).toBe(116);
});

it("goes on from what an earlier life of the run has spent", async () => {
  const earlier = { calls: 9, tokens: 450, dollars: 0 };
  const llm = limitLlm(llmThatUses({ inputTokens: 1, outputTokens: 1 }), { maxTokens: 500 }, earlier);
  await expect(llm.complete(request, never)).rejects.toMatchObject({ code: "budget_exceeded" });
});
