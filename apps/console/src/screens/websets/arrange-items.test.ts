import { expect, it } from "vitest";
import { arrangeItems, type Arrangement } from "./arrange-items.ts";
import { patchPages } from "./live-items.ts";
import type { WebsetColumn } from "./webset-columns.ts";
import type { WebsetItem } from "./webset-shapes.ts";

const YEAR: WebsetColumn = { kind: "enrichment", key: "year", heading: "Year", format: "number" };

function company(name: string, year: string | null, isByHand = false): WebsetItem {
  const human = { human: { by: "me", note: null, at: "" } };
  return {
    id: name,
    properties: { type: "company", url: `https://${name}.example`, description: "", company: { name } },
    evaluations: [],
    enrichments: [
      {
        enrichmentId: "year",
        status: "completed",
        result: year === null ? null : [year],
        reasoning: null,
        references: [],
        ...(isByHand ? { quarry: human } : {}),
      },
    ],
  };
}

const ITEMS = [company("Berg", "900"), company("Ems", null), company("alp", "1999"), company("Donau", "900", true)];

function rowsOf(arrangement: Arrangement): readonly string[] {
  return arrangeItems(ITEMS, [YEAR], arrangement).map((entry) =>
    entry.kind === "item" ? entry.item.id : `${entry.text} (${entry.count})`,
  );
}

it.each([
  [{}, ["Berg", "Ems", "alp", "Donau"]],
  [{ sort: "name" }, ["alp", "Berg", "Donau", "Ems"]],
  [{ sort: "year" }, ["Berg", "Donau", "alp", "Ems"]],
  [{ sort: "year", isDescending: true }, ["alp", "Berg", "Donau", "Ems"]],
  [{ show: "gaps" }, ["Ems"]],
  [{ show: "by-hand" }, ["Donau"]],
  [{ words: "19" }, ["alp"]],
  [{ group: "year" }, ["900 (2)", "Berg", "Donau", "1999 (1)", "alp", "nothing (1)", "Ems"]],
] as const)("arranges by %j", (arrangement, rows) => {
  expect(rowsOf(arrangement)).toEqual(rows);
});

it("puts changed items in their place, new ones at the end, and leaves other pages as they are", () => {
  const [berg = company("", ""), ems = berg, alp = ems] = ITEMS;
  const first = { data: [berg], hasMore: true, nextCursor: "1" };
  const old = { pages: [first, { data: [ems], hasMore: false, nextCursor: null }], pageParams: [null, "1"] };
  const filled = company("Ems", "1871");
  const { pages } = patchPages(old, new Map([filled, alp].map((item) => [item.id, item])));
  expect(pages[0]).toBe(first);
  expect(pages[1]?.data).toEqual([filled, alp]);
});
