import { AppError, sleep } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { expect, vi } from "vitest";
import { withSearchApp } from "../../testing.ts";

const q = { query: "owls", type: "keyword" };
const domains = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `d${index}.example`);

/** Each with the answer it gets: status, and the tag of an error. */
const TABLE: readonly (readonly [string, unknown, number, string?])[] = [
  ["an empty query", { query: "" }, 400, "INVALID_REQUEST_BODY"],
  ["a query of spaces", { query: "  \n" }, 400, "INVALID_REQUEST_BODY"],
  ["no query", {}, 400, "INVALID_REQUEST_BODY"],
  ["a query of null", { query: null }, 400, "INVALID_REQUEST_BODY"],
  ["a number for a query", { query: 7 }, 400, "INVALID_REQUEST_BODY"],
  ["a list for a body", [q], 400, "INVALID_REQUEST_BODY"],
  ["a query of a megabyte", { query: "x".repeat(1_000_000) }, 400, "INVALID_REQUEST_BODY"],
  ["a query of the longest length", { ...q, query: "owl ".repeat(5_000) }, 200],
  ["control characters", { ...q, query: "\u0000\u0001 owls \u007f\u0085\u202e" }, 200],
  ["half a character", { ...q, query: "owls \ud800" }, 200],
  ["signs alone", { ...q, query: '-- "" site: title: ***' }, 200],
  ["numResults 0", { ...q, numResults: 0 }, 400, "INVALID_NUM_RESULTS"],
  ["numResults -1", { ...q, numResults: -1 }, 400, "INVALID_NUM_RESULTS"],
  ["numResults 101", { ...q, numResults: 101 }, 400, "NUM_RESULTS_EXCEEDED"],
  [
    "numResults 101 with highlights",
    { ...q, numResults: 101, contents: { highlights: true } },
    400,
    "INVALID_NUM_RESULTS",
  ],
  ["numResults 1.5", { ...q, numResults: 1.5 }, 400, "INVALID_REQUEST_BODY"],
  ["numResults as text", { ...q, numResults: "5" }, 400, "INVALID_REQUEST_BODY"],
  ["numResults 100", { ...q, numResults: 100 }, 200],
  ["an unknown type", { ...q, type: "telepathy" }, 400, "INVALID_REQUEST_BODY"],
  ["contents false", { ...q, contents: false }, 400, "INVALID_REQUEST_BODY"],
  ["livecrawl with maxAgeHours", { ...q, contents: { livecrawl: "never", maxAgeHours: 1 } }, 400, "INVALID_REQUEST"],
  ["livecrawl beside maxAgeHours", { ...q, livecrawl: "never", contents: { maxAgeHours: 1 } }, 400, "INVALID_REQUEST"],
  ["1,200 domains", { ...q, includeDomains: domains(1_200) }, 200],
  ["1,201 domains", { ...q, includeDomains: domains(1_201) }, 400, "INVALID_REQUEST_BODY"],
  ["1,201 domains to leave out", { ...q, excludeDomains: domains(1_201) }, 400, "INVALID_REQUEST_BODY"],
  ["a domain that is none", { ...q, includeDomains: ["not a domain"] }, 400],
  ["a date that is none", { ...q, startPublishedDate: "soon" }, 400, "INVALID_REQUEST_BODY"],
  ["a day that is none", { ...q, endCrawlDate: "2026-13-01" }, 400, "INVALID_REQUEST_BODY"],
  ["two phrases", { ...q, includeText: ["one", "two"] }, 400, "INVALID_REQUEST_BODY"],
  ["a phrase of six words", { ...q, excludeText: ["a b c d e f"] }, 400, "INVALID_REQUEST_BODY"],
  [
    "eleven other queries",
    { ...q, additionalQueries: Array.from({ length: 11 }, () => "q") },
    400,
    "INVALID_REQUEST_BODY",
  ],
  ["company with a date", { ...q, category: "company", startPublishedDate: "2025-01-01" }, 400, "INVALID_REQUEST"],
  ["company with a phrase", { ...q, category: "company", includeText: ["x"] }, 400, "INVALID_REQUEST"],
  [
    "company with empty lists",
    { ...q, category: "company", includeText: [], excludeText: [], excludeDomains: [] },
    200,
  ],
  ["people with empty lists", { ...q, category: "people", includeText: [], excludeDomains: [] }, 200],
  ["a date without a zone", { ...q, startPublishedDate: "2025-01-01T00:00:00" }, 200],
  ["company without a domain", { ...q, category: "company", excludeDomains: ["x.org"] }, 200],
  ["people without a domain", { ...q, category: "people", excludeDomains: ["x.org"] }, 400, "INVALID_REQUEST"],
  ["people of LinkedIn", { ...q, category: "people", includeDomains: ["www.linkedin.com/in"] }, 200],
  ["people of elsewhere", { ...q, category: "people", includeDomains: ["notlinkedin.com"] }, 400, "INVALID_REQUEST"],
  ["101 subpages", { ...q, numResults: 10, contents: { text: true, subpages: 11 } }, 400, "SUBPAGES_LIMIT_EXCEEDED"],
  ["a body cut short", '{"query": "ow', 400, "INVALID_REQUEST_BODY"],
  ["null everywhere", { ...q, numResults: null, contents: null, includeDomains: null, text: null, stream: null }, 200],
];

