import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import { completeJson, parseLoosely } from "./complete-json.ts";
import type { Llm, LlmMessage } from "./llm.ts";

const never = new AbortController().signal;
const schema = {
  name: "company",
  schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"], additionalProperties: false },
};

/** A model that answers from a list; what it was sent is kept. */
function scriptedLlm(replies: readonly string[], finish: "stop" | "length" = "stop") {
  const asked: (readonly LlmMessage[])[] = [];
  const llm: Llm = {
    model: "scripted",
    complete: ({ messages }) => {
      asked.push(messages);
      const text = replies[Math.min(asked.length, replies.length) - 1] ?? "";
      return Promise.resolve({ text, finish, usage: { inputTokens: 1, outputTokens: 1 } });
    },
    stream: () => {
      throw new Error("not streamed here");
    },
  };
  const ask = () =>
    completeJson(llm, { messages: [{ role: "user", content: "Which?" }], maxOutputTokens: 99, schema }, never);
  return { asked, ask };
}

verifies("models:llm:json-repaired", "repairs JSON that is slightly broken, and takes prose for none", () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['{"a": 1}', { a: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ["{'a': 1, b: [1, 2,],}", { a: 1, b: [1, 2] }],
    ['{"a": "x', { a: "x" }],
    ["I cannot answer that.", undefined],
    ["", undefined],
  ];
  expect(cases.map(([text]) => parseLoosely(text)?.value)).toEqual(cases.map(([, value]) => value));
});

verifies(
  "models:llm:json-validated",
  "shows a misfit back to the model, and names the path when it never fits",
  async () => {
    const better = scriptedLlm(['{"name": 5}', '{"name": "Acme"}']);
    expect(await better.ask()).toEqual({ name: "Acme" });
    expect(better.asked[1]?.at(-1)?.content).toContain("/name must be string");
    const worse = scriptedLlm(['{"name": "Acme", "admin": true}']);
    await expect(worse.ask()).rejects.toThrow("must NOT have additional properties");
    expect(worse.asked).toHaveLength(3);
    await expect(scriptedLlm(['{"name": "Ac'], "length").ask()).rejects.toThrow("ended early");
  },
);

verifies("models:llm:bad-schema", "refuses a schema that is none", () => {
  let deep: unknown = {};
  for (let level = 0; level < 100; level += 1) deep = { not: deep };
  const schemas = [null, [], "x", { type: "nothing" }, { $ref: "https://example.com/s.json" }, { pattern: "(" }, deep];
  for (const bad of schemas) {
    expect(() => compileSchema(bad)).toThrow(
      expect.objectContaining({ code: "invalid_request", details: { tag: "INVALID_JSON_SCHEMA" } }),
    );
  }
});

it("takes no longer over a nasty pattern than over a plain one", () => {
  const check = compileSchema({ type: "string", pattern: "^(a+)+$" });
  const began = performance.now();
  expect(check(`${"a".repeat(50_000)}!`).kind).toBe("invalid");
  expect(performance.now() - began).toBeLessThan(2_000);
});
