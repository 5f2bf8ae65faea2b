import { describe, expect, it } from "vitest";
import type { Operation } from "../../api/openapi.ts";
import { toCli, toCurl, toExaJs } from "./copy-as.ts";
import { buildRequest, missingParameters } from "./request.ts";

const origin = "http://127.0.0.1:7700";
const operation = (facts: Partial<Operation>): Operation => ({
  id: "search",
  method: "POST",
  path: "/search",
  tag: "Search",
  summary: "",
  description: "",
  parameters: [],
  body: { kind: "json", schema: {}, isRequired: true },
  replyMediaType: "application/json",
  ...facts,
});
const parameter = (name: string, place: "path" | "query" | "header") => ({
  name,
  place,
  isRequired: place === "path",
  description: "",
  schema: {},
});
const pages = operation({
  id: "listCrawlPages",
  method: "GET",
  path: "/quarry/v1/crawls/{id}/pages",
  body: { kind: "none" },
  parameters: [parameter("id", "path"), parameter("status", "query"), parameter("Last-Event-ID", "header")],
});

it("puts parameters where they belong and names those that are missing", () => {
  const input = { parameters: { id: "a/b", status: "not there", "Last-Event-ID": "7" } };
  expect(buildRequest(pages, input)).toEqual({
    method: "GET",
    path: "/quarry/v1/crawls/a%2Fb/pages?status=not+there",
    headers: { "last-event-id": "7" },
    body: undefined,
  });
  expect(missingParameters(pages, { parameters: {} })).toEqual(["id"]);
});

describe("a request written down", () => {
  const input = { parameters: {}, body: { query: "it's $HOME", contents: { text: true } } };

  it("as curl, quoted for the shell", () => {
    expect(toCurl({ operation: operation({}), input, origin })).toBe(
      [
        "curl -s -X POST http://127.0.0.1:7700/search \\",
        '  -H "x-api-key: $QUARRY_API_KEY" \\',
        "  -H 'content-type: application/json' \\",
        String.raw`  -d '{`,
        String.raw`  "query": "it'\''s $HOME",`,
        '  "contents": {',
        '    "text": true',
        "  }",
        "}'",
      ].join("\n"),
    );
    expect(
      toCurl({
        operation: { ...pages, replyMediaType: "text/event-stream" },
        input: { parameters: { id: "x" } },
        origin,
      }),
    ).toBe('curl -sN http://127.0.0.1:7700/quarry/v1/crawls/x/pages \\\n  -H "x-api-key: $QUARRY_API_KEY"');
  });

  it("as a call of exa-js: its own method where it has one", () => {
    const lines = (facts: Partial<Operation>, given: Parameters<typeof toExaJs>[0]["input"]): string =>
      toExaJs({ operation: operation(facts), input: given, origin })
        .split("\n")
        .slice(3, -1)
        .join("\n");
    expect(lines({}, input)).toBe(
      'const reply = await exa.search("it\'s $HOME", {\n  contents: {\n    text: true\n  }\n});',
    );
    expect(lines({ path: "/contents" }, { parameters: {}, body: { urls: ["https://e.org"] } })).toBe(
      'const reply = await exa.getContents([\n  "https://e.org"\n]);',
    );
    expect(toExaJs({ operation: pages, input: { parameters: { id: "x" } }, origin })).toContain(
      'await exa.request("/quarry/v1/crawls/x/pages", "GET");',
    );
  });

  it("as a command, where there is one", () => {
    const cli = (id: string, body: unknown, parameters = {}): string | undefined =>
      toCli({ operation: operation({ id }), input: { parameters, body }, origin });
    expect(cli("createCrawl", { url: "https://e.org/a b", maxPages: 5, include: ["*/x", "*/y"], scope: null })).toBe(
      "npx quarry crawl 'https://e.org/a b' --max-pages 5 --include '*/x' --include '*/y'",
    );
    expect(cli("createCrawl", { sitemap: "https://e.org/s.xml" })).toBe(
      "npx quarry crawl https://e.org/s.xml --sitemap",
    );
    expect(cli("createKey", { name: "a; rm", scopes: ["search", "index"] })).toBe(
      "npx quarry keys create 'a; rm' --scopes search,index",
    );
    expect(cli("pauseCrawl", undefined, { id: "$(x)" })).toBe("npx quarry crawl pause '$(x)'");
    expect(cli("search", { query: "how is it", type: "neural", numResults: 3, includeDomains: ["a.org"] })).toBe(
      "npx quarry search 'how is it' --type neural --num 3 --include a.org",
    );
    expect(cli("contents", { urls: ["https://a.org", "https://b.org"] })).toBe(
      "npx quarry contents https://a.org https://b.org",
    );
    expect(cli("isAlive", undefined)).toBeUndefined();
  });
});
