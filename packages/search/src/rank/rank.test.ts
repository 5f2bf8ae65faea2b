import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verifies } from "@quarry/tests";
import { createAnalyser, type TermStatistics } from "@quarry/retrieval";
import { makePage } from "../testing.ts";
import type { Candidate } from "../find/candidate.ts";
import { diversifyHosts, dropSameAddress } from "./diversify.ts";
import { expandQuery } from "./expand-query.ts";
import { scoreFeedback } from "./feedback.ts";
import { freshenScore } from "./freshen.ts";
import { fuseCandidates, signsOf } from "./fuse-candidates.ts";
import { RANK_MODEL } from "./gen/rank-model.ts";
import { decisivenessOf, weightsFor } from "./rank-model.ts";
import { scoreInContext } from "./score-in-context.ts";
import { scorePages } from "./score-pages.ts";
import { scoreSentences } from "./score-sentences.ts";
import { textComparer, toQueryTokens } from "./text-features.ts";
import { TokenMemory, type ReadText } from "./token-memory.ts";

/** A hundred pages, on which words are as common as `counts` says; others are on one. */
function statistics(counts: Readonly<Record<string, number>> = {}): TermStatistics {
  return { pageCount: 100, averageLength: 100, pagesWith: (token) => counts[token] ?? 1 };
}

function candidate(url: string, words: number | undefined, cosine: number | undefined): Candidate {
  return {
    facts: makePage({ url }),
    words: words === undefined ? undefined : { score: words, place: null, parts: undefined },
    meaning: cosine === undefined ? undefined : { score: cosine, place: null, chunk: { start: 0, end: 1 } },
  };
}

function page(text: string): ReadText {
  return { title: null, text, language: "en" };
}

function fuse(candidates: readonly Candidate[]): readonly string[] {
  const weights = weightsFor(RANK_MODEL.fusion, signsOf(candidates, 10));
  return fuseCandidates(candidates, { idealWordScore: 10, isCompleted: true, weights }).map(
    ({ candidate: { facts } }) => facts.url,
  );
}

describe("fuseCandidates", () => {
  it("lets the very word decide where no page is near in meaning", () => {
    expect(fuse([candidate("list", 9, 0.2), candidate("near", 2, 0.32)])).toEqual(["list", "near"]);
  });

  it("lets meaning decide where a page is near", () => {
    expect(fuse([candidate("words", 9, 0.4), candidate("near", 5, 0.79)])).toEqual(["near", "words"]);
  });

  it("takes a page without vectors for an average one", () => {
    expect(fuse([candidate("unread", 9, undefined), candidate("a", 3, 0.3), candidate("b", 1, 0.2)])[0]).toBe("unread");
  });

  it("goes by words alone when no vector is there", () => {
    expect(fuse([candidate("second", 3, undefined), candidate("first", 9, undefined)])).toEqual(["first", "second"]);
  });
});

describe("RANK_MODEL", () => {
  verifies("search:fusion:weights-from-data", "comes from a script that reads train and dev splits alone", () => {
    const made = readFileSync(new URL("gen/rank-model.ts", import.meta.url), "utf8");
    const script = /Made by (?<script>\S+) from train splits/.exec(made)?.groups?.["script"] ?? "";
    const source = readFileSync(new URL(`../../../../${script}`, import.meta.url), "utf8");
    const splits = [...source.matchAll(/split: "(?<split>\w+)"/g)].map(({ groups }) => groups?.["split"]);
    expect([...new Set(splits)].sort()).toEqual(["dev", "train"]);
    const { doubtBelow, ...weights } = RANK_MODEL.rerank;
    expect(Object.values(weights).some((weight) => weight > 0) && doubtBelow > 0).toBe(true);
  });
});

