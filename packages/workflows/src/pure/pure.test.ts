import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { WorkflowItem } from "../project-item.ts";
import { websetItem } from "../testing.ts";
import { checkCells, itemFitness, quoteFor } from "./check-cells.ts";
import { joinLenses, type JoinWish } from "./join-lenses.ts";
import { matchesCondition, matchesShape, type Condition } from "./match-shape.ts";
import { mergeFindings, overlapMatrix } from "./merge-findings.ts";
import { nameSimilarity, sameAddress } from "./name-similarity.ts";
import { compareRuns, evaluateSignal } from "./signal-and-delta.ts";
import { weighSides } from "./weigh-sides.ts";
import { entropyBits, fitnessOf, judgeDescriptors, measureWinnow, nicheOf, rateItems, selectElites } from "./winnow.ts";

describe("names and addresses", () => {
  // night: ni ig gh ht; nacht: na ac ch ht. One of four and four is shared: 2 * 1 / 8.
  it.each([
    ["night", "nacht", 0.25],
    ["Acme Corp.", "ACME corp", 1],
    ["Société Générale", "Societe Generale", 1],
    ["", "", 0],
    ["a", "b", 0],
  ])("%s and %s are %d alike", (one, other, alike) => expect(nameSimilarity(one, other)).toBe(alike));

  it("addresses are the same without scheme, www, fragment and last slash", () => {
    expect(sameAddress("https://www.Acme.com/")).toBe(sameAddress("http://acme.com#top"));
    expect(sameAddress("https://acme.com/a")).not.toBe(sameAddress("https://acme.com/b"));
  });
});

describe("merging", () => {
  const item = (name: string, url: string) => ({ name, url });
  const merged = mergeFindings([
    [item("Acme", "https://acme.com"), item("Beta", "https://beta.com")],
    [item("Acme Incorporated", "https://www.acme.com/"), item("Gamma Labs", "https://gamma.io")],
    [item("Gamma Labs.", "https://gamma.org"), item("Acme", "https://other.com")],
  ]);
  verifies(
    ["workflows:convergent:merge", "workflows:convergent:intersection", "workflows:pure:hand-computed"],
    "joins by address or by name, and counts the queries",
    () => {
      expect(merged.map(({ item: { name }, queries, confidence }) => [name, queries, confidence])).toEqual([
        ["Acme", [0, 1, 2], 1],
        ["Beta", [0], 1 / 3],
        ["Gamma Labs", [1, 2], 2 / 3],
      ]);
    },
  );
  verifies("workflows:convergent:overlap-matrix", "tells the overlap of each pair", () => {
    expect(overlapMatrix(merged, 3)).toEqual([
      { queries: [0, 1], shared: 1, share: 1 / 3 },
      { queries: [0, 2], shared: 1, share: 1 / 3 },
      { queries: [1, 2], shared: 2, share: 1 },
    ]);
  });
});

