import path from "node:path";
import { describe, expect, it } from "vitest";
import { allRequirements } from "./all-requirements.ts";
import { checkRequirements, type RequirementsState } from "./check-requirements.ts";
import { citationsIn, findCitations } from "./find-citations.ts";
import { knownUnmet } from "./known-unmet.ts";
import { knownUnmetCeiling } from "./known-unmet-ceiling.ts";
import { metRequirements } from "./met-requirements.ts";
import { progressLines } from "./progress.ts";
import { renderCeiling, renderKnownUnmet } from "./render-known-unmet.ts";
import { verifies } from "./verifies.ts";

const root = path.resolve(import.meta.dirname, "..", "..");

describe("the requirements of this repository", () => {
  it("are each cited by a test, or known as unmet with an issue", () => {
    const { citations, unreadable } = findCitations(root);
    expect(
      checkRequirements({
        requirements: allRequirements,
        citations,
        unreadable,
        knownUnmet,
        ceiling: knownUnmetCeiling,
      }),
    ).toEqual([]);
  });

  it("are listed for every area, more than two thousand in all", () => {
    expect(allRequirements.length).toBeGreaterThan(2000);
  });
});

/** Two requirements: the first cited, the second owed by issue 4; each case changes one thing. */
function sound(change: Partial<RequirementsState> = {}): RequirementsState {
  return {
    requirements: [
      { id: "search:type:keyword", source: "exa-api 2.1.1", sentence: "type keyword ranks by words alone" },
      { id: "search:type:neural", source: "exa-api 2.1.1", sentence: "type neural ranks by vectors alone" },
    ],
    citations: [{ id: "search:type:keyword", file: "search.test.ts", line: 7 }],
    unreadable: [],
    knownUnmet: { "search:type:neural": 4 },
    ceiling: { 4: 1 },
    ...change,
  };
}

describe("checkRequirements", () => {
  it("finds nothing wrong with a sound state", () => {
    expect(checkRequirements(sound())).toEqual([]);
  });

  verifies("workspace:requirements:unknown-id-fails", "names a cited id that is not listed, and the nearest", () => {
    const citations = [...sound().citations, { id: "search:type:keywort", file: "search.test.ts", line: 9 }];
    expect(checkRequirements(sound({ citations }))).toEqual([
      "search.test.ts:9: cites search:type:keywort, which is not listed; the nearest is search:type:keyword",
    ]);
  });

  verifies("workspace:requirements:duplicate-fails", "names an id listed twice", () => {
    const { requirements } = sound();
    expect(checkRequirements(sound({ requirements: [...requirements, ...requirements.slice(0, 1)] }))).toEqual([
      "search:type:keyword: listed twice",
    ]);
  });

  verifies("workspace:requirements:unaccounted-fails", "names an id neither cited nor known as unmet", () => {
    expect(checkRequirements(sound({ knownUnmet: {}, ceiling: {} }))).toEqual([
      "search:type:neural: no test cites it; prove it with verifies(…), or say in known-unmet.ts which issue will",
    ]);
  });

  verifies("workspace:requirements:both-fails", "names an id both cited and known as unmet", () => {
    const knownUnmetToo = { "search:type:keyword": 4, "search:type:neural": 4 };
    expect(checkRequirements(sound({ knownUnmet: knownUnmetToo, ceiling: { 4: 2 } }))).toEqual([
      expect.stringContaining("search:type:keyword: cited, and still in known-unmet.ts"),
    ]);
  });

  verifies("workspace:requirements:unmet-only-shrinks", "refuses an unmet record that grew past its pin", () => {
    expect(checkRequirements(sound({ ceiling: {} }))).toEqual([
      "issue 4: 1 ids in known-unmet.ts, 0 pinned; the list may only shrink",
    ]);
    expect(checkRequirements(sound({ ceiling: { 4: 2 } }))).toEqual([
      expect.stringContaining("issue 4: 1 ids in known-unmet.ts, 2 pinned; run "),
    ]);
  });

  it.each<[string, Partial<RequirementsState>, string]>([
    [
      "an id that is no kebab-case triple",
      {
        requirements: [
          ...sound().requirements,
          { id: "Search:x", source: "issue 4", sentence: "ten letters at least" },
        ],
      },
      "Search:x: an id is area:thing:behaviour in kebab-case",
    ],
    [
      "a source nobody knows",
      {
        requirements: sound().requirements.map((requirement) =>
          requirement.id === "search:type:keyword" ? { ...requirement, source: "hearsay" } : requirement,
        ),
      },
      'search:type:keyword: source "hearsay" names no document of ours',
    ],
    [
      "a missing sentence",
      {
        requirements: sound().requirements.map((requirement) =>
          requirement.id === "search:type:keyword" ? { ...requirement, sentence: " " } : requirement,
        ),
      },
      "search:type:keyword: needs a sentence",
    ],
    [
      "an unmet id that is not listed",
      { knownUnmet: { "search:type:neural": 4, "search:type:gone": 4 }, ceiling: { 4: 2 } },
      "search:type:gone: in known-unmet.ts but not listed",
    ],
    [
      "an unmet id whose issue does not exist",
      { knownUnmet: { "search:type:neural": 99 }, ceiling: { 99: 1 } },
      "search:type:neural: known-unmet.ts names no open issue (99)",
    ],
    [
      "a citation that cannot be read",
      { unreadable: ["search.test.ts:3"] },
      "search.test.ts:3: name the ids as literals, so that they can be counted",
    ],
  ])("names %s", (_, change, fault) => {
    expect(checkRequirements(sound(change))).toContain(fault);
  });
});

