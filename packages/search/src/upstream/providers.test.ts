import { describe, expect, it } from "vitest";
import { createUpstreams, listUpstreamEndpoints } from "./create-upstreams.ts";
import { answerJson, askByHttp, useProviderServer } from "./testing-upstream.ts";
import type { UpstreamName, UpstreamProvider, UpstreamQuery } from "./upstream-provider.ts";

const never = new AbortController().signal;
const KEY = "key-that-nobody-may-see";

const question: UpstreamQuery = {
  query: "how do tides work",
  limit: 30,
  includeDomains: ["example.com"],
  excludeDomains: ["bad.example.com"],
  publishedFrom: new Date("2024-01-01T00:00:00Z"),
  publishedTo: undefined,
};

/** The provider `name` at `url`, asked over real HTTP. */
function providerAt(name: UpstreamName, url: string, timeoutMs?: number): UpstreamProvider {
  const settings = {
    exa: { upstreamExaUrl: url, upstreamExaKey: KEY },
    brave: { upstreamBraveUrl: url, upstreamBraveKey: KEY },
    searxng: { upstreamSearxngUrl: url, upstreamSearxngKey: KEY },
  }[name];
  const [provider] = createUpstreams({ ask: askByHttp(timeoutMs), now: () => new Date() }, settings);
  if (provider === undefined) throw new Error("not configured");
  return provider;
}

const moon = {
  url: "https://example.com/moon",
  title: "The Moon",
  author: null,
  publishedAt: new Date("2024-05-06T00:00:00Z"),
  image: null,
  favicon: null,
};

describe("each provider speaks its own protocol", () => {
  it("Exa: POST /search with x-api-key", async () => {
    const server = await useProviderServer((_, response) => {
      const result = { id: "x", score: 0.3, ...moon, publishedDate: "2024-05-06", image: "https://e.com/i.png" };
      answerJson(response, { requestId: "r", results: [result, { title: "no address" }, 7] });
    });
    const results = await providerAt("exa", server.url).search(question, never);
    expect(results).toEqual([{ ...moon, image: "https://e.com/i.png" }]);
    const [asked] = server.asked;
    expect([asked?.method, asked?.url.pathname, asked?.headers["x-api-key"]]).toEqual(["POST", "/search", KEY]);
    expect(JSON.parse(asked?.body ?? "")).toEqual({
      query: "how do tides work",
      numResults: 30,
      includeDomains: ["example.com"],
      startPublishedDate: "2024-01-01T00:00:00.000Z",
    });
  });

  it("Brave: GET /res/v1/web/search with x-subscription-token, at most 20", async () => {
    const server = await useProviderServer((_, response) =>
      answerJson(response, {
        type: "search",
        web: { type: "search", results: [{ url: moon.url, title: "The Moon", page_age: "2024-05-06T00:00:00Z" }] },
      }),
    );
    expect(await providerAt("brave", server.url).search(question, never)).toEqual([moon]);
    const [asked] = server.asked;
    expect([asked?.method, asked?.url.pathname, asked?.headers["x-subscription-token"]]).toEqual([
      "GET",
      "/res/v1/web/search",
      KEY,
    ]);
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).toEqual({
      q: "how do tides work site:example.com -site:bad.example.com",
      count: "20",
      result_filter: "web",
      freshness: "2024-01-01to2099-12-31",
    });
  });

  it("Brave: nothing found is an empty list", async () => {
    const server = await useProviderServer((_, response) => answerJson(response, { type: "search", query: {} }));
    expect(await providerAt("brave", server.url).search(question, never)).toEqual([]);
  });

  it("SearXNG: GET /search?format=json, a key as a bearer token", async () => {
    const server = await useProviderServer((_, response) =>
      answerJson(response, { query: "q", results: [{ ...moon, content: "…", publishedDate: "2024-05-06T00:00:00" }] }),
    );
    const [result] = await providerAt("searxng", server.url).search(question, never);
    expect(result).toMatchObject({ url: moon.url, title: "The Moon" });
    const [asked] = server.asked;
    expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).toEqual({
      q: "how do tides work site:example.com -site:bad.example.com",
      format: "json",
    });
  });
});

describe.each(["exa", "brave", "searxng"] as const)("%s, when it fails,", (name) => {
  it.each([
    ["is too busy", 429, "slow down", "rate_limited"],
    ["refuses the key", 401, `QUARRY_UPSTREAM_${name.toUpperCase()}_KEY`, "upstream_failed"],
    ["breaks", 502, "answered 502", "upstream_failed"],
  ])("%s: says so without the key", async (_, status, sentence, code) => {
    const server = await useProviderServer((_request, response) => {
      response.writeHead(status, { "retry-after": "7" }).end(`no good key: ${KEY}`);
    });
    const failure = await providerAt(name, server.url)
      .search(question, never)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(sentence) as string });
    expect(String(failure)).toContain(name);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(KEY);
  });

  it.each([
    ["text", "<html>hello"],
    ["a list", "[]"],
    ["no results", '{"web": {}}'],
    ["results of another kind", '{"results": "many", "web": {"results": 3}}'],
  ])("answers %s: says what is missing", async (_, text) => {
    const server = await useProviderServer((_request, response) => response.end(text));
    await expect(providerAt(name, server.url).search(question, never)).rejects.toThrow(`${name} answered`);
  });

  it("is slow: gives up in time", async () => {
    const server = await useProviderServer(() => undefined);
    await expect(providerAt(name, server.url, 50).search(question, never)).rejects.toThrow("gave no answer");
  });

  it("is left by the caller: stops at once", async () => {
    const stop = new AbortController();
    const server = await useProviderServer(() => stop.abort());
    await expect(providerAt(name, server.url).search(question, stop.signal)).rejects.toThrow();
  });
});

describe("listUpstreamEndpoints", () => {
  it("lists nobody unless the operator named somebody", () => {
    expect(listUpstreamEndpoints({})).toEqual([]);
    expect(listUpstreamEndpoints({ upstreamSearxngKey: "k" })).toEqual([]);
  });

  it("knows where Exa and Brave are when there is a key alone", () => {
    expect(
      listUpstreamEndpoints({ upstreamExaKey: "a", upstreamBraveKey: "b", upstreamSearxngUrl: "http://s/" }),
    ).toEqual([
      { name: "exa", url: "https://api.exa.ai", key: "a" },
      { name: "brave", url: "https://api.search.brave.com", key: "b" },
      { name: "searxng", url: "http://s", key: undefined },
    ]);
  });
});
