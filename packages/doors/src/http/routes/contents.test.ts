import { AppError } from "@quarry/base";
import { pageWith } from "@quarry/ingest/testing";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withSearchApp, type GivenDocument, type PostAnswer, type SearchWorld } from "../../testing.ts";

const STORED: GivenDocument = {
  url: "https://e.org/stored",
  title: "A stored page",
  text: "The stored page tells of owls. Owls hunt at night. They see well in the dark.",
};
const HOUR_MS = 3_600_000;

const PAGE = `<html><head><title>Guide</title></head><body><header><h1>Site name</h1></header>
<nav><a href="/about-us">About us</a> <a href="/contact">Contact</a></nav>
<main><h1>Guide</h1><p>The guide explains how to install the tool on a machine that runs Linux, step by step.</p>
<p>Read the <a href="/guide/install">installation chapter</a> or the <a href="/guide/faq">questions</a> first, please.</p>
<img src="/pic.png" alt="A picture"><pre><code class="language-bash">apt install tool</code></pre></main>
<aside><p>Beside the guide stands a note about the weather in the mountains.</p></aside>
<footer><p>Copyright of the guide's makers, all rights reserved.</p></footer></body></html>`;

/** Statuses as short words: `cached`, `crawled` or the tag and code of the error. */
function statusesOf({ body }: PostAnswer): readonly string[] {
  return body.statuses.map(({ source, error }) => source ?? `${error?.tag ?? ""} ${error?.httpStatusCode ?? "-"}`);
}

const urlsOf = ({ body }: PostAnswer): readonly string[] => body.results.map(({ url }) => url);

