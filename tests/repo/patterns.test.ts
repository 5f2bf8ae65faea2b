import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";
import { findSlowText, type SlowText } from "./attack-pattern.ts";
import { BOUNDED_PATTERNS } from "./bounded-patterns.ts";
import { collectPatterns } from "./collect-patterns.ts";
import { compileCounter } from "./count-steps.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const IS_PRODUCT = /^(?:packages|apps)\/[^/]+\/src\/(?!.*\.test\.tsx?$).*\.tsx?$/;

describe("the patterns of the product", () => {
  it.each([
    [/(\w+)\s*=\s*(?:"([^"]*)"|(\S+))/g, `a = "b c" d=e f`],
    [/(?<=€\s?)\d+(?:\.\d\d)?(?!\d)/g, "€ 12.50 and €7, not 9"],
    [/(["'])(?:(?!\1).)*?\1/gs, `say "it's" or 'so'\n"two\nlines"`],
    [/^(?:(a+)|b)*?c$/gim, "aabc\nAAC\nabca"],
    [/(?<!\s)\s+(?:\p{Lu}\S*)/gu, "one  Éclair, two Três  3"],
    [/\B-\b|[^\W\d]{2,3}?/g, "a--b abc 12 --"],
  ])("counts the steps of the very search that the engine does: %s", (pattern, text) => {
    const { steps, found } = compileCounter(pattern.source, pattern.flags)(text, 10_000);
    expect(found).toEqual(text.match(pattern));
    expect(steps).toBeLessThan(1_000);
  });

  it("finds what is slow in patterns that are, and nothing in those that are not", () => {
    const slow = ["^(?:a+)+$", "^(?:<!--[^]*?-->)*<html", "\\s*,?\\s*;?\\s*$", "\\s+$", "<a[^>]*>", "(?<=\\w\\s+)\\d"];
    expect(slow.filter((source) => findSlowText(source, "") === undefined)).toEqual([]);
    const linear = ["^\\s*(\\w+)\\s*=", "(?<!\\s)\\s+$", "<a[^<>]*>", "(?=\\d)(?<=\\w\\s+)\\d", "\\s{0,40}x"];
    expect(linear.filter((source) => findSlowText(source, "") !== undefined)).toEqual([]);
  });

  verifies(
    "promises:t16:linear-patterns",
    "meet no text made from them whose steps grow faster than its length, but where the text is cut before",
    () => {
      const files = repositoryFiles().filter((file) => IS_PRODUCT.test(file) && !file.includes("/src/gen/"));
      const patterns = collectPatterns(repositoryRoot, files);
      expect(patterns.length).toBeGreaterThan(1_000);
      const attacked = new Map<string, SlowText | undefined>();
      const slow = patterns.flatMap((pattern) => {
        const { source, flags } = pattern;
        const key = `${source}/${flags}`;
        if (!attacked.has(key)) attacked.set(key, findSlowText(source, flags));
        const text = attacked.get(key);
        return text === undefined ? [] : [{ ...pattern, ...text }];
      });
      const isListed = ({ file, source }: { readonly file: string; readonly source: string }): boolean =>
        BOUNDED_PATTERNS.some((bounded) => bounded.file === file && source.startsWith(bounded.begins));
      expect(slow.filter((pattern) => !isListed(pattern))).toEqual([]);
      const needless = BOUNDED_PATTERNS.filter(
        ({ file, begins }) => !slow.some((pattern) => pattern.file === file && pattern.source.startsWith(begins)),
      );
      expect(needless).toEqual([]);
    },
    60_000,
  );
});
