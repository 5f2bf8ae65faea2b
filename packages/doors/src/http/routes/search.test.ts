import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withSearchApp, type GivenDocument, type SearchWorld } from "../../testing.ts";

const VOLCANO: GivenDocument = {
  url: "https://science.example.org/volcanoes",
  title: "Volcanoes",
  author: "Ada Stone",
  publishedAt: new Date("2025-05-01T10:00:00Z"),
  category: "publication",
  text:
    "Volcanoes erupt when magma rises to the surface. The lava then flows down the mountain. " +
    "Mount Etna erupted in 2021 and thousands of people watched. Ash fell on the villages below.",
};
const BREAD: GivenDocument = {
  url: "https://kitchen.example.com/recipes/bread",
  html:
    "<html><head><title>Bread at home</title></head><body><nav><a href='/about'>About the kitchen</a></nav><main>" +
    "<h1>Bread at home</h1><p>Bread is baked from flour, water and salt in a hot oven. The dough rises with " +
    "<a href='/yeast'>yeast</a> over night.</p><p>Serve it with butter while it is still warm.</p></main></body></html>",
};
const CAKE: GivenDocument = {
  url: "https://www.kitchen.example.com/recipes/cake",
  title: "Cake",
  publishedAt: new Date("2023-01-01T00:00:00Z"),
  text: "A cake is baked from flour, sugar and butter in an oven. It needs no yeast at all.",
};
const ALL = [VOLCANO, BREAD, CAKE];

/** The paths of the results, in order. */
async function find(world: SearchWorld, body: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const { status, body: reply } = await world.post("/search", body);
  expect([status, reply.error]).toEqual([200, undefined]);
  return reply.results.map(({ url }) => new URL(url).pathname);
}