describe("POST /contents", () => {
  verifies(
    [
      "contents:ids:ids-or-urls",
      "contents:ids:documents",
      "contents:default:text",
      "contents:statuses:one-per-id",
      "contents:statuses:bad-url-no-error",
      "contents:statuses:left-out",
      "contents:statuses:source-cached",
      "contents:statuses:source-crawled",
      "contents:statuses:not-found",
      "contents:statuses:http-error",
      "contents:statuses:timeout",
      "contents:statuses:source-not-available",
      "contents:statuses:unsupported-url",
      "contents:statuses:unknown-error",
      "contents:max-age:absent",
    ],
    "tells what became of every address in the order of the request, and never fails for one",
    () =>
      withSearchApp(
        async (world) => {
          await world.add([STORED]);
          const urls = [
            ...[STORED.url, "https://e.org/live", "https://e.org/missing", "https://e.org/denied", "not a url"],
            ...[
              "https://e.org/private/x",
              "https://e.org/slow",
              "https://e.org/broken",
              STORED.url,
              "ftp://e.org/file",
            ],
            ...["e.org/live", "https://e.org/picture"],
          ];
          const reply = await world.post("/contents", { urls });
          expect(reply.status).toBe(200);
          expect(reply.body.statuses.map(({ id }) => id)).toEqual(urls);
          expect(statusesOf(reply)).toEqual([
            ...["cached", "crawled", "CRAWL_NOT_FOUND 404", "CRAWL_HTTP_403 403", "UNSUPPORTED_URL -"],
            ...[
              "SOURCE_NOT_AVAILABLE 403",
              "CRAWL_TIMEOUT 408",
              "CRAWL_UNKNOWN_ERROR 500",
              "cached",
              "UNSUPPORTED_URL -",
            ],
            ...["crawled", "UNSUPPORTED_URL -"],
          ]);
          expect(urlsOf(reply)).toEqual([STORED.url, "https://e.org/live"]);
          expect(reply.body.results.map(({ text }) => text)).toEqual([STORED.text, "A live page about hawks."]);
          const again = await world.post("/contents", { ids: [{ id: "https://e.org/live", score: 1 }] });
          expect(statusesOf(again)).toEqual(["cached"]);
          expect(world.asked.filter((url) => url === "https://e.org/live")).toHaveLength(1);
        },
        {
          web: (url) => {
            const path = new URL(url).pathname;
            if (path === "/robots.txt") return { body: "User-agent: *\nDisallow: /private/" };
            if (path === "/live") return { body: "<title>Live</title><p>A live page about hawks.</p>" };
            if (path === "/denied") return { status: 403 };
            if (path === "/picture") return { headers: { "content-type": "image/png" }, body: "\u0089PNG" };
            const error = new AppError("timeout", "no answer", { retryable: true });
            if (path === "/slow") return { kind: "failed", reason: "timeout", error };
            return path === "/broken" ? { kind: "failed", reason: "unreachable", error } : undefined;
          },
        },
      ),
  );

  verifies(
    [
      "contents:livecrawl:never",
      "contents:livecrawl:fallback",
      "contents:livecrawl:always",
      "contents:livecrawl:preferred",
      "contents:max-age:zero",
      "contents:max-age:minus-one",
      "contents:max-age:hours",
    ],
    "fetches as fresh as asked for",
    () =>
      withSearchApp(
        async (world) => {
          const now = Date.now();
          const page = (name: string, hours: number): GivenDocument => ({
            url: `https://e.org/${name}`,
            text: `The old text of ${name} stands here.`,
            fetchedAt: new Date(now - hours * HOUR_MS),
          });
          await world.add([page("here", 50), page("gone", 50)]);
          const urls = ["https://e.org/here", "https://e.org/gone", "https://e.org/new"];
          const ask = async (options: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
            statusesOf(await world.post("/contents", { urls, ...options }));
          const missing = "CRAWL_NOT_FOUND 404";
          expect(await ask({ livecrawl: "never" })).toEqual(["cached", "cached", missing]);
          expect(await ask({ maxAgeHours: -1 })).toEqual(["cached", "cached", missing]);
          expect(await ask({ maxAgeHours: 100, compliance: "hipaa" })).toEqual(["cached", "cached", missing]);
          expect(world.asked).toEqual([]);
          expect(await ask({ maxAgeHours: 720 })).toEqual(["cached", "cached", "crawled"]);
          expect(await ask({ maxAgeHours: 10 })).toEqual(["crawled", "cached", "cached"]);
          expect(await ask({ livecrawl: "fallback" })).toEqual(["cached", "cached", "cached"]);
          expect(await ask({ livecrawl: "preferred" })).toEqual(["crawled", "cached", "crawled"]);
          expect(await ask({ livecrawl: "always" })).toEqual(["crawled", missing, "crawled"]);
          expect(await ask({ maxAgeHours: 0 })).toEqual(["crawled", missing, "crawled"]);
        },
        { web: (url) => (/here|new/.test(url) ? pageWith(`A new text of ${new URL(url).pathname}.`) : undefined) },
      ),
  );

  verifies("contents:livecrawl:timeout", "gives up when livecrawlTimeout is over", () =>
    withSearchApp(
      async (world) => {
        const began = performance.now();
        const reply = await world.post("/contents", { urls: ["https://e.org/never"], livecrawlTimeout: 150 });
        expect(statusesOf(reply)).toEqual(["CRAWL_LIVECRAWL_TIMEOUT 408"]);
        expect(performance.now() - began).toBeLessThan(3_000);
      },
      {
        change: () => ({
          fetchLive: async (wish, signal) => {
            const { createFetchLive } = await import("@quarry/search");
            const hang = (_: unknown, stop: AbortSignal): Promise<never> =>
              new Promise((_resolve, reject) => stop.addEventListener("abort", () => reject(new Error("stopped"))));
            const parts = { get: hang, allows: () => Promise.resolve({ kind: "allowed" as const }) };
            const paces = { waitMs: () => 0, begin: () => () => undefined };
            const nothing = undefined as never;
            const stores = { database: nothing, snapshots: nothing, readPage: nothing };
            return createFetchLive({ ...parts, ...stores, paces, agent: "Bot", now: () => new Date() })(wish, signal);
          },
        }),
      },
    ),
  );

  verifies(
    [
      "contents:text:max-characters",
      "contents:text:max-characters-clamped",
      "contents:text:html-tags",
      "contents:text:verbosity",
      "contents:text:sections",
      "contents:extras:links",
      "contents:extras:image-links",
      "contents:extras:rich-links",
      "contents:extras:rich-image-links",
      "contents:extras:code-blocks",
      "contents:metadata:ignored",
    ],
    "returns more or less of a page, its tags, and its extras",
    () =>
      withSearchApp(async (world) => {
        const url = "https://e.org/guide";
        await world.add([
          { url, html: PAGE },
          { url: "https://e.org/long", text: "word ".repeat(5_000) },
        ]);
        const one = async (options: Readonly<Record<string, unknown>>) =>
          (await world.post("/contents", { urls: [url], metadata: true, ...options })).body.results[0];
        const text = async (option: unknown): Promise<string> => (await one({ text: option }))?.text ?? "";
        expect(await text({ maxCharacters: 10 })).toHaveLength(10);
        const long = await world.post("/contents", { urls: ["https://e.org/long"], text: { maxCharacters: 90_000 } });
        expect(long.body.results[0]?.text).toHaveLength(10_000);
        expect(await text({ includeHtmlTags: true })).toContain('<a href="https://e.org/guide/install">');
        const [compact, standard, full] = await Promise.all(
          ["compact", "standard", "full"].map((verbosity) => text({ verbosity })),
        );
        expect([compact?.includes("Site name"), compact?.includes("weather"), compact?.includes("rights")]).toEqual([
          false,
          false,
          false,
        ]);
        expect([standard?.includes("Site name"), standard?.includes("weather"), standard?.includes("rights")]).toEqual([
          true,
          false,
          false,
        ]);
        expect([full?.includes("Site name"), full?.includes("weather"), full?.includes("rights")]).toEqual([
          true,
          true,
          true,
        ]);
        expect(await text({ includeSections: ["footer"] })).toBe(
          "Copyright of the guide's makers, all rights reserved.",
        );
        expect(await text({ verbosity: "full", excludeSections: ["footer", "navigation"] })).not.toMatch(
          /rights|About us/,
        );
        const { extras, ...rest } =
          (await one({ extras: { links: 1, richLinks: 5, imageLinks: 3, richImageLinks: 3, codeBlocks: 1 } })) ?? {};
        expect(rest).not.toHaveProperty("text");
        expect(extras).toEqual({
          links: ["https://e.org/guide/install"],
          richLinks: [
            { url: "https://e.org/guide/install", anchor: "installation chapter" },
            { url: "https://e.org/guide/faq", anchor: "questions" },
          ],
          imageLinks: ["https://e.org/pic.png"],
          richImageLinks: [{ url: "https://e.org/pic.png", alt: "A picture" }],
          codeBlocks: [{ text: "apt install tool", source: "bash" }],
        });
        expect((await one({ extras: { links: 0 } }))?.extras).toEqual({});
      }),
  );

  verifies(
    ["contents:subpages:count", "contents:subpages:target"],
    "returns linked pages of the site with the same contents, the wanted ones first",
    () =>
      withSearchApp(
        async (world) => {
          const url = "https://e.org/guide";
          await world.add([{ url, html: PAGE }]);
          const subpages = async (options: Readonly<Record<string, unknown>>) =>
            (await world.post("/contents", { urls: [url], text: true, ...options })).body.results[0]?.subpages;
          expect(await subpages({ subpages: 1 })).toMatchObject([
            { url: "https://e.org/guide/install", text: "The page /guide/install" },
          ]);
          const wanted = await subpages({ subpages: 2, subpageTarget: ["about", "contact"] });
          expect(wanted?.map((page) => page.url)).toEqual(["https://e.org/about-us", "https://e.org/contact"]);
          expect(await subpages({})).toBeUndefined();
        },
        { web: (url) => pageWith(`The page ${new URL(url).pathname}`) },
      ),
  );

  verifies(
    [
      "contents:highlights:true",
      "contents:highlights:query",
      "contents:highlights:max-characters",
      "contents:highlights:num-sentences",
      "contents:highlights:per-url",
      "contents:highlights:quote-in-text",
      "contents:highlights:dynamic-budget",
      "contents:highlights:beta-header",
      "contents:highlights:dynamic-with-max-characters",
    ],
    "quotes the best sentences, as many and as long as asked for",
    () => withSearchApp(checkHighlights),
  );

  verifies(
    ["contents:summary:true", "contents:summary:query", "contents:summary:schema", "contents:summary:extractive"],
    "sums a page up in its own sentences, or in an object",
    () =>
      withSearchApp(async (world) => {
        await world.add([STORED]);
        const summary = async (option: unknown): Promise<string> =>
          (await world.post("/contents", { urls: [STORED.url], summary: option })).body.results[0]?.summary ?? "";
        const whole = await summary(true);
        expect(whole.split(/(?<=\.) /).every((sentence) => STORED.text?.includes(sentence))).toBe(true);
        expect(await summary({ query: "what do they see", maxTokens: 9 })).toBe("They see well in the dark.");
        const schema = { type: "object", properties: { hunting: { type: "string" } }, required: ["hunting"] };
        expect(JSON.parse(await summary({ query: "when do owls hunt", schema }))).toEqual({
          hunting: "Owls hunt at night.",
        });
      }),
  );

  verifies(
    ["contents:snapshot-as-of:past-copy", "contents:filter-empty:drops", "contents:text:unavailable"],
    "returns the copy of a moment, and leaves empty pages out when asked to",
    () =>
      withSearchApp(async (world) => {
        const url = "https://e.org/changing";
        await world.add([{ url, text: "The first text.", fetchedAt: new Date("2026-01-01T00:00:00Z") }]);
        await world.add([{ url, text: "The second text.", fetchedAt: new Date("2026-02-01T00:00:00Z") }]);
        const asOf = async (snapshotAsOf: string) => {
          const { body } = await world.post("/contents", { urls: [url], snapshotAsOf });
          return [body.results[0]?.text, body.results[0]?.snapshotAt, body.statuses[0]?.error?.tag];
        };
        expect(await asOf("2026-01-15")).toEqual(["The first text.", "2026-01-01T00:00:00.000Z", undefined]);
        expect(await asOf("2026-03-01")).toEqual(["The second text.", "2026-02-01T00:00:00.000Z", undefined]);
        expect(await asOf("2025-12-31")).toEqual([undefined, undefined, "CRAWL_NOT_FOUND"]);
        await world.add([
          { url: "https://e.org/empty", html: "<html><head><title>Nothing</title></head><body></body></html>" },
        ]);
        const urls = ["https://e.org/empty", url];
        expect((await world.post("/contents", { urls })).body.results.map(({ text }) => text)).toEqual([
          "",
          "The second text.",
        ]);
        expect(urlsOf(await world.post("/contents", { urls, filterEmptyResults: true }))).toEqual([url]);
      }),
  );

  verifies("contents:filter-empty:drops", "keeps with filterEmptyResults what has any of the kinds asked for", () =>
    withSearchApp(async (world) => {
      const data = { "@type": "Organization", name: "Acme" };
      const full = `<script type="application/ld+json">${JSON.stringify(data)}</script>${PAGE}`;
      await world.add([
        { url: "https://e.org/guide", html: full, category: "company" },
        { url: "https://e.org/guide/install", text: "Install the tool of the guide." },
        { url: "https://e.org/bare", html: "<title>Guide</title><body></body>", category: "company" },
      ]);
      const urls = ["https://e.org/guide", "https://e.org/bare"];
      const kinds = [
        { extras: { links: 2 } },
        { context: true },
        { subpages: 1, text: false, extras: { codeBlocks: 0 } },
        { summary: true },
        { highlights: { query: "install the tool" } },
      ];
      for (const kind of kinds) {
        const reply = await world.post("/contents", { urls, filterEmptyResults: true, ...kind });
        expect([kind, urlsOf(reply)]).toEqual([kind, [urls[0]]]);
      }
      const body = { query: "guide", type: "keyword", category: "company", contents: { filterEmptyResults: true } };
      expect(urlsOf(await world.post("/search", body))).toEqual([urls[0]]);
    }),
  );

  verifies(
    [
      "contents:ids:both-refused",
      "contents:ids:neither-refused",
      "contents:ids:limit-100",
      "contents:ids:length",
      "contents:livecrawl:with-max-age",
      "contents:subpages:limit",
    ],
    "refuses what cannot be meant, with the tag for it",
    () =>
      withSearchApp(async (world) => {
        const urls = ["https://e.org/"];
        const many = Array.from({ length: 101 }, (_, index) => `https://e.org/${index}`);
        const TABLE = [
          [{ urls, ids: urls }, "INVALID_REQUEST_BODY"],
          [{}, "INVALID_REQUEST_BODY"],
          [{ urls: [] }, "INVALID_REQUEST_BODY"],
          [{ urls: many }, "INVALID_REQUEST_BODY"],
          [{ urls: [`https://e.org/${"x".repeat(2_048)}`] }, "INVALID_REQUEST_BODY"],
          [{ urls, livecrawl: "always", maxAgeHours: 3 }, "INVALID_REQUEST"],
          [{ urls, subpages: 101 }, "SUBPAGES_LIMIT_EXCEEDED"],
          [{ urls: [...urls, "https://e.org/2"], subpages: 51 }, "SUBPAGES_LIMIT_EXCEEDED"],
          [{ urls, text: "yes" }, "INVALID_REQUEST_BODY"],
        ] as const;
        for (const [request, tag] of TABLE) {
          const { status, body } = await world.post("/contents", request);
          expect([JSON.stringify(request).slice(0, 80), status, body.tag]).toEqual([
            JSON.stringify(request).slice(0, 80),
            400,
            tag,
          ]);
        }
      }),
  );
});

async function checkHighlights(world: SearchWorld): Promise<void> {
  const other = {
    url: "https://e.org/other",
    text: "Cats sleep all day long. Owls and cats both hunt at night together.",
  };
  await world.add([STORED, other]);
  const beta = { headers: { "exa-beta": "x, dynamic-highlights-2026-08-28" } };
  const ask = (highlights: unknown, call = {}): Promise<PostAnswer> =>
    world.post("/contents", { urls: [STORED.url, other.url], query: "owls hunt at night", highlights }, call);
  const of = async (highlights: unknown, call = {}): Promise<readonly (readonly string[])[]> =>
    (await ask(highlights, call)).body.results.map((result) => result.highlights ?? []);
  const all = await of(true);
  expect(all[0]?.every((quote) => STORED.text?.includes(quote))).toBe(true);
  expect(all[1]?.every((quote) => other.text.includes(quote))).toBe(true);
  expect(await of({ numSentences: 1, highlightsPerUrl: 1 })).toEqual([
    ["Owls hunt at night."],
    ["Owls and cats both hunt at night together."],
  ]);
  expect((await of({ numSentences: 2, highlightsPerUrl: 1 }))[0]).toHaveLength(1);
  expect((await of({ query: "see in the dark", numSentences: 1, highlightsPerUrl: 1 }))[0]).toEqual([
    "They see well in the dark.",
  ]);
  expect((await of({ maxCharacters: 12 })).flat().every((quote) => quote.length <= 12)).toBe(true);
  const shared = (await of({ dynamic: true, verbosity: "low" }, beta)).flat().join("");
  expect(shared.length).toBeGreaterThan(0);
  expect(shared.length).toBeLessThanOrEqual(2_000);
  expect((await ask({ dynamic: true })).body.tag).toBe("INVALID_REQUEST");
  expect((await ask({ dynamic: true, maxCharacters: 100 }, beta)).body.tag).toBe("INVALID_REQUEST");
}
