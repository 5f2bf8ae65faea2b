import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWordQuery } from "../query/parse-word-query.ts";
import type { WordQuery } from "../query/word-query.ts";
import type { SearchIndex } from "../search-index.ts";
import { makePage, openTestIndex } from "../testing.ts";

const team = { teamIds: ["team"] };
const name = (url: string): string => new URL(url).pathname.slice(1);

/** Pages named by their path. */
async function indexOf(pages: Readonly<Record<string, Parameters<typeof makePage>[0]>>): Promise<SearchIndex> {
  const index = await openTestIndex();
  await index.addPages(
    Object.entries(pages).map(([path, page]) => makePage({ url: `https://site.example/${path}`, ...page })),
  );
  return index;
}

async function find(index: SearchIndex, query: string | WordQuery): Promise<readonly string[]> {
  const asked = typeof query === "string" ? parseWordQuery(query).query : query;
  return (await index.findByWords(asked, team, { limit: 20 })).map(({ url }) => name(url));
}

/** The same in memory and after the engine has taken over. */
async function inBothStates(index: SearchIndex, check: () => Promise<void>): Promise<void> {
  await check();
  await index.optimize({ full: true });
  expect((await index.stats()).unindexedPages).toBe(0);
  await check();
}

describe("findByWords", () => {
  verifies("index:words:fields", "ranks by where a word stands: title, headings, address, body", async () => {
    const filler = "some other words that are here for the length of it";
    const index = await indexOf({
      a: { title: "Quartz", text: filler },
      b: { headings: ["Quartz"], text: filler },
      quartz: { text: filler },
      d: { text: `${filler} quartz` },
      e: { text: filler },
    });
    await inBothStates(index, async () => {
      expect((await find(index, "quartz"))[0]).toBe("a");
      expect((await find(index, "quartz")).slice(1, 3).sort()).toEqual(["b", "quartz"]);
      expect((await find(index, "quartz")).slice(3)).toEqual(["d"]);
      const hits = await index.findByWords({ text: "quartz" }, team, { limit: 5, explain: true });
      for (const { url, score, explanation } of hits) {
        const field = { a: "title", b: "headings", quartz: "place", d: "body" }[name(url)];
        const parts = Object.entries(explanation?.fields ?? {}).filter(([, share]) => share > 0);
        expect(parts).toEqual([[field, expect.closeTo(score, 5)]]);
        expect(explanation?.words.map(({ token }) => token)).toEqual(["quartz"]);
      }
    });
  });

  verifies("index:words:phrases", "finds phrases in order, stop words and all, within one field", async () => {
    const index = await indexOf({
      a: { text: "To be or not to be, that is the question." },
      b: { text: "Not being the question is to be or that." },
      c: { title: "ends with be", headings: ["or not"], text: "to nothing" },
      d: { text: "A state-of-the-art engine" },
    });
    await inBothStates(index, async () => {
      expect(await find(index, '"to be or not to be"')).toEqual(["a"]);
      expect(await find(index, '"be or not"')).toEqual(["a"]);
      expect(await find(index, '"state of the art"')).toEqual(["d"]);
      expect(await find(index, '"state-of-the-art engines"')).toEqual(["d"]);
      expect(await find(index, '"question that"')).toEqual([]);
      expect(await find(index, "to be or not to be")).toContain("a");
    });
  });

  verifies("index:words:stemming", "stems by the language of the page, and of the query", async () => {
    const index = await indexOf({
      en: { text: "She runs marathons" },
      de: { text: "Alte Häuser und Bücher", language: "de" },
      fr: { text: "Les chanteuses nationales", language: "fr" },
    });
    await inBothStates(index, async () => {
      expect(await find(index, "running marathon")).toEqual(["en"]);
      expect(await find(index, { text: "Haus Buch", languages: ["de"] })).toEqual(["de"]);
      expect(await find(index, { text: "chanteuse", languages: ["en", "fr"] })).toEqual(["fr"]);
      expect(await find(index, { text: "runs", languages: ["de", "en"] })).toEqual(["en"]);
      expect(await find(index, { text: "", phrases: ["alte Häuser"], languages: ["en", "de"] })).toEqual(["de"]);
    });
  });

  it("leaves out, insists, and looks into titles", async () => {
    const index = await indexOf({
      a: { title: "Apple pie", text: "apple cinnamon dough" },
      b: { title: "Pear pie", text: "apple and pear dough" },
      c: { title: "Bread", text: "flour dough" },
    });
    await inBothStates(index, async () => {
      expect(await find(index, "apple -pear")).toEqual(["a"]);
      expect(await find(index, 'dough -"pear dough"')).toEqual(["c", "a"]);
      expect((await find(index, "-apple")).toSorted()).toEqual(["c"]);
      expect(await find(index, "apple AND pear")).toEqual(["b"]);
      expect(await find(index, { text: "apple doughs", operator: "and" })).toHaveLength(2);
      expect(await find(index, "title:apple")).toEqual(["a"]);
      expect(await find(index, 'title:"pear pie" dough')).toEqual(["b"]);
      expect(await find(index, "dough title:pie -title")).toHaveLength(2);
      expect((await find(index, "dough -title:apple")).toSorted()).toEqual(["b", "c"]);
      expect(await find(index, 'dough -title:"apple pie" -flour')).toEqual(["b"]);
      expect(await find(index, "-title:pie")).toEqual(["c"]);
      expect(await find(index, { text: "zebra apple", operator: "and" })).toEqual([]);
      expect(await find(index, "?!")).toEqual([]);
    });
  });

  it.each([
    ['"apple pie", dough', ["apple pie"], "dough"],
    ["„apple pie“ dough", ["apple pie"], "dough"],
    ["« apple pie » dough", [" apple pie "], "dough"],
    ["»apple pie« dough", ["apple pie"], "dough"],
    ["「りんご」 『パイ』 生地", ["りんご", "パイ"], "生地"],
    ["＂apple pie＂。", ["apple pie"], ""],
    ["‘apple pie’ dough", ["apple pie"], "dough"],
    ["‘don’t bake’, dough", ["don’t bake"], "dough"],
    ["‚apple pie‘ dough", ["apple pie"], "dough"],
    ["‹apple pie› ›dough pie‹ »thin dough»", ["apple pie", "dough pie", "thin dough"], ""],
    ["《红楼梦》 作者", ["红楼梦"], "作者"],
    ["rock ‘n’ roll of the ‘90s dogs’ toys", [], "rock ‘n’ roll of the ‘90s dogs’ toys"],
    ["don’t ‘ownership’ (apple f(x)", [], "don’t ‘ownership’ (apple f(x)"],
    ["「りんご」の生地", [], "「りんご」の生地"],
    ['5" disk 3" disk', [], '5" disk 3" disk'],
    ['"apple"pie', [], '"apple"pie'],
  ])("reads %s", (typed, phrases, text) => {
    expect(parseWordQuery(typed).query).toMatchObject({ phrases, text });
    expect(parseWordQuery(`dough -${typed}`).query.without).toHaveLength(1);
  });

  it("reads phrases in brackets", () =>
    expect(parseWordQuery('("apple pie" OR [“thin dough”]) -("x" f("y z")').query).toMatchObject({
      phrases: ["apple pie", "thin dough"],
      without: [],
      text: '-("x" f("y z")',
    }));

  it("finds words of any script in the engine too", async () => {
    const texts = [
      "東京都庁の展望台",
      "กรุงเทพมหานคร",
      "Санкт-Петербург зимой",
      "بيت جميل",
      "नई दिल्ली",
      "서울특별시에서",
      "ἄνθρωπος",
      "ᎠᏂᏴᏫᏯ",
    ];
    const queries = ["展望", "เทพ", "петербурга", "جميل", "दिल्ली", "서울", "ανθρωπος", "ᎠᏂᏴᏫᏯ"];
    const index = await indexOf(
      Object.fromEntries(texts.map((text, number) => [String(number), { text, language: null }])),
    );
    await inBothStates(index, async () => {
      for (const [number, query] of queries.entries()) {
        expect([query, await find(index, { text: query, languages: ["ru"] })]).toEqual([query, [String(number)]]);
      }
    });
  });

  it("survives queries made of anything", async () => {
    const index = await indexOf({ a: { text: "apple" } });
    await index.optimize({ full: true });
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            "apple",
            '"',
            "-",
            "title:",
            "site:",
            "*",
            "\\",
            "'",
            "(",
            "AND",
            "OR",
            "|",
            "~2",
            "^3",
            "\u0000",
          ),
          { maxLength: 12 },
        )
        .map((parts) => parts.join(" ")),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        expect(Array.isArray(await find(index, text))).toBe(true);
      }),
      { numRuns: 150 },
    );
    await expect(find(index, { text: "x".repeat(30_000) })).rejects.toThrow("at most 20000 characters");
  });

  it("scores in memory as the engine does", async () => {
    const word = fc.constantFrom(..."ant bee cat dog eel fox gnu hen owl pig rat yak".split(" "));
    const page = fc.record({ title: fc.array(word, { maxLength: 3 }), text: fc.array(word, { maxLength: 30 }) });
    const pages = fc.sample(page, 120);
    const queries = fc.sample(fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), 20);
    const index = await indexOf(
      Object.fromEntries(
        pages.map(({ title, text }, number) => [`x${number}`, { title: title.join(" "), text: text.join(" ") }]),
      ),
    );
    const scores = async (): Promise<readonly (readonly number[])[]> =>
      Promise.all(
        queries.map(async (words) =>
          (await index.findByWords({ text: words.join(" ") }, team, { limit: 200 })).map(
            ({ score }) => Math.round(score * 1e4) / 1e4,
          ),
        ),
      );
    const inMemory = await scores();
    await index.optimize({ full: true });
    const inEngine = await scores();
    for (const [number, expected] of inMemory.entries()) {
      const actual = inEngine[number] ?? [];
      expect(actual).toHaveLength(expected.length);
      for (const [rank, score] of expected.entries()) expect(actual[rank]).toBeCloseTo(score, 3);
    }
  });

  it("keeps teams apart in tables of one team, before and after another's pages join them", async () => {
    const index = await indexOf({ own: { text: "quartz" } });
    const asTeam = async (...teamIds: readonly string[]): Promise<readonly string[]> =>
      (await index.findByWords({ text: "quartz" }, { teamIds }, { limit: 9 })).map(({ url }) => name(url)).sort();
    await index.optimize({ full: true });
    expect([await asTeam("team"), await asTeam("other"), await asTeam("other", "team")]).toEqual([
      ["own"],
      [],
      ["own"],
    ]);
    await index.addPages([makePage({ teamId: "other", url: "https://site.example/theirs", text: "quartz" })]);
    expect([await asTeam("team"), await asTeam("other")]).toEqual([["own"], ["theirs"]]);
    await index.optimize({ full: true });
    expect([await asTeam("team"), await asTeam("other")]).toEqual([["own"], ["theirs"]]);
    expect(await asTeam("other", "team")).toEqual(["own", "theirs"]);
  });
});
