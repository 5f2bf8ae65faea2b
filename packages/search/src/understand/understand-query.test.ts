import { describe, expect, it } from "vitest";
import { guessLanguages } from "./guess-languages.ts";
import { intersectDomains, isDomainLike } from "./intersect-domains.ts";
import { stripRequest } from "./strip-request.ts";
import { MAX_QUERY_CHARACTERS, understandQuery } from "./understand-query.ts";

const now = new Date("2026-06-01T00:00:00Z");

describe("understandQuery", () => {
  it("reads the signs of a typed query", () => {
    expect(
      understandQuery('"hidden line" graphics -java site:acm.org -site:x.com title:survey -title:draft', now),
    ).toEqual({
      words: {
        text: "graphics",
        phrases: ["hidden line"],
        without: ["java"],
        inTitle: ["survey"],
        withoutInTitle: ["draft"],
        operator: "or",
        languages: ["en"],
      },
      meaning: "graphics hidden line survey",
      includeDomains: ["acm.org"],
      excludeDomains: ["x.com"],
      isSiteAlone: false,
      likedPhrases: [],
      wordsLeftOut: ["java"],
      wantsFresh: false,
      isShortened: false,
    });
  });

  it("takes quotes in a sentence for emphasis", () => {
    const read = understandQuery('Do "best hospitals" perform better for heart attacks?', now);
    expect([read.likedPhrases, read.words.phrases]).toEqual([["best hospitals"], []]);
    expect(read.words.text).toContain("best hospitals");
  });

  it.each([
    ["git clean -x", "git clean -x"],
    ["git commit -m message", "git commit -m message"],
    ["(git log -S)", "(git log -S)"],
    ["returned -1", "returned -1"],
    ["x = -1, -2.5;", "x = -1, -2.5;"],
    [
      "how do I start a virtual environment with python -m venv",
      "how do I start a virtual environment with python -m venv",
    ],
    ["what does java -jar do?", "what does java -jar do?"],
    ["java -jar?", "java -jar?"],
    ["Wie startet java -jar", "Wie startet java -jar"],
  ])("leaves nothing out for the options and numbers of %s", (query, text) => {
    const { words, wordsLeftOut, meaning } = understandQuery(query, now);
    expect({ text: words.text, without: words.without, wordsLeftOut, meaning }).toEqual({
      text,
      without: [],
      wordsLeftOut: [],
      meaning: text,
    });
  });

  it.each([
    ["java -jar app", ["jar"], ["jar"]],
    ["gcc -Wall -o2", ["Wall", "o2"], ["Wall", "o2"]],
    ["宠物 -猫", ["猫"], ["猫"]],
    ["who -band", ["band"], ["band"]],
    ['who owns "the house" -"New York" -title:draft?', ["New York"], []],
  ])("leaves out what %s says", (query, without, wordsLeftOut) => {
    const read = understandQuery(query, now);
    expect([read.words.without, read.wordsLeftOut]).toEqual([without, wordsLeftOut]);
  });

  it("searches for a quoted option", () => {
    const { words, wordsLeftOut } = understandQuery('java "-jar" app', now);
    expect([words.phrases, words.without, wordsLeftOut]).toEqual([["-jar"], [], []]);
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
    [["a.com"], ["*/*.pdf"], ["a.com/*.pdf"]],
    [["https://www.a.com/docs/"], ["*/*.pdf"], ["a.com/docs/*.pdf"]],
    [["a.com/docs"], ["*/*.pdf"], ["a.com/docs*.pdf"]],
    [["a.com/docs/"], ["x.a.com"], ["x.a.com/docs/"]],
    [["a.com/docs/*"], ["x.a.com/"], ["x.a.com/docs/"]],
    [["*.a.com"], ["a.com"], ["*.a.com"]],
    [["a.com"], ["*.a.com"], ["*.a.com"]],
    [["*.a.com"], ["*.x.a.com"], ["*.x.a.com"]],
    [["*.a.com"], ["*"], ["*.a.com"]],
    [["*.a.com"], ["ba.com"], []],
    [["*/*.pdf"], ["a.com/owl.pdf", "*.b.com"], ["a.com/owl.pdf", "*.b.com/*.pdf"]],
    [["*/*.pdf"], ["a.com/*/old"], []],
    [["a.com/docs"], ["x.a.com"], ["x.a.com/docs"]],
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
