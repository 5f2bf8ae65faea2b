import { describe, expect, it } from "vitest";
import { AppError } from "@quarry/base";
import { makeWorld } from "../testing.ts";
import { findPages } from "./find-pages.ts";
import type { PageQuery } from "./page-query.ts";

const signal = new AbortController().signal;

function ask(query: string, changes: Partial<PageQuery> = {}): PageQuery {
  return { teamIds: ["team"], query, plan: "auto", limit: 10, filter: {}, ...changes };
}

describe("findPages", () => {
  it.each(["keyword", "neural", "fast", "auto", "deep"] as const)(
    "finds the page that answers by plan %s",
    async (plan) => {
      const world = await makeWorld();
      await world.add([
        { url: "https://a.example/rust", title: "Rust ownership", text: "Ownership is how Rust manages memory." },
        { url: "https://b.example/bread", title: "Bread", text: "Bake the dough for forty minutes." },
      ]);
      const { pages } = await findPages(world, ask("how does rust ownership manage memory", { plan }), signal);
      expect(pages[0]?.url).toBe("https://a.example/rust");
      expect(pages.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
    },
  );

  it("rejects neural while the model loads, and lets the others go on by words", async () => {
    const loading = new AppError("unavailable", "the model is loading", { retryable: true });
    const world = await makeWorld({ embedQuery: () => Promise.reject(loading) });
    await world.add([{ text: "A page about herons." }]);
    await expect(findPages(world, ask("herons", { plan: "neural" }), signal)).rejects.toBe(loading);
    const { pages, warnings } = await findPages(world, ask("herons"), signal);
    expect(pages).toHaveLength(1);
    expect(warnings.map(({ code }) => code)).toContain("vectors_not_ready");
  });
});
