import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayBeIndexed, readPageDirectives, type PageDirectives } from "./page-directives.ts";

const nothing: PageDirectives = { noindex: false, nofollow: false, noarchive: false, nosnippet: false };
const header = (...headers: string[]): PageDirectives => readPageDirectives({ headers, metas: [] }, "QuarryBot");
const meta = (name: string, content: string): PageDirectives =>
  readPageDirectives({ headers: [], metas: [{ name, content }] }, "QuarryBot");

describe("readPageDirectives", () => {
  it.each([
    ["noindex", { ...nothing, noindex: true }],
    ["NOINDEX , NoFollow", { ...nothing, noindex: true, nofollow: true }],
    ["none", { ...nothing, noindex: true, nofollow: true }],
    ["all, index, follow", nothing],
    ["noarchive, nosnippet", { ...nothing, noarchive: true, nosnippet: true }],
    ["max-snippet:0", { ...nothing, nosnippet: true, maxSnippet: 0 }],
    ["max-snippet: 50, max-image-preview: large", { ...nothing, maxSnippet: 50 }],
    ["unavailable_after: 2025-12-03", { ...nothing, unavailableAfter: new Date("2025-12-03") }],
    [
      "noindex, unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, nofollow",
      { ...nothing, noindex: true, nofollow: true, unavailableAfter: new Date("2025-12-03T13:09:53Z") },
    ],
    ["unavailable_after: 25 Jun 2010 15:00:00 PST", { ...nothing, unavailableAfter: new Date("2010-06-25T23:00:00Z") }],
    ["", nothing],
  ])("reads %j the same in a header and in a meta", (text, expected) => {
    expect(header(text)).toEqual(expected);
    expect(meta("Robots", text)).toEqual(expected);
    expect(meta("quarrybot", text)).toEqual(expected);
  });

  it("reads what a header says to one agent", () => {
    expect(header("quarrybot: noindex")).toEqual({ ...nothing, noindex: true });
    expect(header("otherbot: noindex, nofollow")).toEqual(nothing);
    expect(header("nofollow, otherbot: noindex, noarchive, quarrybot: nosnippet")).toEqual({
      ...nothing,
      nofollow: true,
      nosnippet: true,
    });
    expect(header("otherbot: unavailable_after: 2020-01-01", "noarchive")).toEqual({ ...nothing, noarchive: true });
  });

  it("passes over metas for others", () => {
    expect(meta("googlebot", "noindex")).toEqual(nothing);
  });

  it("takes the stricter of two sources", () => {
    const both = readPageDirectives(
      { headers: ["index, max-snippet:80"], metas: [{ name: "robots", content: "noindex,max-snippet:9" }] },
      "QuarryBot",
    );
    expect(both).toEqual({ ...nothing, noindex: true, maxSnippet: 9 });
  });

  it("lets a page lapse at its date", () => {
    const page = meta("robots", "unavailable_after: 2025-01-01");
    expect([mayBeIndexed(page, new Date("2024-12-31")), mayBeIndexed(page, new Date("2025-01-01"))]).toEqual([
      true,
      false,
    ]);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(typeof header(text).noindex).toBe("boolean");
        expect(typeof meta("robots", text).nofollow).toBe("boolean");
      }),
    );
  });
});