verifies(
  [
    "search:bad-input:table",
    "search:query:required",
    "search:type:unknown",
    "search:num-results:out-of-range",
    "search:domains:limit-1200",
    "search:dates:invalid",
    "search:text:limits",
    "search:contents:false-refused",
    "search:additional-queries:limit",
    "search:category:company-limits",
    "search:category:people-limits",
    "search:category:people-linkedin",
  ],
  "gives every wrong request the answer that is specified for it",
  () =>
    withSearchApp(async (world) => {
      for (const [name, body, status, tag] of TABLE) {
        const reply = await world.post("/search", body);
        expect([name, reply.status, tag === undefined ? undefined : reply.body.tag]).toEqual([name, status, tag]);
        if (status !== 400) continue;
        expect([name, typeof reply.body.error, /\.ts:\d|node_modules/.test(reply.body.error)]).toEqual([
          name,
          "string",
          false,
        ]);
      }
      const { body } = await world.post("/search", { ...q, type: "telepathy" });
      expect(body.error).toContain('"auto", "fast", "instant"');
    }),
  40_000,
);

verifies("search:bad-input:every-script", "answers queries of every script", () =>
  withSearchApp(async (world) => {
    const scripts = [
      "Füße",
      "сова",
      "κουκουβάγια",
      "بومة",
      "ינשוף",
      "フクロウ",
      "猫头鹰",
      "부엉이",
      "नकाबपोश उल्लू",
      "นกฮูก",
      "ბუ",
      "🦉🌙",
      "ខ្ទីទុយ",
      "ဇီးကွက်",
    ];
    await world.add(
      scripts.map((word, index) => ({ url: `https://w.example/${index}`, text: `A page about ${word} and more.` })),
    );
    for (const [index, query] of scripts.entries()) {
      const { status, body } = await world.post("/search", { query, type: index % 2 === 0 ? "keyword" : "auto" });
      expect([query, status]).toEqual([query, 200]);
      if (!/\p{Emoji_Presentation}/u.test(query)) expect(body.results[0]?.url).toBe(`https://w.example/${index}`);
    }
  }),
);

verifies(
  "search:starting:neural-503",
  "answers 503 with Retry-After until vectors are there; other plans go by words",
  () =>
    withSearchApp(
      async (world) => {
        await world.add([{ url: "https://e.org/", text: "Owls hunt at night." }]);
        const neural = await world.post("/search", { query: "owls", type: "neural" });
        expect([neural.status, neural.body.tag, neural.headers["retry-after"]]).toEqual([
          503,
          "SERVICE_OVERLOADED",
          "2",
        ]);
        const auto = await world.post("/search", { query: "owls" });
        expect([auto.status, auto.body.results.length]).toEqual([200, 1]);
        expect(auto.body.warnings?.map(({ code }) => code)).toContain("vectors_not_ready");
      },
      {
        change: () => ({
          embedQuery: () =>
            Promise.reject(
              new AppError("unavailable", "the model is loading", { retryable: true, retryAfterMs: 2_000 }),
            ),
        }),
      },
    ),
);