describe("weightsFor", () => {
  it("trusts words the more the fewer pages have them, and the more of them the best has", () => {
    const few = decisivenessOf([1, 0.3, 0.2], 0.8);
    const many = decisivenessOf(
      Array.from({ length: 20 }, (_, place) => 1 - place / 40),
      0.8,
    );
    const poor = decisivenessOf([1, 0.3, 0.2], 0.2);
    expect(few).toBeGreaterThan(many);
    expect(few).toBeGreaterThan(poor);
    const weightOf = (decisiveness: number): number =>
      weightsFor(RANK_MODEL.rerank, { bestCosine: 0.6, decisiveness }).coveredWords ?? 0;
    expect(weightOf(few)).toBeGreaterThan(weightOf(many));
    expect(weightsFor(RANK_MODEL.rerank, { bestCosine: undefined, decisiveness: 0 }).meaning).toBe(0);
  });
});

describe("scorePages", () => {
  const pagesOf = (candidates: readonly Candidate[]) =>
    fuseCandidates(candidates, {
      idealWordScore: 10,
      isCompleted: true,
      weights: weightsFor(RANK_MODEL.fusion, signsOf(candidates, 10)),
    }).map((page) => ({ ...page, features: undefined }));

  it("gives scores between 0 and 1 that fall", () => {
    const shown = scorePages(
      pagesOf([candidate("a", 9, 0.8), candidate("b", 5, 0.5), candidate("c", 1, 0.1)]),
      RANK_MODEL,
    ).map((page) => page.shown);
    expect(shown.every((score) => score > 0 && score < 1)).toBe(true);
    expect(shown.toSorted((one, other) => other - one)).toEqual(shown);
  });

  it("gives the best page of a good answer more than that of a poor one", () => {
    const [good] = scorePages(pagesOf([candidate("a", 9, 0.8)]), RANK_MODEL);
    const [poor] = scorePages(pagesOf([candidate("a", 1, 0.1)]), RANK_MODEL);
    expect(good?.shown).toBeGreaterThan(2 * (poor?.shown ?? 1));
  });

  it("has nothing to score in an empty list", () => expect(scorePages([], RANK_MODEL)).toEqual([]));
});

describe("scoreFeedback", () => {
  it("favours pages that share telling words with the best", () => {
    const memory = new TokenMemory();
    const pages = ["heron river", "heron nest", "heron fish", "tax law"].map((text) => memory.read(page(text)));
    const [, , like, unlike] = scoreFeedback(pages, 2, memory.weigher(statistics({ heron: 5 })));
    expect(like).toBeGreaterThan(unlike ?? 1);
  });

  it("does not let a page vouch for itself", () => {
    const memory = new TokenMemory();
    const pages = ["heron", "tax"].map((text) => memory.read(page(text)));
    expect(scoreFeedback(pages, 1, memory.weigher(statistics()))).toEqual([0, 0]);
  });
});

describe("TokenMemory", () => {
  it("counts the words of a title twice, and gives a word one number", () => {
    const memory = new TokenMemory();
    const { title, body, distinct, counts } = memory.read({
      title: "Herons",
      text: "heron nests heron",
      language: "en",
    });
    const heron = memory.numberOf("heron") ?? -1;
    expect([[...title], [...body].filter((number) => number === heron).length]).toEqual([[heron], 2]);
    expect(counts[distinct.indexOf(heron)]).toBe(4);
    expect(memory.numberOf("whale")).toBeUndefined();
  });

  it("weighs words anew when pages came or went", () => {
    const memory = new TokenMemory();
    memory.read(page("heron"));
    const heron = memory.numberOf("heron") ?? -1;
    const rare = memory.weigher(statistics({ heron: 1 }))(heron);
    expect(memory.weigher({ ...statistics({ heron: 90 }), averageLength: 101 })(heron)).toBeLessThan(rare);
  });
});

describe("textComparer", () => {
  const analyser = createAnalyser();
  const read = (text: string) => toQueryTokens(analyser, text, { languages: ["en"], statistics: statistics() });

  it("sees words and neighbours", () => {
    const memory = new TokenMemory();
    const tokens = memory.read({ title: "Hidden lines", text: "the hidden line algorithm", language: "en" });
    const compare = (query: string) => textComparer(read(query), (token) => memory.numberOf(token))(tokens);
    expect(compare("hidden line algorithms")).toEqual({ cover: 1, adjacency: 1 });
    expect(compare("whales")).toEqual({ cover: 0, adjacency: 0 });
  });
});

