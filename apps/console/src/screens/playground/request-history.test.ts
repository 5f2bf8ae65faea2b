import { expect, it } from "vitest";
import { readPlaygroundSearch } from "./playground-search.ts";
import { addToHistory, readHistory } from "./request-history.ts";

const past = (query: string) => ({
  op: "search",
  input: { parameters: {}, body: { query } },
  status: 200,
  at: "2026-01-01T00:00:00Z",
});

it("keeps the newest thirty, each once, and nothing huge", () => {
  const many = Array.from({ length: 40 }, (_, index) => past(String(index)));
  const kept = many.reduce<readonly ReturnType<typeof past>[]>(
    (history, one) => addToHistory(history, one) as never,
    [],
  );
  expect(kept).toHaveLength(30);
  expect(
    addToHistory(kept, past("20"))
      .map(({ input }) => input.body)
      .slice(0, 2),
  ).toEqual([{ query: "20" }, { query: "39" }]);
  expect(addToHistory(kept, past("x".repeat(30_000)))).toBe(kept);
});

it("reads back what it keeps, and passes over what is not ours", () => {
  expect(readHistory(JSON.stringify([past("a"), 7, { op: "x" }]))).toEqual([past("a")]);
  expect([readHistory(null), readHistory("{"), readHistory("7")]).toEqual([[], [], []]);
});

it("reads an address of the playground; parameters are text whatever the router made of them", () => {
  expect(
    readPlaygroundSearch({ op: "search", input: { parameters: { limit: 5, id: "x" }, body: [1], raw: 7 }, more: 1 }),
  ).toEqual({
    op: "search",
    input: { parameters: { limit: "5", id: "x" }, body: [1] },
  });
  expect(readPlaygroundSearch({ op: 7, input: "x" })).toEqual({});
});
