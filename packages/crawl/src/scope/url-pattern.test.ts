import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileUrlPattern, MAX_PATTERN_LENGTH } from "./url-pattern.ts";

const matches = (pattern: string, url: string): boolean => compileUrlPattern(pattern).matches(url);

/** Each takes a backtracking engine longer than the age of the universe. */
const HANGING_PATTERNS = [
  "/(a+)+$/",
  "/(a|aa)+$/",
  "/(.*a){20}b/",
  "/(x+x+)+y/",
  `/${"(a?)".repeat(60)}${"a".repeat(60)}$/`,
  `/${"*a".repeat(400)}`,
  `*${"a*".repeat(499)}b`,
];

describe("compileUrlPattern", () => {
  it.each([
    ["/docs/*", "https://a.test/docs/x/y?z", true],
    ["/docs/*", "https://a.test/other/docs/x", false],
    ["/docs/", "https://a.test/docs/x", true],
    ["/docs", "https://a.test/docs/x", true],
    ["/docs", "https://a.test/docs?page=2", true],
    ["/docs", "https://a.test/docsearch", false],
    ["*.pdf", "https://a.test/x/y.pdf", true],
    ["*.pdf", "https://a.test/x/y.pdf?dl=1", true],
    ["*.pdf", "https://a.test/x.pdf/y", false],
    ["*/tag/*", "https://a.test/blog/tag/x", true],
    ["/list?page=*", "https://a.test/list?page=3", true],
    ["/list?page=*", "https://a.test/list", false],
    ["a.test", "https://a.test/x", true],
    ["a.test/x*", "https://b.test/x", false],
    ["*.a.test/*", "https://www.a.test/x", true],
    ["https://a.test/x*y", "https://a.test/x/1/y", true],
    ["https://a.test/x*y", "http://a.test/x/1/y", false],
    ["*", "https://a.test/", true],
    ["/a.b", "https://a.test/axb", false],
    ["/\\d{4}\\/\\d{2}/", "https://a.test/2024/05/x", true],
    ["/\\d{4}\\/\\d{2}/", "https://a.test/24/05/x", false],
    ["/ARCHIVE$/i", "https://a.test/archive", true],
    ["/ARCHIVE$/", "https://a.test/archive", false],
    ["/^https:\\/\\/(a|b)\\.test\\//", "https://b.test/x", true],
  ])("%s and %s: %s", (pattern, url, expected) => {
    expect(matches(pattern, url)).toBe(expected);
  });

  it.each([
    ["", "it is empty"],
    ["/(unclosed.+/", "missing closing \\)"],
    ["/(?=look)ahead/", "RE2"],
    ["/(a)\\1+/", "RE2"],
    ["x".repeat(MAX_PATTERN_LENGTH + 1), "longer than"],
    ["/((a{100}){100}){100}./", "RE2"],
  ])("refuses nonsense and says why (case %#)", (pattern, message) => {
    expect(() => compileUrlPattern(pattern)).toThrow(AppError);
    expect(() => compileUrlPattern(pattern)).toThrow(new RegExp(message));
  });

  for (const [index, pattern] of HANGING_PATTERNS.entries()) {
    verifies("crawl:frontier:patterns-linear", `answers within moments on text made to hang it (${index})`, () => {
      const compiled = compileUrlPattern(pattern);
      const url = `https://a.test/${"a".repeat(2000)}${"x".repeat(30)}!`;
      const started = performance.now();
      for (let round = 0; round < 5; round += 1) compiled.matches(url);
      expect(performance.now() - started).toBeLessThan(5000);
    });
  }

  it("throws nothing but AppErrors, and never while matching", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `/${text}.?/`),
        ),
        fc.webUrl(),
        (pattern, url) => {
          try {
            expect(typeof matches(pattern, url)).toBe("boolean");
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