describe("scoreInContext", () => {
  const found = [[0], [], [], [], [], [], [], [], [], [], [], [], [], [], [0], [1], [], []];
  const weights = [1, 1];
  const sentences = found.map((_, place) => ({ start: 100 * place, end: 100 * place + 99 }));

  it("favours the passage that has all words between its sentences", () => {
    const scores = scoreInContext({ sentences, found, weights, meanings: undefined });
    expect(scores.indexOf(Math.max(...scores))).toBeGreaterThanOrEqual(14);
    expect(scores[16]).toBeGreaterThan(scores[0] ?? 1); // beside both words rather than on one
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
  });

  it("lets a part of the text that has the word lift all its sentences", () => {
    const scores = scoreInContext({
      sentences,
      found: found.map((_, place) => (place === 0 ? [0] : [])),
      weights,
      meanings: undefined,
    });
    expect(scores[15]).toBeGreaterThan(scores[16] ?? 1); // 1,599 characters, and more
  });

  it("lets meaning decide among passages without the words", () => {
    const places = sentences.slice(0, 4);
    const scores = scoreInContext({ sentences: places, found: places.map(() => []), weights, meanings: [0, 1, 1, 0] });
    expect(scores.map((score) => score > 0)).toEqual([false, true, true, false]);
  });
});

describe("expandQuery", () => {
  it("takes the words that the best pages share, as they are written", () => {
    const texts = ["Herons wade in rivers.", "Rivers feed wading herons.", "Herons nest by rivers."];
    const words = expandQuery(
      createAnalyser(),
      texts.map((text) => ({ text, language: "en" })),
      statistics(),
    );
    expect(words.slice(0, 2).sort()).toEqual(["Herons", "rivers"]);
  });

  it("leaves out what is too long to be a word, so that the query has room", () => {
    const text = `Herons wade ${"x".repeat(30_000)} in rivers.`;
    expect(expandQuery(createAnalyser(), [{ text, language: "en" }], statistics())).not.toContain("x".repeat(30_000));
  });
});

describe("diversifyHosts", () => {
  const list = (urls: readonly string[]) => urls.map((url, index) => ({ url, score: 0.9 - index * 0.02 }));

  it("lets another host up where one fills the list", () => {
    const urls = ["https://a.com/1", "https://a.com/2", "https://a.com/3", "https://a.com/4", "https://b.com/1"];
    expect(diversifyHosts(list(urls)).map(({ url }) => url)).toEqual([
      "https://a.com/1",
      "https://a.com/2",
      "https://b.com/1",
      "https://a.com/3",
      "https://a.com/4",
    ]);
  });

  it("leaves the order of a single host as it is", () => {
    const urls = Array.from({ length: 40 }, (_, index) => `https://a.com/${index}`);
    expect(diversifyHosts(list(urls)).map(({ url }) => url)).toEqual(urls);
  });
});

describe("dropSameAddress", () => {
  it("keeps the first of pages that differ in scheme, www or a slash", () => {
    const urls = ["https://a.com/x", "http://www.a.com/x/", "https://a.com/y"].map((url) => ({ url }));
    expect(dropSameAddress(urls).map(({ url }) => url)).toEqual(["https://a.com/x", "https://a.com/y"]);
  });
});

describe("freshenScore", () => {
  const now = new Date("2026-06-01T00:00:00Z");

  it("puts the newer of two equal pages first, and undated ones last", () => {
    const fresh = freshenScore(0.8, new Date("2026-05-30T00:00:00Z"), now);
    const old = freshenScore(0.8, new Date("2025-01-01T00:00:00Z"), now);
    const undated = freshenScore(0.8, null, now);
    expect([fresh, old, undated].toSorted((one, other) => other - one)).toEqual([fresh, old, undated]);
    expect(fresh).toBeLessThanOrEqual(0.8);
  });
});

