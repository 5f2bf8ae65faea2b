import { describe, expect, it } from "vitest";
import { guessLanguages } from "./guess-languages.ts";
import { intersectDomains, isDomainLike } from "./intersect-domains.ts";
import { stripRequest } from "./strip-request.ts";
import { MAX_QUERY_CHARACTERS, understandQuery } from "./understand-query.ts";

const now = new Date("2026-06-01T00:00:00Z");

describe("understandQuery", () => {
  it("reads the signs of a typed query", () => {
    expect(understandQuery('"hidden line" graphics -java site:acm.org -site:x.com title:survey', now)).toEqual({
      words: {
        text: "graphics",
        phrases: ["hidden line"],
        without: ["java"],
        inTitle: ["survey"],
        operator: "or",
        languages: ["en"],
      },
      meaning: "graphics hidden line survey",
      includeDomains: ["acm.org"],
      excludeDomains: ["x.com"],
      hasConditions: true,
      likedPhrases: [],
      wantsFresh: false,
      isShortened: false,
    });
  });

  it("takes quotes in a sentence for emphasis", () => {
    const read = understandQuery('Do "best hospitals" perform better for heart attacks?', now);
    expect([read.hasConditions, read.likedPhrases, read.words.phrases]).toEqual([false, ["best hospitals"], []]);
    expect(read.words.text).toContain("best hospitals");
  });

  it.each(["latest rust release", "election news", "best phones 2026", "neueste Nachrichten", "最新 スマホ 最新 情報"])(
    "sees that %s asks for what is new",
    (query) => expect(understandQuery(query, now).wantsFresh).toBe(true),
  );

  it.each(["history of rust", "phones of 2019", "newsletter software"])("sees no wish for news in %s", (query) =>
    expect(understandQuery(query, now).wantsFresh).toBe(false),
  );

  it("reads the beginning of a very long query and says so", () => {
    const read = understandQuery("word ".repeat(MAX_QUERY_CHARACTERS), now);
    expect([read.isShortened, read.meaning.length <= MAX_QUERY_CHARACTERS]).toEqual([true, true]);
  });

  it.each([
    "",
    " ",
    "-",
    '"',
    "site:",
    "site:???",
    "title:",
    "\u0000\u0007",
    "\ud800",
    "🦙",
    "((((",
    "-site:[",
    "*",
    "ـ",
  ])("takes %j without a complaint", (query) => expect(() => understandQuery(query, now)).not.toThrow());
});

describe("guessLanguages", () => {
  it.each([
    ["what is the capital of france", "en"],
    ["wie funktioniert die Wärmepumpe", "de"],
    ["comment faire du pain avec le levain", "fr"],
    ["cómo hacer pan con masa madre para una familia", "es"],
    ["как приготовить хлеб", "ru"],
    ["як приготувати хліб її", "uk"],
    ["hvordan lager jeg brød og hva koster det ikke", "no"],
    ["ekmek nasıl yapılır ve ne kadar", "tr"],
    ["rust ownership", "en"],
    ["كيف أصنع الخبز", "ar"],
  ])("takes %s for %s first", (query, language) => expect(guessLanguages(query)[0]).toBe(language));

  it("always allows for English", () => expect(guessLanguages("пример docker compose")).toContain("en"));
});

describe("stripRequest", () => {
  it.each([
    ["I am interested in articles on hidden-line algorithms", "hidden-line algorithms"],
    ["Can you please find me papers about graph coloring", "graph coloring"],
    ["What articles exist which deal with TSS?", "deal with TSS?"],
    ["information retrieval", "information retrieval"],
    ["python find element in list", "python find element in list"],
    ["please", "please"],
  ])("leaves of %s what it is about", (query, rest) => expect(stripRequest(query)).toBe(rest));
});

describe("intersectDomains", () => {
  it.each([
    [undefined, [], undefined],
    [["a.com"], undefined, ["a.com"]],
    [["a.com", "b.com"], ["docs.a.com"], ["docs.a.com"]],
    [["a.com/docs"], ["a.com"], ["a.com/docs"]],
    [["a.com"], ["b.com"], []],
    [["https://www.a.com/"], ["a.com"], ["https://www.a.com/"]],
    [["*.a.com"], ["x.a.com"], ["x.a.com"]],
  ])("of %j and %j leaves %j", (one, other, both) => expect(intersectDomains(one, other)).toEqual(both));

  it.each([
    ["example.com", true],
    ["*.example.com/docs", true],
    ["bücher.de", true],
    ["???", false],
    ["", false],
    ["[", false],
  ])("knows whether %j can be a domain", (entry, is) => expect(isDomainLike(entry)).toBe(is));
});
