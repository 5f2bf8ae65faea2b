import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PageToIndex } from "../pages/page-row.ts";
import { makePage, openTestIndex } from "../testing.ts";
import { isAtAnyRule, parseDomainRules, placeOf } from "./domain-rule.ts";
import { filterToSql } from "./filter-sql.ts";
import { parseFilter, type IndexFilter } from "./index-filter.ts";

describe("domain rules", () => {
  verifies(
    ["index:filters:domain", "index:filters:path", "index:filters:wildcard"],
    "match hosts with subdomains, path prefixes and wildcards",
    () => {
      const isAt = (url: string, rule: string): boolean =>
        isAtAnyRule(placeOf(url), parseDomainRules([rule]) ?? fail());
      const cases: readonly (readonly [string, string, boolean])[] = [
        ["https://example.com/a", "example.com", true],
        ["https://www.example.com/a", "example.com", true],
        ["https://a.b.example.com/", "example.com", true],
        ["https://notexample.com/", "example.com", false],
        ["https://example.com.evil.org/", "example.com", false],
        ["https://example.com/", "https://www.Example.com/", true],
        ["https://example.com/docs/x", "example.com/docs", true],
        ["https://sub.example.com/docs/x", "example.com/docs/*", true],
        ["https://example.com/blog/docs", "example.com/docs", false],
        ["https://example.com/Docs", "example.com/docs", true],
        ["https://example.com/", "*.example.com", false],
        ["https://news.example.com/", "*.example.com", true],
        ["https://example.org/", "example.*", true],
        ["https://example.com/a/b/c", "example.com/*/c", true],
        ["https://example.com/a/b/c", "example.com/a*c", true],
        ["https://www.gov.uk/", "gov.uk", true],
        ["https://x.edu/", ".edu", true],
        ["https://münchen.de/", "münchen.de", true],
        ["https://münchen.de/größe", "münchen.de/größe", true],
        ["http://127.0.0.1:8080/", "127.0.0.1:8080", true],
        ["http://127.0.0.1:8080/", "127.0.0.1", true],
        ["http://127.0.0.1/", "0.0.1", false],
        ["https://any.example/x", "*", true],
      ];
      expect(cases.map(([url, rule]) => [url, rule, isAt(url, rule)])).toEqual(cases);
    },
  );

  it.each(["", "/path", "exa mple.com", "http://"])("refuses %j", (rule) => {
    expect(() => parseDomainRules([rule])).toThrow("is not a domain");
  });
});

describe("parseFilter", () => {
  it("says what is wrong", () => {
    expect(() => parseFilter({ teamIds: [] })).toThrow("at least one team");
    const many = Array.from({ length: 3_001 }, (_, index) => `s${index}.example`);
    expect(() => parseFilter({ teamIds: ["t"], includeDomains: many })).toThrow("more than 3000 entries");
    expect(() => parseFilter({ teamIds: ["t"], publishedFrom: new Date("x") })).toThrow("publishedFrom is not a date");
  });
});

describe("filterToSql", () => {
  it("quotes every value", () => {
    const filter = parseFilter({
      teamIds: ["o'neil", "a\\"],
      includeDomains: ["example.com", "x'y.com/it's", "a*'.com"],
      categories: ["100%_'; DROP TABLE pages --"],
      publishedFrom: new Date(5),
    });
    expect(filterToSql(filter)).toBe(
      "team IN ('o''neil', 'a\\') AND (array_has_any(sites, ['example.com']) OR " +
        "(array_has_any(sites, ['x''y.com']) AND starts_with(path, '/it''s')) OR " +
        "(regexp_like(host, '(?s)^a.*''\\.com$'))) AND published >= 5 AND " +
        "category IN ('100%_''; DROP TABLE pages --')",
    );
  });
});

const NASTY = [
  "it's",
  "100%",
  "a_b",
  "a\\b",
  "\\'",
  '"q"',
  "日本",
  "a\nb",
  "--",
  "/*",
  "😀",
  "''",
  "$1",
  "?",
  "{x}",
  "%",
  "_",
  "\u0000",
  " OR true",
  "' OR 'a'='a",
];

