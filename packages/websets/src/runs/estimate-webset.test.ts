import { createImportSchema, createWebsetSchema, type WebsetEstimateWire } from "@quarry/contract";
import { createDirectoryBlobStore } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { beginImport } from "../imports/import-service.ts";
import { estimateWebset } from "./estimate-webset.ts";
import { openWorld } from "./testing-world.ts";

const ID = "import_01kabcdefghjkmnpqrstvwxyz0";
const IMPORT = { source: "import" as const, id: ID };
const SEARCH = { query: "makes rockets", count: 2, criteria: [{ description: "makes rockets" }] };

/** Estimates beside an import of 30 rows whose file has not come. */
function estimateOf(wish: z.input<typeof createWebsetSchema>): Promise<WebsetEstimateWire> {
  return withDatabase(async (database) => {
    const { deps, teamId } = await openWorld(database, []);
    const announced = createImportSchema.parse({ size: 10, count: 30, format: "csv", entity: { type: "company" } });
    const blobs = createDirectoryBlobStore("unused");
    await beginImport({ database, blobs, clock: deps.clock }, announced, { id: ID, teamId });
    return estimateWebset(deps, teamId, createWebsetSchema.parse(wish));
  });
}

const COLUMNS = { enrichments: [{ description: "Employees" }, { description: "Founded" }] };

describe("what a webset takes at most", () => {
  it("counts the rows of an import, and their cells against the caps", async () => {
    const wish = { import: [IMPORT], ...COLUMNS, quarry: { caps: { pages: 479 } } };
    expect(await estimateOf(wish)).toMatchObject({
      items: 30,
      candidates: 0,
      cells: 60,
      pages: 480,
      withinCaps: false,
    });
  });

  it.each([
    ["comes in beside what a search finds", [IMPORT], { items: 32, candidates: 100 }],
    [
      "that is judged may all enter, whatever the count",
      [{ ...IMPORT, evaluate: true }],
      { items: 30, candidates: 130 },
    ],
  ])("an import %s", async (_, imports, { items, candidates }) => {
    expect(await estimateOf({ search: SEARCH, import: imports, ...COLUMNS })).toMatchObject({
      items,
      candidates,
      verdicts: candidates,
      cells: items * 2,
    });
  });

  it("refuses an import that is not the team's", async () => {
    const estimate = estimateOf({ import: [{ source: "import", id: "import_of_others" }] });
    await expect(estimate).rejects.toMatchObject({ code: "invalid_request" });
  });
});
