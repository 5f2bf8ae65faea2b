import { pageWith } from "@quarry/ingest/testing";
import { SHARED_TEAM } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withSearchApp, type GivenDocument } from "../../testing.ts";

const page = (url: string, text: string, more: Partial<GivenDocument> = {}): GivenDocument => ({ url, text, ...more });
const ETNA = page("https://a.example/etna", "Mount Etna is a volcano in Sicily whose lava flows to the sea.");
const FUJI = page("https://a.example/fuji", "Mount Fuji is a volcano in Japan that last sent lava in 1707.", {
  publishedAt: new Date("2024-01-01"),
});
const HEKLA = page("https://b.example/hekla", "Hekla is a volcano in Iceland with much lava and ash.");
const SOUP = page("https://c.example/soup", "Onion soup is cooked slowly with butter and white wine.");

describe("POST /findSimilar", () => {
  verifies(
    [
      "findsimilar:url:known",
      "findsimilar:url:itself-left-out",
      "findsimilar:exclude-source-domain:honoured",
      "findsimilar:filters:same-as-search",
      "findsimilar:contents:same-as-search",
      "findsimilar:reply:no-output",
      "findsimilar:url:required",
    ],
    "finds pages like a stored one, under the filters of a search",
    () =>
      withSearchApp(async (world) => {
        await world.add([ETNA, FUJI, HEKLA, SOUP]);
        const find = async (options: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
          const { status, body } = await world.post("/findSimilar", { url: ETNA.url, ...options });
          expect([status, body.error, "output" in body]).toEqual([200, undefined, false]);
          return body.results.map(({ url }) => url);
        };
        const all = await find({});
        expect(all).not.toContain(ETNA.url);
        expect([...all.slice(0, 2)].sort()).toEqual([FUJI.url, HEKLA.url]);
        expect(await find({ numResults: 1 })).toHaveLength(1);
        expect((await find({ excludeSourceDomain: true }))[0]).toBe(HEKLA.url);
        expect(await find({ excludeSourceDomain: true })).not.toContain(FUJI.url);
        expect(await find({ includeDomains: ["a.example"] })).toEqual([FUJI.url]);
        expect(await find({ startPublishedDate: "2023-01-01" })).toEqual([FUJI.url]);
        expect(await find({ includeText: ["Iceland"] })).toEqual([HEKLA.url]);
        const { body } = await world.post("/findSimilar", { url: ETNA.url, contents: { text: true }, numResults: 1 });
        expect([FUJI.text, HEKLA.text]).toContain(body.results[0]?.text);
        for (const url of ["ab", "", null, "not a page"]) {
          expect((await world.post("/findSimilar", { url })).status).toBe(400);
        }
      }),
  );

  verifies(
    "findsimilar:url:unknown-fetched",
    "fetches a page that is not stored, keeps it, and says when it cannot",
    () =>
      withSearchApp(
        async (world) => {
          await world.add([HEKLA, SOUP]);
          const first = await world.post("/findSimilar", { url: "https://new.example/volcano", numResults: 1 });
          expect(first.body.results.map(({ url }) => url)).toEqual([HEKLA.url]);
          await world.post("/findSimilar", { url: "https://new.example/volcano" });
          expect(world.asked).toEqual(["https://new.example/volcano"]);
          const { status, body } = await world.post("/findSimilar", { url: "https://new.example/missing" });
          expect([status, body.tag]).toEqual([422, "CRAWL_NOT_FOUND"]);
        },
        { web: (url) => (url.endsWith("/volcano") ? pageWith("A volcano with lava and ash in Iceland") : undefined) },
      ),
  );
});

verifies(
  [
    "security:teams:no-leak-search",
    "contents:teams:no-leak",
    "search:explain:own-team",
    "index:teams:same-url-twice",
    "index:teams:shared",
    "search:explain:why-ranked",
  ],
  "no door shows one team what another has",
  () =>
    withSearchApp(async (world) => {
      const otherTeam = await world.makeTeam();
      const { secret } = await world.makeKey({ teamId: otherTeam });
      const secretPage = page("https://a.example/secret", "The volcano secret of the other team is buried lava.");
      await world.add([ETNA]);
      await world.add([secretPage, { ...ETNA, text: "Their own words about the volcano Etna and lava." }], otherTeam);
      await world.add([SOUP, page("https://s.example/shared", "A shared volcano page about lava.")], SHARED_TEAM);
      const ours = { key: world.key };
      const theirs = { key: secret };
      const contents = { text: true, highlights: true, summary: true, context: true };
      for (const type of ["keyword", "neural", "fast", "auto", "deep"]) {
        const body = { query: "volcano secret lava", type, contents, numResults: 50 };
        const mine = await world.post("/search", body, ours);
        expect(mine.body.results.map(({ url }) => url)).toContain("https://s.example/shared");
        expect(JSON.stringify(mine.body)).not.toMatch(/buried|Their own words|a\.example\/secret/);
        const their = await world.post("/search", body, theirs);
        expect(their.body.results.map(({ url }) => url)).toContain(secretPage.url);
        expect(their.body.results.find(({ url }) => url === ETNA.url)?.text).toMatch(/^Their own words/);
      }
      const similar = await world.post("/findSimilar", { url: ETNA.url, contents, numResults: 50 }, ours);
      expect(JSON.stringify(similar.body)).not.toMatch(/buried|a\.example\/secret/);
      const read = { urls: [secretPage.url, ETNA.url], livecrawl: "never", text: true };
      const mine = await world.post("/contents", read, ours);
      expect(mine.body.statuses.map(({ status }) => status)).toEqual(["error", "success"]);
      expect(mine.body.results.map(({ text }) => text)).toEqual([ETNA.text]);
      const explained = await world.post("/quarry/v1/explain", { query: "volcano secret lava", numResults: 50 }, ours);
      expect(explained.body.results.length).toBeGreaterThan(1);
      expect(JSON.stringify(explained.body)).not.toContain("a.example/secret");
      const asked = await world.post("/quarry/v1/explain", { query: "secret", url: secretPage.url }, ours);
      expect(asked.body.results).toEqual([]);
      expect(explained.body.results[0]).toMatchObject({ rank: 1, sentence: expect.stringMatching(/\w+/) as string });
      const evidence = await world.post(
        "/search",
        { query: "secret", type: "keyword", quarry: { evidence: true } },
        theirs,
      );
      const snapshot = `/quarry/v1/snapshots/${evidence.body.results[0]?.quarry?.snapshotId ?? ""}`;
      expect((await world.call("GET", snapshot, theirs)).statusCode).toBe(200);
      expect((await world.call("GET", snapshot, ours)).statusCode).toBe(404);
    }),
  40_000,
);
