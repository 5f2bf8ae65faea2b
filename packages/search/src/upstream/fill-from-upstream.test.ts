import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { FoundPages, PageQuery, RankedPage } from "../find/page-query.ts";
import { createUpstreams } from "./create-upstreams.ts";
import { fillFromUpstream, type FillDeps } from "./fill-from-upstream.ts";
import type { UpstreamName, UpstreamProvider, UpstreamQuery } from "./upstream-provider.ts";

const now = new Date("2026-03-01T00:00:00Z");
const never = new AbortController().signal;

const query: PageQuery = { teamIds: ["mine", "shared"], query: "tides", plan: "auto", limit: 4, filter: {} };

function ownPage(path: string, score: number): RankedPage {
  return {
    ...{ teamId: "mine", url: `https://own.example/${path}`, version: 1, title: path, author: null, siteName: null },
    ...{ image: null, favicon: null, language: "en", category: null, publishedAt: null, crawledAt: now },
    score,
    isAboutQuery: true,
    isAsked: false,
    passages: [],
  };
}

const nothing: FoundPages = { pages: [], warnings: [], timings: [] };

/** A provider that names these URLs; `asked` are the questions it got. */
function provider(name: UpstreamName, urls: readonly string[], asked: UpstreamQuery[] = []): UpstreamProvider {
  return {
    name,
    search: (question) => {
      asked.push(question);
      return Promise.resolve(
        urls.map((url) => ({ url, title: `At ${url}`, author: null, publishedAt: null, image: "x", favicon: null })),
      );
    },
  };
}

/** Two providers, and a store that keeps every page with the text of its URL. */
function surroundings(changes: Partial<FillDeps> = {}): FillDeps & { readonly kept: string[] } {
  const kept: string[] = [];
  return {
    kept,
    providers: [
      provider("exa", ["https://a.example/1", "https://b.example/2#part"]),
      provider("searxng", ["https://a.example/1", "https://c.example/3", "javascript:alert(1)"]),
    ],
    keepPage: ({ teamId, url }) => {
      kept.push(`${teamId} ${url}`);
      return Promise.resolve(true);
    },
    readTexts: (pages) => Promise.resolve(pages.map(({ teamId, url }) => ({ teamId, url, text: `all about ${url}` }))),
    now: () => now,
    ...changes,
  };
}

describe("fillFromUpstream", () => {
  it("fills in behind our own, each once and with its provider's name, and keeps the pages for the team", async () => {
    const deps = surroundings();
    const found = { ...nothing, pages: [ownPage("one", 0.8)] };
    const filled = await fillFromUpstream(deps, query, found, never);
    expect(filled.pages.map(({ url, upstream }) => [url, upstream])).toEqual([
      ["https://own.example/one", undefined],
      ["https://a.example/1", "exa"],
      ["https://b.example/2", "exa"],
      ["https://c.example/3", "searxng"],
    ]);
    const scores = filled.pages.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(Math.min(...scores)).toBeGreaterThan(0);
    expect(filled.pages[1]).toMatchObject({ teamId: "mine", image: null, title: "At https://a.example/1" });
    expect(deps.kept).toEqual(["mine https://a.example/1", "mine https://b.example/2", "mine https://c.example/3"]);
    expect(filled.warnings).toEqual([
      expect.objectContaining({
        code: "upstream_results",
        message: expect.stringContaining("exa and searxng") as string,
      }),
    ]);
    expect(filled.timings.map(({ stage }) => stage)).toEqual(["upstream"]);
  });

  verifies("search:upstream:off-by-default", "asks nobody when no provider is configured", async () => {
    const deps = surroundings({
      providers: createUpstreams({ ask: () => Promise.reject(new Error("asked")), now: () => now }, {}),
    });
    expect(await fillFromUpstream(deps, query, nothing, never)).toEqual(nothing);
    expect(deps.kept).toEqual([]);
  });

  it.each<[string, Partial<FillDeps>, Partial<PageQuery>, FoundPages]>([
    ["our own results are enough", {}, { limit: 2 }, { ...nothing, pages: [ownPage("one", 0.8), ownPage("two", 0.7)] }],
    ["only our own pages can meet the filter", {}, { filter: { categories: ["news"] } }, nothing],
  ])("asks nobody when %s", async (_, changes, asked, found) => {
    const deps = surroundings(changes);
    expect(await fillFromUpstream(deps, { ...query, ...asked }, found, never)).toEqual(found);
    expect(deps.kept).toEqual([]);
  });

  it("lets poor results give way to half", async () => {
    const pages = [1, 2, 3, 4].map((number) => ownPage(String(number), 1 / number));
    const found: FoundPages = { pages, warnings: [{ code: "few_results", message: "poor" }], timings: [] };
    const filled = await fillFromUpstream(surroundings(), query, found, never);
    expect(filled.pages.map(({ upstream }) => upstream)).toEqual([undefined, undefined, "exa", "exa"]);
  });

  it("tells the providers of domains and dates, and holds them to the filter", async () => {
    const asked: UpstreamQuery[] = [];
    const providers = [provider("brave", ["https://a.example/1", "https://b.example/2", "https://b.example/x"], asked)];
    const filter = { includeDomains: ["b.example"], excludeUrls: ["https://b.example/x"] };
    const filled = await fillFromUpstream(surroundings({ providers }), { ...query, filter }, nothing, never);
    expect(filled.pages.map(({ url }) => url)).toEqual(["https://b.example/2"]);
    expect(asked).toEqual([expect.objectContaining({ query: "tides", limit: 4, includeDomains: ["b.example"] })]);
    const dated = { ...query, filter: { publishedFrom: now } };
    expect((await fillFromUpstream(surroundings({ providers }), dated, nothing, never)).pages).toEqual([]);
  });

  it("drops pages whose text lacks what was asked for, or could not be had", async () => {
    const deps = surroundings({
      readTexts: () => Promise.resolve([{ teamId: "mine", url: "https://c.example/3", text: "about spring tides" }]),
    });
    const filled = await fillFromUpstream(deps, { ...query, includeText: ["spring tides"] }, nothing, never);
    expect(filled.pages.map(({ url }) => url)).toEqual(["https://c.example/3"]);
  });

  it("turns failures into warnings and goes on with the others", async () => {
    const failing: UpstreamProvider = {
      name: "brave",
      search: () => Promise.reject(new AppError("rate_limited", "brave asks us to slow down", { retryable: true })),
    };
    const deps = surroundings({ providers: [failing, provider("exa", ["https://a.example/1"])] });
    const filled = await fillFromUpstream(deps, query, nothing, never);
    expect(filled.pages).toHaveLength(1);
    expect(filled.warnings[0]).toEqual({
      code: "upstream_failed",
      message: "brave asks us to slow down; these results are without it",
    });
  });

  it("shows pages that could not be fetched all the same", async () => {
    const deps = surroundings({ keepPage: () => Promise.reject(new Error("no way there")) });
    expect((await fillFromUpstream(deps, query, nothing, never)).pages).toHaveLength(3);
  });

  it("leaves with its caller", async () => {
    const stop = new AbortController();
    const deps = surroundings({
      keepPage: () => {
        stop.abort(new Error("gone"));
        return new Promise(() => undefined);
      },
    });
    await expect(fillFromUpstream(deps, query, nothing, stop.signal)).rejects.toThrow("gone");
  });
});
