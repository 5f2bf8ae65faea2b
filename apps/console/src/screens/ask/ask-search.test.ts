import { expect, it } from "vitest";
import { countFilters, readAskSearch, toExplainBody, toSearchBody } from "./ask-search.ts";

it("reads an address and leaves out what makes no sense", () => {
  expect(
    readAskSearch({
      q: 42,
      type: "telepathy",
      n: 101,
      from: "yesterday",
      to: "2026-01-31",
      only: "",
      panel: "page",
      url: "u",
      x: 1,
    }),
  ).toEqual({ q: "42", to: "2026-01-31", panel: "page", url: "u" });
  expect(readAskSearch({ type: "deep", n: "25" })).toEqual({ type: "deep", n: 25 });
});

it("asks for quotes and where they stand, with the filters of the address", () => {
  const search = {
    q: "granite",
    type: "neural",
    n: 5,
    only: "a.org, b.org",
    without: "c.org",
    from: "2026-01-01",
    phrase: "hard stone",
  } as const;
  const body = {
    query: "granite",
    type: "neural",
    numResults: 5,
    includeDomains: ["a.org", "b.org"],
    excludeDomains: ["c.org"],
    startPublishedDate: "2026-01-01T00:00:00.000Z",
    includeText: ["hard stone"],
  };
  expect(toExplainBody(search)).toEqual(body);
  expect(toSearchBody(search)).toEqual({
    ...body,
    contents: { highlights: { maxCharacters: 600 } },
    quarry: { evidence: true },
  });
  expect(countFilters(search)).toBe(5);
});

it("asks by itself for ten results in the mode auto", () => {
  expect(toExplainBody({ q: "granite" })).toEqual({ query: "granite", type: "auto", numResults: 10 });
});