verifies(
  ["search:overload:answers-quickly", "http:errors:overload-tag"],
  "refuses what is too much at once, quickly, and recovers",
  () =>
    withSearchApp(
      async (world) => {
        await world.add([{ url: "https://e.org/", text: "Owls hunt at night." }]);
        const began = performance.now();
        const replies = await Promise.all(
          Array.from({ length: 30 }, async () => {
            const reply = await world.post("/search", { query: "owls", type: "neural" });
            return { ...reply, ms: performance.now() - began };
          }),
        );
        const refused = replies.filter(({ status }) => status === 503);
        expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
        expect(refused.length).toBeGreaterThan(10);
        expect(refused[0]?.headers["retry-after"]).toBe("1");
        expect(refused[0]?.body.tag).toBe("SERVICE_OVERLOADED");
        expect(Math.min(...refused.map(({ ms }) => ms))).toBeLessThan(1_000);
        expect((await world.post("/search", { query: "owls", type: "neural" })).status).toBe(200);
      },
      {
        limits: { search: { maxRunning: 2, maxWaiting: 4, maxWaitMs: 30_000 } },
        change: ({ embedQuery }) => ({
          embedQuery: async (text) => {
            await sleep(100);
            return embedQuery(text);
          },
        }),
      },
    ),
);

verifies("search:overload:answers-quickly", "goes on searching while other searches wait for slow servers", () => {
  const waiting = new Set<string>();
  const end = settled();
  return withSearchApp(
    async (world) => {
      await world.add([{ url: "https://e.org/", text: "Owls hunt at night." }]);
      const live = { ...q, contents: { text: true, livecrawl: "always" } };
      const slow = [
        world.post("/search", live),
        world.post("/findSimilar", { url: "https://slow.example/owls" }),
        world.post("/search", { ...q, query: "owl", numResults: 7 }),
      ];
      await vi.waitFor(() =>
        expect([...waiting].sort()).toEqual(["https://e.org/", "https://slow.example/owls", "owl"]),
      );
      expect((await world.post("/search", { ...q, compliance: "hipaa" })).status).toBe(200); // asks nobody else
      expect((await world.post("/contents", { urls: ["https://e.org/"] })).status).toBe(503);
      end.resolve(true);
      expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 422, 200]);
    },
    {
      limits: {
        search: { maxRunning: 1, maxWaiting: 4, maxWaitMs: 2_000 },
        contents: { maxRunning: 3, maxWaiting: 0, maxWaitMs: 100 },
      },
      change: () => ({
        fetchLive: async ({ url }) => {
          waiting.add(url);
          await end.promise;
          return { kind: "failed", tag: "CRAWL_TIMEOUT", httpStatusCode: 408 };
        },
        fillIn: async ({ query }, found) => {
          if (query !== "owl") return found;
          waiting.add(query);
          await end.promise;
          return found;
        },
      }),
    },
  );
});

verifies("search:stream:disconnect", "a client that leaves stops the work", () =>
  withSearchApp(
    async (world) => {
      await world.app.listen({ host: "127.0.0.1", port: 0 });
      const address = world.app.server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const leave = new AbortController();
      const sent = fetch(`http://127.0.0.1:${port}/search`, {
        method: "POST",
        headers: { "x-api-key": world.key, "content-type": "application/json" },
        body: JSON.stringify({ query: "owls", type: "neural" }),
        signal: leave.signal,
      }).catch(() => undefined);
      await began.promise;
      leave.abort();
      await sent;
      expect(await stopped.promise).toBe(true);
    },
    {
      change: () => ({
        embedQuery: (_text, signal) =>
          new Promise((_resolve, reject) => {
            began.resolve(true);
            signal?.addEventListener("abort", () => {
              stopped.resolve(true);
              reject(new Error("stopped"));
            });
          }),
      }),
    },
  ),
);

interface Settled {
  readonly promise: Promise<boolean>;
  readonly resolve: (value: boolean) => void;
}

function settled(): Settled {
  let resolve: (value: boolean) => void = () => undefined;
  const promise = new Promise<boolean>((end) => (resolve = end));
  return { promise, resolve };
}
const [began, stopped] = [settled(), settled()];