describe("winnowing", () => {
  const criteria = ["big", "green"];
  const items = [
    websetItem({
      id: "a",
      met: { big: "yes", green: "yes" },
      cells: { n: { format: "number", result: ["4"] }, t: { format: "text", result: ["x"] } },
    }),
    websetItem({
      id: "b",
      met: { big: "yes", green: "no" },
      cells: { n: { format: "number", result: ["2"] }, t: { format: "text", result: null } },
    }),
    websetItem({ id: "c", met: { big: "yes", green: "unclear" }, cells: { n: { format: "number", result: ["8"] } } }),
    websetItem({ id: "d", met: { big: "no", green: "no" } }),
  ];
  const rated = rateItems(items, criteria);
  verifies("workflows:winnow:niches", "niches are the criteria met, as bits", () => {
    expect(items.map((item) => nicheOf(item, criteria))).toEqual(["11", "10", "10", "00"]);
  });
  verifies("workflows:winnow:fitness", "fitness is the mean of numbers as they are and of texts as one", () => {
    expect(items.map(fitnessOf)).toEqual([2.5, 1, 8, 0]);
  });
  verifies("workflows:winnow:elites", "elites are all, any, or the fittest of each niche", () => {
    const ids = (selection: Parameters<typeof selectElites>[1]): readonly string[] =>
      selectElites(rated, selection).map(({ item }) => item.id);
    expect([ids("all-criteria"), ids("any-criteria"), ids("diverse")]).toEqual([
      ["a"],
      ["c", "a", "b"],
      ["c", "a", "d"],
    ]);
  });
  verifies("workflows:winnow:metrics", "metrics are coverage, mean fitness, diversity and stringency", () => {
    // Items per niche 1, 2, 1: entropy 0.25*2 + 0.5*1 + 0.25*2 = 1.5 bits of at most 2.
    expect(entropyBits([1, 2, 1])).toBe(1.5);
    expect(measureWinnow(rated, { criteriaCount: 2, found: 4, analyzed: 16 })).toEqual({
      coverage: 0.75,
      avgFitness: 11.5 / 4,
      diversity: 0.75,
      stringency: 0.25,
    });
    expect(measureWinnow([], { criteriaCount: 2, found: 0, analyzed: 0 })).toEqual({
      coverage: 0,
      avgFitness: 0,
      diversity: 0,
      stringency: 0,
    });
  });
  verifies(
    "workflows:winnow:descriptor-feedback",
    "criteria below 5 % are too strict, above 95 % do not discriminate",
    () => {
      const rates = [4.9, 5, 95, 95.1];
      expect(
        judgeDescriptors(rates.map((successRate) => ({ description: "c", successRate }))).map(({ verdict }) => verdict),
      ).toEqual(["too-strict", "good", "good", "not-discriminating"]);
    },
  );
});

const now = new Date("2026-03-31T00:00:00Z");
function item(id: string, results: Readonly<Record<string, readonly string[]>> = {}, name = id): WorkflowItem {
  return { id, url: `https://${id}.example`, name, description: "", satisfied: [], enrichmentResults: results };
}

describe("shapes", () => {
  const one = item("a", { employees: ["250"], founded: ["2026-03-01"], city: ["Berlin"] });
  verifies("workflows:semantic-cron:shapes", "conditions hold or not, each operator for itself", () => {
    const cases: readonly [Condition["operator"], string, Condition["value"], boolean][] = [
      ["gte", "employees", 250, true],
      ["gt", "employees", 250, false],
      ["lte", "employees", 250, true],
      ["lt", "employees", 250, false],
      ["eq", "city", "berlin", true],
      ["eq", "employees", 250, true],
      ["contains", "city", "ERL", true],
      ["matches", "city", "^ber", true],
      ["matches", "city", "(a+)+$", false],
      ["oneOf", "city", ["Paris", "Berlin"], true],
      ["exists", "city", undefined, true],
      ["exists", "country", false, true],
      ["withinDays", "founded", 30, true],
      ["withinDays", "founded", 29, false],
      ["gt", "country", 0, false],
    ];
    for (const [operator, enrichment, value, expected] of cases) {
      expect(matchesCondition(one, { enrichment, operator, value }, now), `${enrichment} ${operator}`).toBe(expected);
    }
    const conditions: readonly Condition[] = [
      { enrichment: "employees", operator: "gt", value: 100 },
      { enrichment: "city", operator: "eq", value: "Paris" },
    ];
    expect([
      matchesShape(one, { logic: "all", conditions }, now),
      matchesShape(one, { logic: "any", conditions }, now),
    ]).toEqual([false, true]);
  });
});

