import { describe, expect, it } from "vitest";
import { planContents } from "./contents-plan.ts";
import { composeContext } from "./context-string.ts";
import { cutAtWord, cutText } from "./cut-text.ts";
import { failureOf } from "./fetch-failure.ts";
import { mayFallBack, needsFetch, type Freshness } from "./freshness.ts";
import { createGate } from "./gate.ts";
import { urlOfId } from "./get-contents.ts";
import { joinNeighbours, pickHighlights, shareBudget } from "./highlights.ts";
import { toLightHtml } from "./light-html.ts";
import { isUnsafe } from "./moderation.ts";

const RULES = { defaultsToText: true, storedOnly: false };

describe("planContents", () => {
  it("asks for text when nothing is asked for, and only where that is the rule", () => {
    expect(planContents({}, RULES).text).toMatchObject({ asHtml: false, verbosity: "compact" });
    expect(planContents({}, { ...RULES, defaultsToText: false }).text).toBeUndefined();
    expect(planContents({ highlights: true }, RULES).text).toBeUndefined();
    expect(planContents({ text: false }, RULES).text).toBeUndefined();
    expect(planContents({ highlights: false }, RULES).text).toBeDefined();
  });

  it("answers from the store alone when it must", () => {
    expect(planContents({ livecrawl: "always" }, { ...RULES, storedOnly: true }).freshness).toEqual({
      kind: "stored-only",
    });
  });
});

describe("freshness", () => {
  const now = new Date("2026-01-10T00:00:00Z");
  const old = new Date("2026-01-01T00:00:00Z");
  it.each<[Freshness, boolean, boolean, boolean]>([
    [{ kind: "stored-only" }, false, false, true],
    [{ kind: "fetch-missing" }, false, true, true],
    [{ kind: "max-age", maxAgeMs: 86_400_000 }, true, true, true],
    [{ kind: "max-age", maxAgeMs: 86_400_000 * 30 }, false, true, true],
    [{ kind: "fetch", fallsBack: true }, true, true, true],
    [{ kind: "fetch", fallsBack: false }, true, true, false],
  ])("%j", (freshness, stored, missing, fallsBack) => {
    expect([needsFetch(freshness, old, now), needsFetch(freshness, undefined, now), mayFallBack(freshness)]).toEqual([
      stored,
      missing,
      fallsBack,
    ]);
  });
});

const NO_WISH = {
  query: undefined,
  maxCharacters: undefined,
  numSentences: undefined,
  highlightsPerUrl: undefined,
  verbosity: undefined,
  dynamic: undefined,
};

describe("highlights", () => {
  const text = "One two. Three four. Five six. Seven eight.";
  const sentences = [
    { start: 0, end: 8, score: 0.1 },
    { start: 9, end: 20, score: 0.9 },
    { start: 21, end: 30, score: 0.5 },
    { start: 31, end: 43, score: 0 },
  ];
  const plan = {
    query: undefined,
    unit: "sentence",
    sentences: 1,
    perPage: 2,
    maxCharacters: 1_000,
    sharedCharacters: undefined,
  } as const;

  it("are the best sentences, best first, with nothing that says nothing", () => {
    expect(pickHighlights(text, sentences, plan).map((one) => one.text)).toEqual(["Three four.", "Five six."]);
    const all = pickHighlights(text, sentences, { ...plan, perPage: 10 });
    expect(all.map((one) => one.text)).toEqual(["Three four.", "Five six.", "One two."]);
    for (const { start, end, text: shown } of all) expect(text.slice(start, end)).toBe(shown);
  });

  it("run over several sentences without overlapping, and end within their budget", () => {
    const pairs = pickHighlights(text, sentences, { ...plan, sentences: 2 });
    expect(pairs.map((one) => one.text)).toEqual(["Three four. Five six.", "Seven eight."].slice(0, pairs.length));
    expect(pickHighlights(text, sentences, { ...plan, maxCharacters: 5 }).map((one) => one.text)).toEqual(["Three"]);
    expect(pickHighlights("", [], plan)).toEqual([]);
  });

  it("with much room and nothing counted are passages: neighbours in one, word for word and within the room", () => {
    const passages = planContents({ highlights: { ...NO_WISH, maxCharacters: 2_000 } }, RULES).highlights;
    expect(passages).toMatchObject({ unit: "passage", sentences: 1, perPage: Infinity });
    const picked = pickHighlights(text, sentences, { ...plan, unit: "passage", perPage: Infinity });
    expect(joinNeighbours(text, picked).map((one) => one.text)).toEqual(["Three four. Five six."]);
    const tight = pickHighlights(text, sentences, { ...plan, unit: "passage", perPage: Infinity, maxCharacters: 20 });
    expect(joinNeighbours(text, tight).map((one) => one.text)).toEqual(["Three four."]);
  });

  it("are single runs of sentences for who counts sentences, or how many highlights", () => {
    for (const counted of [{ numSentences: 3 }, { highlightsPerUrl: 4 }]) {
      const { highlights } = planContents({ highlights: { ...NO_WISH, maxCharacters: 5_000, ...counted } }, RULES);
      expect(highlights?.unit).toBe("sentence");
    }
  });

  it("share one budget over pages, the best of all first", () => {
    const [one, other] = [
      [{ start: 0, end: 4, score: 0.2, room: 4, text: "weak" }],
      [{ start: 0, end: 6, score: 0.9, room: 6, text: "strong" }],
    ];
    expect(shareBudget([one, other], 8)).toEqual([[], other]);
    expect(shareBudget([one, other], 10)).toEqual([one, other]);
  });
});

