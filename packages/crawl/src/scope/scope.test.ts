import { describe, expect, it } from "vitest";
import { compileScope, decideBudget, decideScope, type ScopeRequest } from "./scope.ts";

const seed = "https://www.docs.example.co.uk/guide/start.html";
const scopeOf = (request: Partial<ScopeRequest>) => compileScope({ seeds: [seed], kind: "host", ...request });
const inside = (request: Partial<ScopeRequest>, url: string, depth = 1): string => {
  const decision = decideScope(scopeOf(request), url, depth);
  return decision.kind === "in" ? "in" : decision.reason;
};

describe("decideScope", () => {
  it.each([
    ["host", "https://www.docs.example.co.uk/other", "in"],
    ["host", "http://docs.example.co.uk/x", "in"],
    ["host", "https://blog.example.co.uk/", "other-host"],
    ["host", "https://www.docs.example.co.uk:8443/", "other-host"],
    ["domain", "https://blog.example.co.uk/", "in"],
    ["domain", "https://other.co.uk/", "other-domain"],
    ["path", "https://docs.example.co.uk/guide/deep/x", "in"],
    ["path", "https://docs.example.co.uk/guides", "other-path"],
    ["path", "https://docs.example.co.uk/", "other-path"],
    ["path", "https://other.co.uk/guide/", "other-path"],
  ] as const)("scope %s takes %s as %s", (kind, url, expected) => {
    expect(inside({ kind }, url)).toBe(expected);
  });

  it("reads a path without an ending as that page and what is below it", () => {
    const request = { kind: "path", seeds: ["https://a.test/docs"] } as const;
    expect(["/docs", "/docs/x", "/docsx", "/"].map((path) => inside(request, `https://a.test${path}`))).toEqual([
      "in",
      "in",
      "other-path",
      "other-path",
    ]);
  });

  it("counts depth from the seeds, which are always in", () => {
    expect(inside({ maxDepth: 1 }, "https://docs.example.co.uk/x", 2)).toBe("too-deep");
    expect(inside({ maxDepth: 0, exclude: ["*"] }, seed, 0)).toBe("in");
  });

  it("lets exclude win over include", () => {
    const request = { include: ["/guide/*"], exclude: ["*.pdf"] };
    expect(
      ["/guide/x", "/guide/x.pdf", "/blog"].map((path) => inside(request, `https://docs.example.co.uk${path}`)),
    ).toEqual(["in", "excluded", "not-included"]);
  });

  it("takes several seeds, canonical and each once", () => {
    const scope = scopeOf({ seeds: ["A.test/x#1", "http://a.test/x", "https://b.test"] });
    expect(scope.seeds).toEqual(["http://a.test/x", "https://b.test/"]);
    expect(decideScope(scope, "https://b.test/y", 1)).toEqual({ kind: "in" });
  });

  it("decides as fast for ten thousand seeds as for one", () => {
    const scope = scopeOf({
      kind: "path",
      seeds: Array.from({ length: 10_000 }, (_seed, index) => `https://a.test/${index}/`),
    });
    const started = performance.now();
    for (let index = 0; index < 10_000; index += 1) decideScope(scope, `https://a.test/${index}/x/y`, 1);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(decideScope(scope, "https://a.test/10000/", 1)).toEqual({ kind: "out", reason: "other-path" });
  });

  it.each([
    [{ seeds: [] }, "at least one URL"],
    [{ seeds: ["ftp://a.test/"] }, "only http and https"],
    [{ seeds: ["not a url"] }, "is not a URL"],
    [{ seeds: [`https://a.test/${"x".repeat(3000)}`] }, "longer than"],
    [{ maxDepth: -1 }, "maxDepth"],
    [{ maxDepth: 1.5 }, "maxDepth"],
    [{ include: Array.from({ length: 101 }, () => "/x") }, "at most 100"],
    [{ exclude: ["/(/"] }, "RE2"],
  ] as const)("says what to mend in a bad request (case %#)", (request, message) => {
    expect(() => scopeOf(request)).toThrow(message);
  });
});

describe("decideBudget", () => {
  it.each([
    [0, 0, { kind: "go", pagesLeft: 10, bytesLeft: 1000 }],
    [9, 999, { kind: "go", pagesLeft: 1, bytesLeft: 1 }],
    [10, 0, { kind: "stop", reason: "max-pages" }],
    [3, 1000, { kind: "stop", reason: "max-bytes" }],
    [11, 2000, { kind: "stop", reason: "max-pages" }],
  ])("after %i pages and %i bytes", (pages, bytes, expected) => {
    expect(decideBudget({ maxPages: 10, maxBytes: 1000 }, { pages, bytes })).toEqual(expected);
  });
});
