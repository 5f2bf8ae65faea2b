import { describe, expect, it } from "vitest";
import type { PageTableEntry } from "../tables/catalog.ts";
import { DEFAULT_SEAL_TOKENS } from "./maintenance.ts";
import { isTailDue, MAX_TABLE_TOKENS, planMerge } from "./plan-merge.ts";

const tables = (...tokens: readonly number[]): readonly PageTableEntry[] =>
  tokens.map((tokenCount, number) => ({
    name: `t${number}`,
    state: "sealed",
    rowCount: 1,
    pageCount: 1,
    tokenCount,
    languages: [],
  }));
const names = (entries: readonly PageTableEntry[]): readonly string[] => entries.map(({ name }) => name).sort();

describe("planMerge", () => {
  it("merges four of a size while pages are written, and writes a page again about once for every fourfold growth", () => {
    expect(planMerge(tables(2_500_000, 2_500_000, 2_600_000), "busy")).toEqual([]);
    expect(names(planMerge(tables(30_000_000, 2_500_000, 2_500_000, 2_600_000, 2_400_000), "busy"))).toEqual(
      names(tables(0, 0, 0, 0, 0)).filter((name) => name !== "t0"),
    );
    let [entries, written] = [tables(), 0];
    for (let count = 0; count < 64; count += 1) {
      entries = [...entries, ...tables(DEFAULT_SEAL_TOKENS)].map((entry, number) => ({ ...entry, name: `t${number}` }));
      for (let merged = planMerge(entries, "busy"); merged.length > 0; merged = planMerge(entries, "busy")) {
        const tokens = merged.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
        written += tokens;
        entries = [...entries.filter((entry) => !merged.includes(entry)), ...tables(tokens)];
      }
      expect(entries.length).toBeLessThanOrEqual(9);
    }
    expect(written / (64 * DEFAULT_SEAL_TOKENS)).toBeLessThanOrEqual(3);
  });

  it("leaves a large table alone when the others are small and few", () => {
    expect(planMerge(tables(30_000_000, 2_000_000), "idle")).toEqual([]);
    expect(names(planMerge(tables(30_000_000, 9_000_000), "idle"))).toEqual(["t0", "t1"]);
    expect(names(planMerge(tables(30_000_000, 1_000_000, 500_000, 900_000), "idle"))).toEqual(["t1", "t2", "t3"]);
    expect(names(planMerge(tables(3_000_000, 2_500_000, 2_800_000), "idle"))).toEqual(["t0", "t1", "t2"]);
  });

  it("merges all that fit when asked, and none that are full", () => {
    expect(names(planMerge(tables(30_000_000, 2_000_000), "full"))).toEqual(["t0", "t1"]);
    expect(planMerge(tables(MAX_TABLE_TOKENS * 0.9, 2_000_000), "full")).toEqual([]);
    expect(names(planMerge(tables(4e7, 4e7, 4e7), "full"))).toEqual(["t0", "t1"]);
  });

  it("touches neither the active table nor one being sealed", () => {
    const [one, two] = tables(5, 6);
    expect(
      planMerge(
        [
          { ...(one ?? fail()), state: "active" },
          { ...(two ?? fail()), state: "sealing" },
        ],
        "full",
      ),
    ).toEqual([]);
  });
});

describe("isTailDue", () => {
  const sealTokens = 2_500_000;
  const active = { ...(tables(0)[0] ?? fail()), name: "active", state: "active" as const };

  it("hands memory over where tables are merged anyway, or memory is large beside them", () => {
    const many = [...tables(2_600_000, 2_500_000, 2_700_000), active];
    expect(isTailDue(many, { tokenCount: 400_000, sealTokens })).toBe(true);
    expect(isTailDue([...tables(4_000_000), active], { tokenCount: 1_000_000, sealTokens })).toBe(true);
  });

  it("leaves memory alone when it is small, or would be a table of its own", () => {
    const many = [...tables(2_600_000, 2_500_000, 2_700_000), active];
    expect(isTailDue(many, { tokenCount: 40_000, sealTokens })).toBe(false);
    expect(isTailDue([...tables(30_000_000), active], { tokenCount: 2_000_000, sealTokens })).toBe(false);
    expect(isTailDue([active], { tokenCount: 2_000_000, sealTokens })).toBe(false);
  });
});

function fail(): never {
  throw new Error("two tables");
}
