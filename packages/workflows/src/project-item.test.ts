import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { isIncluded, listCriteria, MAX_CARD_BYTES, nameOf, toAnswers, toCard, toWorkflowItem } from "./project-item.ts";
import { websetItem } from "./testing.ts";

const item = websetItem({
  id: "witem_1",
  name: "Acme",
  description: "Makes anvils. ".repeat(40),
  met: { big: "yes", green: "no", old: "unclear" },
  cells: {
    e1: { format: "number", result: ["250"], from: "https://acme.example/about" },
    e2: { format: "text", result: null },
  },
});
const names = new Map([
  ["e1", "Employees"],
  ["e2", "Products"],
]);

describe("an item", () => {
  verifies("mcp:projection:card", "as a card has at most 300 bytes, its criteria as places in a list", () => {
    const card = toCard(item, ["green", "big", "old"]);
    expect(card).toMatchObject({
      id: "witem_1",
      name: "Acme",
      url: "https://witem_1.example/",
      met: [1],
      unclear: [2],
    });
    expect(card.description).toMatch(/^Makes anvils\..*…$/);
    for (const [name, url, description] of [
      ["n".repeat(500), `https://x.example/${"p".repeat(2_000)}`, "ü".repeat(500)],
      ["👩‍🚀".repeat(60), "https://e.example/", "🦉".repeat(300)],
    ] as const) {
      const big = toCard(websetItem({ id: "witem_2", name, url, description, met: { big: "yes" } }), ["big"]);
      expect(Buffer.byteLength(JSON.stringify(big))).toBeLessThanOrEqual(MAX_CARD_BYTES);
      expect(big.id).toBe("witem_2");
    }
  });

  verifies("mcp:projection:answers", "with answers has no reasons, references or content", () => {
    const answers = toAnswers(item, ["big"], names);
    expect(answers.enrichments).toEqual([
      { description: "Employees", format: "number", result: ["250"] },
      { description: "Products", format: "text", result: null },
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/because|about|the whole page/);
  });

  verifies("mcp:projection:workflow-result", "in a workflow's result has exactly the shape of the study", () => {
    expect(toWorkflowItem(item, names)).toEqual({
      id: "witem_1",
      url: "https://witem_1.example/",
      name: "Acme",
      description: "Makes anvils. ".repeat(40),
      satisfied: ["big"],
      enrichmentResults: { Employees: ["250"] },
    });
  });

  verifies(
    "mcp:projection:failing-left-out",
    "that fails all criteria is left out, one without criteria is not",
    () => {
      expect(isIncluded(item)).toBe(true);
      expect(isIncluded(websetItem({ id: "x", met: { big: "no", green: "unclear" } }))).toBe(false);
      expect(isIncluded(websetItem({ id: "x" }))).toBe(true);
    },
  );

  it("is called by its own field, else by its description, else by its address", () => {
    expect(nameOf(item)).toBe("Acme");
    const bare = { id: "b", properties: { url: "https://b.example/", description: "A thing" } };
    expect(nameOf(bare)).toBe("A thing");
    expect(nameOf({ id: "b", properties: { url: "https://b.example/" } })).toBe("https://b.example/");
    expect(listCriteria([item, item])).toEqual(["big", "green", "old"]);
  });
});
