import { describe, expect, it } from "vitest";
import { replaceTexts, writePlan } from "./plan-text.ts";

describe("replaceTexts", () => {
  const one = (oldText: string, newText = "x") => ({ oldText, newText, field: "oldStr" });

  it("replaces each text once, all by what stood there before", () => {
    expect(replaceTexts("one two three", [one("three", "two"), one("two", "2")])).toBe("one 2 two");
  });

  it.each([
    [[one("four")], /does not hold "four"/],
    [[one("t")], /more than once/],
    [[one("one two"), one("two three")], /overlaps/],
    [[one("")], /is empty/],
    [[one("one"), one("four")], /does not hold "four"/],
  ])("refuses %j whole", (replacements, message) => {
    expect(() => replaceTexts("one two three", replacements)).toThrow(message);
  });

  it("refuses a plan that is empty or far too long", () => {
    expect(() => writePlan({ name: "x" })).toThrow(/nothing in it/);
    expect(() => writePlan({ plan: "x".repeat(200_001) })).toThrow(/at most 200000/);
    expect(() => writePlan({ steps: [{ id: "a", prerequisites: ["b"] }] })).toThrow(/a needs b, which is no step/);
    expect(writePlan({ plan: "p", name: "../../Ünlaut & more!" }).fileName).toMatch(
      /^u-nlaut-more-[0-9a-f]{8}\.plan\.md$/,
    );
  });
});