describe("joins, signals and deltas", () => {
  const lenses = [
    {
      lens: "hiring",
      items: [
        item("acme", { seen: ["2026-03-01"], city: ["Berlin"] }),
        item("beta", { seen: ["2026-01-01"], city: ["Paris"] }),
      ],
    },
    {
      lens: "funding",
      items: [
        item("acme-funding", { seen: ["2026-03-20"], city: ["Rome"] }, "acme"),
        item("gamma", { seen: ["2026-01-10"], city: ["paris"] }),
      ],
    },
  ];
  const wish: JoinWish = { by: "entity", enrichment: "seen", days: 15, similarity: 0.85, minLenses: 2 };
  const joined = (change: Partial<JoinWish>): readonly string[][] =>
    joinLenses(lenses, { ...wish, ...change }).map(({ items }) => items.map(({ id }) => id));
  verifies("workflows:semantic-cron:joins", "lenses join by entity, time, both, value or at all", () => {
    expect(joined({})).toEqual([["acme", "acme-funding"]]);
    expect(joined({ by: "temporal" })).toEqual([["beta", "gamma"]]);
    expect(joined({ by: "entity+temporal" })).toEqual([]);
    expect(joined({ by: "entity+temporal", days: 19 })).toEqual([["acme", "acme-funding"]]);
    expect(joined({ by: "value", enrichment: "city" })).toEqual([["beta", "gamma"]]);
    expect(joined({ by: "cooccurrence" })).toEqual([["acme", "beta", "acme-funding", "gamma"]]);
  });
  const joins = [
    { key: "acme", lenses: ["hiring", "funding"], items: [] },
    { key: "beta", lenses: ["hiring"], items: [] },
  ];
  verifies("workflows:semantic-cron:signal", "a signal fires on all, any, a threshold or a combination", () => {
    const names = ["hiring", "funding"];
    expect(evaluateSignal(joins, names, { requires: "all" })).toMatchObject({ fired: true, joins: ["acme"] });
    expect(evaluateSignal(joins, names, { requires: "any" })).toMatchObject({ fired: true, joins: ["acme", "beta"] });
    expect(evaluateSignal(joins, names, { requires: "threshold", min: 3 })).toMatchObject({ fired: false, joins: [] });
    expect(evaluateSignal(joins, names, { requires: "combination", combinations: [["funding"]] })).toMatchObject({
      fired: true,
      joins: ["acme"],
    });
    expect(evaluateSignal([], names, { requires: "any" }).fired).toBe(false);
  });
  verifies("workflows:semantic-cron:delta", "a run tells what joined and what left since the one before", () => {
    expect(compareRuns(undefined, { joins: ["a"], fired: true })).toEqual({
      newJoins: ["a"],
      lostJoins: [],
      transition: "first",
    });
    expect(compareRuns({ joins: ["a", "b"], fired: false }, { joins: ["b", "c"], fired: true })).toEqual({
      newJoins: ["c"],
      lostJoins: ["a"],
      transition: "fired",
    });
    expect(compareRuns({ joins: [], fired: true }, { joins: [], fired: false }).transition).toBe("cleared");
  });
});

describe("sides and cells", () => {
  it("weighs sources for and against", () => {
    expect(weighSides(1, 1)).toEqual({ verdict: "insufficient", confidence: 0 });
    expect(weighSides(6, 2)).toEqual({ verdict: "supported", confidence: 0.5 * (8 / 11) });
    expect(weighSides(2, 6).verdict).toBe("countered");
    expect(weighSides(5, 4).verdict).toBe("contested");
  });

  it("checks a cell's form and page, and an item by both", () => {
    const checked = websetItem({
      id: "a",
      met: { big: "yes", green: "unclear" },
      cells: {
        mail: { format: "email", result: ["x@y.example"], from: "https://y.example" },
        web: { format: "url", result: ["no address"] },
        size: { format: "number", result: ["12"] },
      },
    });
    expect(checkCells(checked).map(({ isWellFormed, hasReference }) => [isWellFormed, hasReference])).toEqual([
      [true, true],
      [false, false],
      [true, false],
    ]);
    expect(itemFitness(checked)).toBe((1 + 0.5 + 1 + 0 + 0.5) / 5);
    const page = "Founded in 1998. It raised 50,000,000 dollars and has 30 people at hello@acme.example (Zürich).";
    expect(quoteFor("50000000", page)).toBe(page);
    expect(quoteFor("50.000.000", page)).toBe(page);
    expect(quoteFor("hello@acme.example", page)).toBe(page);
    for (const other of ["51000000", "3", "199", "000", "Zür", "", "30 person"])
      expect(quoteFor(other, page)).toBeUndefined();
    const long = `${"stone ".repeat(100)}the answer is 42 metres. ${"sand ".repeat(100)}`;
    const quote = quoteFor("42", long) ?? "";
    expect([long.includes(quote), quote.includes("the answer is 42 metres."), quote.length < 260]).toEqual([
      true,
      true,
      true,
    ]);
  });
});
