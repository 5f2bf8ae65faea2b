import { describe, expect, it } from "vitest";
import { findSlowText } from "./attack-pattern.ts";
import { collectPatterns } from "./collect-patterns.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const IS_PRODUCT = /^(?:packages|apps)\/[^/]+\/src\/(?!.*\.test\.tsx?$).*\.tsx?$/;

describe("the patterns of the product", () => {
  it("finds what is slow in patterns that are", () => {
    expect(findSlowText("^(?:a+)+$", "")).toBeDefined();
    expect(findSlowText("^(?:<!--[^]*?-->)*<html", "")).toBeDefined();
    expect(findSlowText("\\s*,?\\s*;?\\s*$", "")).toBeDefined();
    expect(findSlowText("^\\s*(\\w+)\\s*=", "")).toBeUndefined();
  });

  it("meet no short text that takes the cube of its length, or worse", () => {
    const files = repositoryFiles().filter((file) => IS_PRODUCT.test(file) && !file.includes("/src/gen/"));
    const patterns = collectPatterns(repositoryRoot, files);
    expect(patterns.length).toBeGreaterThan(1_000);
    const slow = patterns.flatMap((pattern) => {
      const text = findSlowText(pattern.source, pattern.flags);
      return text === undefined ? [] : [{ ...pattern, ...text }];
    });
    expect(slow).toEqual([]);
  }, 120_000);
});