describe("POST /search", () => {
  verifies(
    [
      "search:reply:request-id",
      "search:reply:resolved-search-type",
      "search:reply:id-is-url",
      "search:reply:title",
      "search:reply:published-date",
      "search:reply:author",
      "search:reply:score",
      "search:reply:only-asked-keys",
      "search:reply:documented-keys",
      "search:contents:absent",
      "search:output:absent-without-schema",
      "search:sparse:warning",
      "http:cost:preset-exa",
      "http:reply:request-id-in-body",
    ],
    "answers with facts alone, and only documented keys",
    () =>
      withSearchApp(async (world) => {
        await world.add(ALL);
        const { status, headers, body } = await world.post("/search", { query: "magma volcanoes", type: "keyword" });
        expect(status).toBe(200);
        const [{ score = -1, ...result } = { score: -1 }] = body.results;
        expect([score > 0, score <= 1]).toEqual([true, true]);
        expect({ ...body, results: [result], searchTime: Math.min(body.searchTime, 0) }).toEqual({
          requestId: headers["x-request-id"],
          resolvedSearchType: "keyword",
          results: [
            {
              id: VOLCANO.url,
              url: VOLCANO.url,
              title: "Volcanoes",
              publishedDate: "2025-05-01T10:00:00.000Z",
              author: "Ada Stone",
            },
          ],
          searchTime: 0,
          costDollars: { total: 0.007, search: { keyword: 0.007 } },
          warnings: [
            {
              code: "few_results",
              message: "the index has little about this (one page found); add pages with: quarry crawl URL",
            },
          ],
        });
      }),
  );

  verifies(
    ["search:contents:option", "contents:highlights:scores", "search:reply:highlight-scores", "contents:text:true"],
    "returns the contents that were asked for, and says where quotes stand only when asked",
    () =>
      withSearchApp(async (world) => {
        await world.add(ALL);
        const contents = { text: true, highlights: { numSentences: 1, highlightsPerUrl: 2 }, summary: true };
        const body = { query: "when did Etna erupt", numResults: 1, contents };
        const [result] = (await world.post("/search", body)).body.results;
        expect(Object.keys(result ?? {}).sort()).toEqual(
          [
            "author",
            "highlightScores",
            "highlights",
            "id",
            "publishedDate",
            "score",
            "summary",
            "text",
            "title",
            "url",
          ].sort(),
        );
        expect(result?.text).toBe(VOLCANO.text);
        expect(result?.highlights?.[0]).toBe("Mount Etna erupted in 2021 and thousands of people watched.");
        expect(result?.highlightScores).toHaveLength(result?.highlights?.length ?? -1);
        const shown = await world.post("/search", { ...body, quarry: { evidence: true } });
        const { quarry, highlights = [] } = shown.body.results[0] ?? {};
        const places = (quarry?.highlights ?? []).map(({ start, end }) => VOLCANO.text?.slice(start, end));
        expect(places).toEqual(highlights);
        expect((await world.call("GET", `/quarry/v1/snapshots/${quarry?.snapshotId ?? ""}`)).statusCode).toBe(200);
      }),
  );

  verifies(
    ["search:contents:legacy-top-level", "search:context:string", "contents:context:string"],
    "takes content options beside the query, as old clients send them, and gives the context",
    () =>
      withSearchApp(async (world) => {
        await world.add(ALL);
        const { body } = await world.post("/search", {
          query: "flour oven",
          type: "keyword",
          text: { maxCharacters: 20 },
          highlights: true,
          livecrawl: "never",
          context: { maxCharacters: 200 },
        });
        expect(body.results).toHaveLength(2);
        expect(body.results.every(({ text }) => (text ?? "").length <= 20)).toBe(true);
        expect(body.results[0]?.highlights?.length).toBeGreaterThan(0);
        expect(body.context).toContain(BREAD.url);
        expect(body.context?.length).toBeLessThanOrEqual(200);
      }),
  );

  verifies(
    [
      "search:domains:include-host",
      "search:domains:include-path",
      "search:domains:include-wildcard",
      "search:domains:exclude",
      "search:dates:published",
      "search:dates:undated-dropped",
      "search:dates:crawl",
      "search:text:include",
      "search:text:exclude",
      "search:num-results:range",
      "search:category:known",
      "search:category:legacy",
      "search:category:free-text",
    ],
    "filters by domain, date, text and category",
    () =>
      withSearchApp(async (world) => {
        await world.add(ALL);
        const query = "flour oven magma";
        const [volcano, bread, cake] = ["/volcanoes", "/recipes/bread", "/recipes/cake"];
        const found = async (filter: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
          [...(await find(world, { query, type: "keyword", ...filter }))].sort();
        expect(await found({})).toEqual([bread, cake, volcano]);
        expect(await found({ numResults: 1 })).toHaveLength(1);
        expect(await found({ includeDomains: ["example.com"] })).toEqual([bread, cake]);
        expect(await found({ includeDomains: ["kitchen.example.com/recipes/c"] })).toEqual([cake]);
        expect(await found({ includeDomains: ["*.example.org"] })).toEqual([volcano]);
        expect(await found({ excludeDomains: ["*.example.com", "nothing.org"] })).toEqual([volcano]);
        expect(await found({ startPublishedDate: "2024-01-01" })).toEqual([volcano]);
        expect(await found({ endPublishedDate: "2024-01-01T00:00:00.000Z" })).toEqual([cake]);
        expect(await found({ startCrawlDate: "2030-01-01" })).toEqual([]);
        expect(await found({ endCrawlDate: "2030-01-01" })).toEqual([bread, cake, volcano]);
        expect(await found({ includeText: ["no yeast at all"] })).toEqual([cake]);
        expect(await found({ excludeText: ["flour"] })).toEqual([volcano]);
        expect(await found({ category: "research paper" })).toEqual([volcano]);
        expect(await found({ category: "github" })).toEqual([]);
        expect(await found({ category: "culinary pleasures" })).toEqual([bread, cake, volcano]);
      }),
  );

  verifies(
    ["search:syntax:phrase", "search:syntax:minus", "search:syntax:site", "search:syntax:title"],
    "reads the signs of a query",
    () =>
      withSearchApp(async (world) => {
        await world.add(ALL);
        const found = (query: string): Promise<readonly string[]> => find(world, { query, type: "keyword" });
        expect(await found('"flour, water" oven')).toEqual(["/recipes/bread"]);
        expect(await found("flour -sugar")).toEqual(["/recipes/bread"]);
        expect(await found("erupt flour site:science.example.org")).toEqual(["/volcanoes"]);
        expect(await found("title:cake")).toEqual(["/recipes/cake"]);
      }),
  );

  verifies(
    [
      "search:type:instant",
      "search:type:hybrid",
      "search:type:deep-lite",
      "search:type:deep-reasoning",
      "search:type:deep-max",
      "search:type:lite",
      "search:type:magic",
      "search:location:country",
      "search:location:object",
      "search:ignored:flags",
      "search:ignored:objective",
      "search:compliance:hipaa",
    ],
    "runs every type that clients have sent, and takes what has no effect here",
    () =>
      withSearchApp(async (world) => {
        await world.add([VOLCANO]);
        const PLANS = [
          ["keyword", "keyword"],
          ["neural", "neural"],
          ["fast", "fast"],
          ["instant", "fast"],
          ["lite", "fast"],
          ["auto", "auto"],
          ["hybrid", "auto"],
          ["magic", "auto"],
          ["deep", "deep"],
          ["deep-lite", "deep"],
          ["deep-reasoning", "deep"],
          ["deep-max", "deep"],
          [null, "auto"],
        ] as const;
        for (const [type, plan] of PLANS) {
          const { status, body } = await world.post("/search", {
            ...{ query: "magma", type, additionalQueries: ["lava"], objective: "learn", compliance: "hipaa" },
            ...{ flags: ["x"], useAutoprompt: true, effort: "max", somethingNew: { deep: [1] } },
            userLocation: type === "keyword" ? { latitude: 48.2, longitude: 16.4 } : "AT",
          });
          expect([type, status, body.resolvedSearchType, body.results.length]).toEqual([type, 200, plan, 1]);
        }
      }),
  );

  verifies("search:reply:image-and-favicon", "shows a page's picture and icon where it has them", () =>
    withSearchApp(async (world) => {
      const head = '<title>Owls</title><meta property="og:image" content="/owl.png"><link rel="icon" href="/icon.svg">';
      await world.add([
        {
          url: "https://o.example/owls",
          html: `<html><head>${head}</head><body><p>Owls hunt at night, all over the world.</p></body></html>`,
        },
      ]);
      const { body } = await world.post("/search", { query: "owls", type: "keyword" });
      expect(body.results[0]).toMatchObject({
        image: "https://o.example/owl.png",
        favicon: "https://o.example/icon.svg",
      });
    }),
  );

  verifies("search:moderation:filters", "leaves unsafe pages out when asked to", () =>
    withSearchApp(async (world) => {
      const unsafe = {
        url: "https://x.example/1",
        title: "XXX porn videos of baking",
        text: "Hot porn videos with flour.",
      };
      await world.add([CAKE, unsafe]);
      expect(await find(world, { query: "flour", type: "keyword" })).toHaveLength(2);
      expect(await find(world, { query: "flour", type: "keyword", moderation: true })).toEqual(["/recipes/cake"]);
    }),
  );

  verifies("search:reply:auto-date", "says which date it read out of the query, and prefers pages since then", () =>
    withSearchApp(async (world) => {
      await world.add([
        CAKE,
        {
          ...CAKE,
          url: "https://new.example/cake",
          text: "A newer cake of flour.",
          publishedAt: new Date("2026-01-05"),
        },
      ]);
      const { body } = await world.post("/search", { query: "cake of flour since 2025", type: "keyword" });
      expect([body.autoDate, body.results.map(({ url }) => url)]).toEqual([
        "2025-01-01T00:00:00.000Z",
        ["https://new.example/cake", CAKE.url],
      ]);
      expect((await world.post("/search", { query: "cake", type: "keyword" })).body).not.toHaveProperty("autoDate");
    }),
  );

  verifies("search:reply:entities", "carries what the page says of the company it is about", () =>
    withSearchApp(async (world) => {
      const data = { "@type": "Organization", name: "Acme", foundingDate: "1999-04-01", numberOfEmployees: 12 };
      const html = `<html><head><title>Acme</title><script type="application/ld+json">${JSON.stringify(data)}</script></head><body><p>Acme makes anvils for coyotes and other customers.</p></body></html>`;
      await world.add([{ url: "https://acme.example/", html, category: "company" }]);
      const { body } = await world.post("/search", { query: "anvils", type: "keyword", category: "company" });
      expect(body.results[0]?.entities).toMatchObject([
        { type: "company", version: 1, properties: { name: "Acme", foundedYear: 1999, workforce: { total: 12 } } },
      ]);
      const plain = await world.post("/search", { query: "anvils", type: "keyword" });
      expect(plain.body.results[0]).not.toHaveProperty("entities");
    }),
  );

  it("answers a highlight query of its own whatever was searched, as /contents does", () =>
    withSearchApp(async (world) => {
      const owls = Array.from({ length: 40 }, (_, place) => `Owls hunt at night in forest ${place} with care.`);
      const bread = Array.from({ length: 40 }, (_, place) => `Ovens in town ${place} are hot and made of brick.`);
      const answer = "The baker opens his shop at seven in the morning.";
      await world.add([{ url: "https://e.org/both", title: "Both", text: [...owls, answer, ...bread].join(" ") }]);
      const highlights = { query: "when does the baker open his shop", numSentences: 1, highlightsPerUrl: 1 };
      const searched = await world.post("/search", {
        ...{ query: "owls hunt at night", type: "neural", numResults: 1 },
        contents: { highlights },
      });
      const read = await world.post("/contents", { urls: ["https://e.org/both"], highlights });
      const shown = [searched, read].map(({ body }) => [body.results[0]?.highlights, body.results[0]?.highlightScores]);
      expect(shown[0]).toEqual(shown[1]);
      expect(shown[0]?.[0]).toEqual([answer]);
    }));
});