describe("citationsIn", () => {
  it("reads one id and a list of ids, with their lines", () => {
    const text = 'verifies("a:b:c", "does", run);\nverifies(["a:b:d", `a:b:e`], "does too", run);\n';
    expect(citationsIn("x.test.ts", text)).toEqual({
      citations: [
        { id: "a:b:c", file: "x.test.ts", line: 1 },
        { id: "a:b:d", file: "x.test.ts", line: 2 },
        { id: "a:b:e", file: "x.test.ts", line: 2 },
      ],
      unreadable: [],
    });
  });

  it("reads both sides of a choice", () => {
    expect(citationsIn("x.test.ts", 'verifies(isRoot ? ["a:b:c"] : [], "does", run);')).toEqual({
      citations: [{ id: "a:b:c", file: "x.test.ts", line: 1 }],
      unreadable: [],
    });
  });

  it("takes nothing from comments and strings", () => {
    const text = `// verifies("a:b:c", "does", run);\nconst example = 'verifies("a:b:c")';\n`;
    expect(citationsIn("x.test.ts", text)).toEqual({ citations: [], unreadable: [] });
  });

  it("reports a call whose ids are not literals", () => {
    expect(
      citationsIn("x.test.ts", 'verifies(id, "", run);\nverifies([], "", run);\nverifies(["a:b:c", id], "", run);'),
    ).toEqual({
      citations: [],
      unreadable: ["x.test.ts:1", "x.test.ts:2", "x.test.ts:3"],
    });
  });
});

describe("the unmet record on disk", () => {
  it("is rendered sorted, with one id a line", () => {
    expect(renderKnownUnmet({ "b:b:b": 3, "a:a:a": 2 })).toContain('= {\n  "a:a:a": 2,\n  "b:b:b": 3,\n};\n');
    expect(renderCeiling({ 2: 1, 3: 1 })).toContain("= {\n  2: 1,\n  3: 1,\n};\n");
  });
});

describe("metRequirements", () => {
  const citations = ["a:b:c", "a:b:d"].map((id) => ({ id, file: "x.test.ts", line: 1 }));
  const filesRun = new Set(["x.test.ts"]);

  it("counts an id whose citing tests all passed", () => {
    const tests = [
      { ids: ["a:b:c", "a:b:d"], passed: true },
      { ids: ["a:b:d"], passed: false },
    ];
    expect(metRequirements(tests, citations, filesRun)).toEqual({
      met: new Set(["a:b:c"]),
      touched: new Set(["a:b:c", "a:b:d"]),
      isWholeSuite: true,
    });
  });

  it("does not count an id that a file outside the run cites too", () => {
    const elsewhere = [...citations, { id: "a:b:c", file: "y.test.ts", line: 1 }];
    expect(metRequirements([{ ids: ["a:b:c"], passed: true }], elsewhere, filesRun)).toEqual({
      met: new Set(),
      touched: new Set(["a:b:c"]),
      isWholeSuite: false,
    });
  });
});

describe("progressLines", () => {
  verifies("workspace:requirements:progress-printed", "counts what is met, per area and in all", () => {
    const requirements = [
      { id: "search:type:keyword", source: "exa-api", sentence: "" },
      { id: "search:type:neural", source: "exa-api", sentence: "" },
      { id: "cli:exit:ok", source: "design", sentence: "" },
    ];
    expect(progressLines(requirements, new Set(["search:type:neural"]), "met")).toEqual([
      "Requirements met",
      "  search    1 / 2",
      "  cli       0 / 1",
      "  all       1 / 3",
    ]);
  });
});
