import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { withSearchApp, type CallOptions } from "../../testing.ts";

const HTML = `<!doctype html><html lang="en"><head><title>Barn owls</title><meta name="author" content="Ann Lee">
<meta property="og:image" content="https://birds.example/owl.png"><link rel="icon" href="/icon.png">
<meta property="article:published_time" content="2025-04-01T09:00:00Z"></head><body><article><h1>Barn owls</h1>
<p>Barn owls hunt mice at night, guided by their hearing. They nest in church towers and in hollow trees.</p>
<p>A pair raises four to six chicks a year. See <a href="https://birds.example/voles">their prey</a>.</p>
<pre><code>owl --hunt</code></pre></article></body></html>`;

/** Requests as Exa's clients send them, and wrong ones: every shape that the search family replies with. */
const REQUESTS: readonly (readonly [name: string, path: string, body: unknown, options?: CallOptions])[] = [
  ["a search", "/search", { query: "owls at night", type: "keyword" }],
  [
    "a search with all contents",
    "/search",
    {
      query: "where do owls nest",
      type: "auto",
      numResults: 2,
      contents: {
        text: { maxCharacters: 120 },
        highlights: { numSentences: 1, highlightsPerUrl: 2 },
        summary: true,
        extras: { links: 2, imageLinks: 1, codeBlocks: 1 },
        context: true,
      },
    },
  ],
  [
    "a search of February 2026, options on top",
    "/search",
    { query: "owls", type: "neural", text: true, livecrawl: "never" },
  ],
  [
    "a search with an output",
    "/search",
    {
      query: "how many chicks does a pair of barn owls raise",
      type: "deep",
      numResults: 1,
      outputSchema: { type: "text" },
    },
  ],
  ["a search without results", "/search", { query: "zeppelin", type: "keyword" }],
  ["similar pages", "/findSimilar", { url: "https://birds.example/owl", numResults: 1, excludeSourceDomain: true }],
  [
    "contents with statuses",
    "/contents",
    { urls: ["https://birds.example/owl", "https://birds.example/missing"], text: true, livecrawl: "never" },
  ],
  [
    "contents by ids, with tags",
    "/contents",
    { ids: ["https://birds.example/owl"], text: { includeHtmlTags: true }, maxAgeHours: -1 },
  ],
  ["no query", "/search", {}],
  ["an unknown type", "/search", { query: "owls", type: "psychic" }],
  ["too many results", "/search", { query: "owls", numResults: 101 }],
  ["a date that is none", "/search", { query: "owls", startPublishedDate: "yesterday" }],
  ["ids and urls", "/contents", { ids: ["https://a.example/"], urls: ["https://a.example/"] }],
  ["livecrawl and maxAgeHours", "/contents", { ids: ["https://a.example/"], livecrawl: "always", maxAgeHours: 1 }],
  ["not JSON", "/search", "{query"],
  ["no key", "/search", { query: "owls" }, { key: null }],
  ["an unknown key", "/search", { query: "owls" }, { key: "not-a-key" }],
  ["an unknown path", "/searches", { query: "owls" }],
];

/** What differs from one run or machine to the next: the request's own id, how long it took, a score's last digits. */
function withoutChance(body: string): string {
  return body
    .replaceAll(/"requestId":"[^"]*"/g, '"requestId":"*"')
    .replaceAll(/"searchTime":[\d.]+/g, '"searchTime":0')
    .replaceAll(/\b\d\.\d{7,}/g, (number) => Number(number).toFixed(6));
}

verifies(
  "promises:t26:golden-replies",
  "the search family replies with the very bytes it is known by",
  () =>
    withSearchApp(async (world) => {
      await world.add([
        { url: "https://birds.example/owl", html: HTML },
        {
          url: "https://other.example/voles",
          title: "Voles",
          text: "Voles dig runs in the grass. Owls and herons eat them.",
          publishedAt: new Date("2024-05-06T07:08:09Z"),
        },
      ]);
      const replies: string[] = [];
      for (const [name, path, body, options] of REQUESTS) {
        const reply = await world.call("POST", path, { body, ...options });
        const type = String(reply.headers["content-type"]);
        replies.push(`# ${name}\n${reply.statusCode} ${type}\n${withoutChance(reply.body)}\n`);
      }
      await expect(replies.join("\n")).toMatchFileSnapshot("../../../fixtures/golden-replies.txt");
    }),
  120_000,
);