describe("scoreSentences", () => {
  const text = "Herons wade in shallow rivers. The weather was mild. Their nests are built in tall trees.";

  it("finds the sentence with the words of the query", () => {
    const scored = scoreSentences(text, { query: "where do herons wade", language: "en" });
    const best = scored.toSorted((one, other) => other.score - one.score)[0];
    expect(text.slice(best?.start, best?.end)).toBe("Herons wade in shallow rivers.");
  });

  it("lets a part that is near in meaning speak for its sentences", () => {
    const nests = text.indexOf("Their");
    const scored = scoreSentences(text, {
      query: "breeding habits",
      language: "en",
      similarities: [
        { start: 0, end: nests, cosine: 0.1 },
        { start: nests, end: text.length, cosine: 0.7 },
      ],
    });
    expect(scored.map(({ score }) => score > 0)).toEqual([false, false, true]);
  });

  it.each([
    [
      "PYTHONDONTWRITEBYTECODE",
      "PYTHONCASEOK\n\nIf this is set, Python ignores case in import statements.\n\nPYTHONDONTWRITEBYTECODE\n\nIf this is set, Python writes no .pyc files.",
      "If this is set, Python writes no .pyc files.",
    ],
    [
      "which signal does Popen.terminate send on POSIX",
      "See also Popen.terminate of the module.\nPopen.terminate()\n: On POSIX the method sends SIGTERM to the child.\nPopen.kill()\n: On POSIX the method sends SIGKILL to the child.",
      ": On POSIX the method sends SIGTERM to the child.",
    ],
  ])("reads a definition with the term above it: %s", (query, page, definition) => {
    const scored = scoreSentences(page, { query, language: "en" });
    const best = scored.toSorted((one, other) => other.score - one.score)[0];
    expect(page.slice(best?.start, best?.end)).toBe(definition);
  });

  it("takes no entries of a menu for terms", () => {
    const scored = scoreSentences("Herons\nStorks\nBadgers\n", { query: "herons", language: "en" });
    expect(scored.map(({ score }) => Math.round(score * 100))).toEqual([14, 6, 0]);
  });

  it("takes the beginning when the query has no words", () => {
    expect(scoreSentences(text, { query: "?!", language: null })[0]?.score).toBe(1);
  });

  it("finds what a long text says behind what is read of it, in whole sentences where they stand", () => {
    const filler = "The weather was mild and nothing of note was seen. ".repeat(6_000);
    const long = `${filler}Great herons wade in shallow rivers. ${filler}`;
    expect(long.length).toBeGreaterThan(500_000);
    const scored = scoreSentences(long, { query: "where do herons wade", language: "en" });
    const best = scored.toSorted((one, other) => other.score - one.score)[0];
    expect(long.slice(best?.start, best?.end)).toBe("Great herons wade in shallow rivers.");
    expect(scored.length).toBeLessThan(4_000);
    const halves = scored.filter(({ start, end }) => !/^[A-Z].*\.$/.test(long.slice(start, end)));
    expect(halves).toEqual([]);
  });

  it("counts a word that the page has everywhere little, however rare it is among pages", () => {
    const page = "Herons rest. Herons eat fish. Herons sleep. Herons fly. The nests are high. Herons wait.";
    const statistics = {
      pageCount: 1_000,
      averageLength: 100,
      pagesWith: (token: string) => (token === "heron" ? 1 : 50),
    };
    const scored = scoreSentences(page, { query: "heron nests", language: "en", statistics });
    const best = scored.toSorted((one, other) => other.score - one.score)[0];
    expect(page.slice(best?.start, best?.end)).toBe("The nests are high.");
  });

  it("has nothing to score in an empty text", () => {
    expect(scoreSentences("", { query: "herons", language: null })).toEqual([]);
  });
});