describe("light HTML", () => {
  it("knows what extraction writes, and lets nothing else through", () => {
    const markdown =
      "# A & B\n\nSome **bold** and [a link](https://e.org/x?a=1).\n\n- one\n- two\n\n| H |\n| --- |\n| <b> |\n\n```js\nif (a < b) {}\n```\n\n> said\n\n[bad](javascript:alert(1)) <script>";
    expect(toLightHtml(markdown, Infinity)).toBe(
      '<h1>A &amp; B</h1>\n<p>Some <strong>bold</strong> and <a href="https://e.org/x?a=1">a link</a>.</p>\n' +
        "<ul><li>one</li><li>two</li></ul>\n<table><tr><th>H</th></tr><tr><td>&lt;b&gt;</td></tr></table>\n" +
        '<pre><code class="language-js">if (a &lt; b) {}</code></pre>\n<blockquote>said</blockquote>\n' +
        "<p>[bad](javascript:alert(1)) &lt;script&gt;</p>",
    );
  });

  it("is cut between tags", () => {
    const html = toLightHtml("# Title\n\nWords and [a link](https://e.org/).", 40);
    expect(html.length).toBeLessThanOrEqual(40);
    expect(html).not.toMatch(/<[^>]*$/);
  });
});

describe("the context string", () => {
  it("gives each page its share of the budget", () => {
    const entries = [
      { title: "Long", url: "https://e.org/1", text: "x".repeat(5_000) },
      { title: "Short", url: "https://e.org/2", publishedDate: "2025-01-02T00:00:00.000Z", text: "All of it." },
    ];
    const context = composeContext(entries, 500);
    expect(context.length).toBeLessThanOrEqual(500);
    expect(context).toContain("# Short\nURL: https://e.org/2\nPublished: 2025-01-02\n\nAll of it.");
    expect(composeContext([], 100)).toBe("");
  });
});

it("cuts texts between characters and words", () => {
  expect(cutText("a🦉b", 2)).toBe("a");
  expect(cutAtWord("one two three", 9)).toBe("one two");
  expect(cutAtWord("one two", 7)).toBe("one two");
  expect(cutAtWord("abcdefghij", 5)).toBe("abcde");
});

it("takes for a page what people type", () => {
  const given = [
    "e.org/x",
    "https://E.org/x",
    "http://e.org",
    "e.org",
    "owls",
    "ftp://e.org/",
    "javascript:alert(1)",
    "/etc",
    "",
  ];
  expect(given.map(urlOfId)).toEqual([
    ...["https://e.org/x", "https://e.org/x", "http://e.org/", "https://e.org/"],
    ...[undefined, undefined, undefined, undefined, undefined],
  ]);
});

it("lets as many through as there is room, and gives a place back when somebody leaves the queue", async () => {
  const gate = createGate(1);
  const { signal } = new AbortController();
  const leave = await gate.enter(signal);
  const gone = new AbortController();
  const waiting = gate.enter(gone.signal);
  const next = gate.enter(signal);
  gone.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  leave();
  (await next)();
  (await gate.enter(signal))();
});

it("tells unsafe pages from pages about the subject", () => {
  const page = {
    url: "https://e.org/",
    title: "A study",
    text: "Research on pornography and law. ".repeat(1) + "word ".repeat(500),
  };
  expect(isUnsafe(page)).toBe(false);
  expect(isUnsafe({ url: "https://x.example/porn-videos", title: null, text: "Porn videos here." })).toBe(true);
  expect(isUnsafe({ url: "https://x.example/", title: "Fun", text: "xxx porn milf ".repeat(20) })).toBe(true);
  expect(
    isUnsafe({ url: "https://essex.example/", title: "Sussex and Essex", text: "Cocks crow in Scunthorpe." }),
  ).toBe(false);
});

it("names what became of a visit as the wire does", () => {
  const refused = (reason: "gone" | "too-large" | "private-address", httpStatus?: number) =>
    failureOf({
      kind: "refused",
      reason,
      message: "",
      redirects: [],
      ...(httpStatus === undefined ? {} : { httpStatus }),
    });
  expect([refused("gone", 410), refused("too-large", 200), refused("private-address")]).toEqual([
    { kind: "failed", tag: "CRAWL_HTTP_410", httpStatusCode: 410 },
    { kind: "failed", tag: "CRAWL_UNKNOWN_ERROR", httpStatusCode: 500 },
    { kind: "failed", tag: "SOURCE_NOT_AVAILABLE", httpStatusCode: 403 },
  ]);
});