describe("the engine and memory", () => {
  const nasty = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }));
  const host = fc.constantFrom(
    "example.com",
    "www.example.com",
    "a.example.com",
    "example.org",
    "x'y.com",
    "b.co.uk",
    "127.0.0.1:81",
  );
  const path = fc.oneof(
    fc.constantFrom("", "docs", "docs/a", "Docs/B", "it's", "a_b", "a%25b"),
    nasty.map(encodeURIComponent),
  );
  const day = fc.integer({ min: 0, max: 20 }).map((days) => new Date(Date.UTC(2026, 0, 1 + days)));
  const page = fc.record({
    teamId: fc.constantFrom("team", "shared", "o'neil"),
    place: fc.tuple(host, path).map(([name, rest]) => `https://${name}/${rest}`),
    category: fc.option(nasty),
    language: fc.option(fc.constantFrom("en", "de", "it's")),
    publishedAt: fc.option(day),
    crawledAt: day,
  });
  const rule = fc.constantFrom(
    "example.com",
    "*.example.com",
    "example.*",
    "example.com/docs",
    "x'y.com",
    "co.uk",
    "127.0.0.1",
    "*/it's",
    "example.org/*b",
    "www.example.com/a_b",
  );
  const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
    fc.option(value, { nil: undefined });

  verifies(
    ["index:filters:team", "index:filters:dates", "index:filters:category", "index:filters:language"],
    "agree on every filter, whatever the values hold",
    async () => {
      const made = fc.sample(page, 200).map((one, number): PageToIndex => {
        return makePage({ ...one, url: `${one.place}?${number}`, version: number });
      });
      const categories = [...new Set(made.flatMap(({ category }) => (category === null ? [] : [category])))];
      const urls = made.map(({ url }) => url);
      const teamIds = ["team", "shared", "o'neil", "' OR true --"];
      const sampled: readonly IndexFilter[] = fc.sample(
        fc.record({
          teamIds: fc.uniqueArray(fc.constantFrom(...teamIds), { minLength: 1 }),
          includeDomains: optional(fc.array(rule, { maxLength: 3 })),
          excludeDomains: optional(fc.array(rule, { maxLength: 2 })),
          publishedFrom: optional(day),
          publishedTo: optional(day),
          crawledFrom: optional(day),
          crawledTo: optional(day),
          categories: optional(fc.array(fc.oneof(fc.constantFrom(...categories), nasty), { maxLength: 20 })),
          languages: optional(fc.array(fc.constantFrom("en", "de", "it's", "fr"), { maxLength: 2 })),
          includeUrls: optional(fc.array(fc.constantFrom(...urls), { maxLength: 40 })),
          excludeUrls: optional(fc.array(fc.constantFrom(...urls), { maxLength: 40 })),
        }),
        120,
      );
      const filters: readonly IndexFilter[] = [{ teamIds }, ...sampled];
      const index = await openTestIndex();
      await index.addPages(made);
      const inMemory = [];
      for (const filter of filters) inMemory.push(await index.count(filter));
      await index.optimize({ full: true });
      const inEngine = [];
      for (const filter of filters) inEngine.push(await index.count(filter));
      expect(inEngine).toEqual(inMemory);
      expect(inMemory[0]).toBeGreaterThan(0);
    },
    60_000,
  );

  it("find exactly the page with a nasty value, for each value", async () => {
    const index = await openTestIndex();
    const pages = NASTY.map((category, number) =>
      makePage({ url: `https://example.com/${number}`, category, teamId: category }),
    );
    await index.addPages(pages);
    for (const state of ["memory", "engine"]) {
      for (const [number, value] of NASTY.entries()) {
        const hits = await index.findByWords(
          { text: "example" },
          { teamIds: [value], categories: [value] },
          { limit: 50 },
        );
        expect([state, value, hits.map(({ url }) => url)]).toEqual([state, value, [`https://example.com/${number}`]]);
      }
      await index.optimize({ full: true });
    }
  }, 60_000);
});

function fail(): never {
  throw new Error("no rules");
}
