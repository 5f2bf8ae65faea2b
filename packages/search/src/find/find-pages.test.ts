import { describe, expect, it } from "vitest";
import { AppError } from "@quarry/base";
import { searchSchema } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { findForRequest } from "../request/find-for-request.ts";
import { makeWorld, type TestWorld } from "../testing.ts";
import { findPages } from "./find-pages.ts";
import type { PageQuery, SearchPlan } from "./page-query.ts";

const signal = new AbortController().signal;
const PLANS = ["keyword", "neural", "fast", "auto", "deep"] as const;

const FEEDBACK = expect.objectContaining({ name: "feedback" }) as unknown;

function ask(query: string, changes: Partial<PageQuery> = {}): PageQuery {
  return { teamIds: ["team"], query, plan: "auto", limit: 10, filter: {}, ...changes };
}

async function urlsOf(world: TestWorld, query: PageQuery): Promise<readonly string[]> {
  return (await findPages(world, query, signal)).pages.map(({ url }) => url);
}

/** Four pages that share some words. */
async function library(deps: Parameters<typeof makeWorld>[0] = {}): Promise<TestWorld> {
  const world = await makeWorld(deps);
  await world.add([
    {
      url: "https://docs.example/ownership",
      title: "Rust ownership",
      text: "Ownership is how Rust manages memory without a garbage collector.",
      publishedAt: new Date("2020-01-01T00:00:00Z"),
    },
    {
      url: "https://docs.example/iron",
      title: "Iron oxide",
      text: "Rust forms when iron meets water and memory of it stays.",
      publishedAt: new Date("2026-05-01T00:00:00Z"),
    },
    { url: "https://java.example/memory", title: "Java memory", text: "A garbage collector manages memory in Java." },
    { url: "https://food.example/bread", title: "Bread", text: "Bake the dough for forty minutes." },
  ]);
  return world;
}

describe("findPages", () => {
  it.each(PLANS)("finds the page that answers by plan %s", async (plan) => {
    const { pages } = await findPages(await library(), ask("how does rust ownership manage memory", { plan }), signal);
    expect(pages[0]?.url).toBe("https://docs.example/ownership");
    expect(pages.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
    expect(pages.map(({ score }) => score).toSorted((one, other) => other - one)).toEqual(
      pages.map(({ score }) => score),
    );
  });

  verifies("search:syntax:phrase", "insists on a quoted phrase, by every plan", async () => {
    const world = await library();
    for (const plan of PLANS) {
      expect(await urlsOf(world, ask('"garbage collector manages"', { plan }))).toEqual([
        "https://java.example/memory",
      ]);
    }
  });

  it("insists on no sign that has no letters, by every plan", async () => {
    const world = await library();
    const queries = [
      'rust "->" memory',
      'rust "::" memory',
      'rust "" memory',
      'rust memory -"..."',
      'rust memory -title:""',
    ];
    for (const plan of PLANS) {
      const plain = await urlsOf(world, ask("rust memory", { plan }));
      expect(plain.length).toBeGreaterThan(1);
      for (const query of queries) {
        expect([plan, query, (await urlsOf(world, ask(query, { plan }))).toSorted()]).toEqual([
          plan,
          query,
          plain.toSorted(),
        ]);
      }
    }
  });

  it("finds a text with a sign in it by meaning too", async () => {
    const world = await makeWorld();
    await world.add([{ url: "https://a.example/", text: "Arrow functions are written as x => x + 1 in scripts." }]);
    for (const plan of PLANS) {
      const query = ask("arrow functions", { plan, includeText: ["=>"] });
      expect([plan, await urlsOf(world, query)]).toEqual([plan, ["https://a.example/"]]);
    }
  });

  verifies("search:syntax:minus", "leaves pages with a -word out, by every plan", async () => {
    const world = await library();
    for (const plan of PLANS) {
      const urls = await urlsOf(world, ask("memory -java", { plan }));
      expect(urls).toContain("https://docs.example/ownership");
      expect(urls).not.toContain("https://java.example/memory");
    }
  });

  it("finds pages on the options of commands, and says which words it left out", async () => {
    const world = await makeWorld();
    await world.add([
      { url: "https://git.example/clean", title: "git clean", text: "With -x git clean removes ignored files too." },
      { url: "https://java.example/", title: "java", text: "Run java -jar app.jar to start an app from a jar." },
      { url: "https://java.example/app", title: "java", text: "Compile the java app first." },
    ]);
    for (const plan of PLANS) {
      const found = await findPages(world, ask("git clean -x", { plan, limit: 1 }), signal);
      expect([plan, found.pages[0]?.url, found.warnings]).toEqual([plan, "https://git.example/clean", []]);
    }
    const found = await findPages(world, ask("java -jar app"), signal);
    expect(found.pages[0]?.url).toBe("https://java.example/app");
    expect(found.warnings[0]).toEqual({
      code: "words_left_out",
      message: 'pages with jar were left out, as -jar says; to search for it, quote it: "-jar"',
    });
    for (const query of ['java "-jar" app', "what does java -jar app do?"]) {
      expect([query, (await urlsOf(world, ask(query)))[0]]).toEqual([query, "https://java.example/"]);
    }
  });

  verifies("search:syntax:site", "keeps to the site that is named, and inside the caller's domains", async () => {
    const world = await library();
    expect(await urlsOf(world, ask("memory site:java.example"))).toEqual(["https://java.example/memory"]);
    const filter = { includeDomains: ["docs.example"] };
    expect(await urlsOf(world, ask("memory site:java.example", { filter }))).toEqual([]);
    expect(await urlsOf(world, ask("memory -site:docs.example", { plan: "keyword" }))).toEqual([
      "https://java.example/memory",
    ]);
    for (const plan of PLANS) {
      const urls = await urlsOf(world, ask("site:docs.example", { plan }));
      expect([plan, urls.toSorted()]).toEqual([plan, ["https://docs.example/iron", "https://docs.example/ownership"]]);
      expect([plan, await urlsOf(world, ask("site:docs.example -iron", { plan }))]).toEqual([
        plan,
        urls.filter((url) => url.endsWith("ownership")),
      ]);
    }
  });

  it("adds sites of the query to as many as a caller may leave out", async () => {
    const excludeDomains = Array.from({ length: 1_200 }, (_, number) => `s${number}.example`);
    const query = ask("memory -site:docs.example", { plan: "keyword", filter: { excludeDomains } });
    expect(await urlsOf(await library(), query)).toEqual(["https://java.example/memory"]);
  });

  verifies("search:syntax:title", "looks for title: words in titles alone", async () => {
    expect(await urlsOf(await library(), ask("title:java"))).toEqual(["https://java.example/memory"]);
  });

  verifies("search:type:keyword", "ranks keyword by words alone, without the model", async () => {
    const world = await library({ embedQuery: () => Promise.reject(new Error("not to be asked")) });
    const { pages, warnings } = await findPages(world, ask("iron water", { plan: "keyword" }), signal);
    expect([pages[0]?.url, warnings.map(({ code }) => code)]).toEqual(["https://docs.example/iron", ["few_results"]]);
  });

  verifies("search:type:neural", "ranks neural by vectors alone", async () => {
    const world = await makeWorld({
      embedQuery: async () => {
        const other = await makeWorld();
        return other.embedQuery("bake the dough");
      },
    });
    await world.add([
      { url: "https://a.example/", text: "Rust manages memory." },
      { url: "https://b.example/", text: "Bake the dough." },
    ]);
    const urls = await urlsOf(world, ask("rust memory", { plan: "neural" }));
    expect(urls[0]).toBe("https://b.example/");
  });

  verifies("search:type:fast", "fuses words and vectors without reading texts", async () => {
    const world = await library({ readTexts: () => Promise.reject(new Error("not to be read")) });
    const { pages } = await findPages(world, ask("rust memory", { plan: "fast", explain: true }), signal);
    expect(pages[0]?.explanation?.parts.map(({ name }) => name).sort()).toEqual(["meaning", "words"]);
  });

  verifies("search:type:auto-default", "re-ranks by the texts of the best pages when no type is given", async () => {
    const world = await library();
    const read: string[] = [];
    const readParts: TestWorld["readParts"] = (pages, size) => {
      read.push(...pages.map(({ url }) => url));
      return world.readParts(pages, size);
    };
    const body = searchSchema.parse({ query: "rust memory" });
    const request = { teamIds: ["team"], body, explain: true };
    const { pages } = await findForRequest({ ...world, readParts }, request, signal);
    expect(read).toContain("https://docs.example/ownership");
    expect(pages[0]).toMatchObject({ explanation: { parts: expect.arrayContaining([FEEDBACK]) as unknown } });
    const named = await findForRequest(world, { ...request, body: { ...body, type: "auto" } }, signal);
    expect(named.pages).toEqual(pages);
  });

  it("reads and analyses a page once in each version", async () => {
    const world = await library();
    let reads = 0;
    const readParts: TestWorld["readParts"] = (pages, size) => {
      reads += pages.length;
      return world.readParts(pages, size);
    };
    const first = await findPages({ ...world, readParts }, ask("rust memory"), signal);
    const readAtFirst = reads;
    const again = await findPages({ ...world, readParts }, ask("rust memory"), signal);
    expect([again.pages, reads]).toEqual([first.pages, readAtFirst]);
    await world.add([{ url: "https://docs.example/iron", version: 2, title: "Iron", text: "Rust and memory." }]);
    await findPages({ ...world, readParts }, ask("rust memory"), signal);
    expect(reads).toBe(readAtFirst + 1);
  });

  verifies(
    ["search:type:deep", "search:additional-queries:used-by-deep"],
    "widens a deep search by other wordings",
    async () => {
      const world = await library();
      const plain = await urlsOf(
        world,
        ask("oxidation", { plan: "deep", filter: { includeDomains: ["docs.example"] } }),
      );
      const { pages } = await findPages(
        world,
        ask("oxidation", { plan: "deep", additionalQueries: ["iron oxide and water"] }),
        signal,
      );
      expect(pages[0]?.url).toBe("https://docs.example/iron");
      expect(plain.length).toBeGreaterThan(0);
    },
  );

  verifies(
    "search:starting:neural-503",
    "rejects neural while the model loads; the others go on by words",
    async () => {
      const loading = new AppError("unavailable", "the model is loading", { retryable: true, retryAfterMs: 1_000 });
      const world = await library({ embedQuery: () => Promise.reject(loading) });
      await expect(findPages(world, ask("memory", { plan: "neural" }), signal)).rejects.toBe(loading);
      for (const plan of ["fast", "auto", "deep"] as const) {
        const { pages, warnings } = await findPages(world, ask("memory", { plan }), signal);
        expect(pages).toHaveLength(3);
        expect(warnings.map(({ code }) => code)).toContain("vectors_not_ready");
      }
    },
  );

  it("rejects neural, as something to try again, while vectors are still being made", async () => {
    const world = await makeWorld();
    await world.add([{ text: "A page about herons." }], { vectors: false });
    const failed = findPages(world, ask("herons", { plan: "neural" }), signal);
    await expect(failed).rejects.toMatchObject({ code: "unavailable", retryable: true });
    const { warnings } = await findPages(world, ask("herons"), signal);
    expect(warnings.map(({ code }) => code)).toContain("vectors_not_ready");
  });

  it("finds pages whose vectors are still being made beside others", async () => {
    const world = await library();
    await world.add([{ url: "https://new.example/", title: "Herons", text: "Herons wade." }], { vectors: false });
    expect((await urlsOf(world, ask("herons wade")))[0]).toBe("https://new.example/");
  });

  verifies("search:sparse:warning", "names the crawl command when the index has little", async () => {
    const { warnings } = await findPages(await library(), ask("quantum chromodynamics", { plan: "keyword" }), signal);
    expect(warnings).toContainEqual({
      code: "few_results",
      message: expect.stringContaining("quarry crawl URL") as string,
    });
  });

  verifies(
    "search:sparse:warning",
    "says that pages are few which share no more than a word with the query",
    async () => {
      const world = await library();
      const codesOf = async (query: string, plan: SearchPlan): Promise<readonly string[]> => {
        const { pages, warnings } = await findPages(world, ask(query, { plan, limit: 1 }), signal);
        expect(pages).toHaveLength(1);
        return warnings.map(({ code }) => code);
      };
      for (const plan of PLANS) {
        expect([plan, await codesOf("forty thieves hide treasure", plan)]).toEqual([plan, ["few_results"]]);
        expect([plan, await codesOf("how does rust manage memory", plan)]).toEqual([plan, []]);
      }
    },
  );

  it("says of no page that it is there by chance which has what the query insists on", async () => {
    const world = await makeWorld();
    const filler = Array.from({ length: 900 }, (_, number) => `word${number} of another matter.`).join(" ");
    await world.add(
      [1, 2, 3, 4].map((number) => ({
        url: `https://long.example/${number}`,
        title: `Letters, volume ${number}`,
        text: `${filler} ${number} The quiet harbour master wrote this. ${filler}`,
      })),
    );
    for (const plan of PLANS) {
      for (const query of [
        'zinc "quiet harbour master" pamphlets monastery',
        "zinc title:letters pamphlets monastery",
        "site:long.example",
      ]) {
        const { pages, warnings } = await findPages(world, ask(query, { plan }), signal);
        expect([plan, query, pages.length, warnings]).toEqual([plan, query, 4, []]);
      }
      const { warnings } = await findPages(world, ask("zinc pamphlets monastery master", { plan }), signal);
      expect(warnings.map(({ code }) => code)).toEqual(["few_results"]);
    }
  });

  verifies("search:text:include", "keeps pages whose text holds the phrase", async () => {
    const world = await library();
    for (const plan of PLANS) {
      const urls = await urlsOf(world, ask("memory", { plan, includeText: ["Garbage   collector"] }));
      expect([...urls].sort()).toEqual(["https://docs.example/ownership", "https://java.example/memory"]);
    }
  });

  verifies("search:text:exclude", "drops pages with the phrase in their first 1,000 words, no others", async () => {
    const world = await makeWorld();
    await world.add([
      { url: "https://a.example/", text: "memory and a garbage collector" },
      { url: "https://b.example/", text: `memory ${"filler ".repeat(1_100)} garbage collector` },
    ]);
    expect(await urlsOf(world, ask("memory", { excludeText: ["garbage collector"] }))).toEqual(["https://b.example/"]);
  });

  it("puts new pages first when the query asks for news", async () => {
    const world = await makeWorld();
    await world.add([
      { url: "https://a.example/", text: "Rust release notes", publishedAt: new Date("2021-01-01T00:00:00Z") },
      { url: "https://b.example/", text: "Rust release notes!", publishedAt: new Date("2026-05-20T00:00:00Z") },
    ]);
    expect((await urlsOf(world, ask("latest rust release notes")))[0]).toBe("https://b.example/");
  });

  it("shows pages with one and the same text once", async () => {
    const world = await makeWorld();
    const text = "Herons wade in shallow rivers.";
    await world.add([
      { url: "https://a.example/", text },
      { url: "https://b.example/copy", text },
    ]);
    expect(await urlsOf(world, ask("herons rivers"))).toHaveLength(1);
  });

  it("shows nothing of another team, and a team's own copy before the shared one", async () => {
    const world = await makeWorld();
    await world.add([
      { teamId: "team", url: "https://a.example/", text: "herons of mine" },
      { teamId: "shared", url: "https://a.example/", text: "herons of all" },
      { teamId: "other", url: "https://b.example/", text: "herons of others" },
    ]);
    for (const plan of PLANS) {
      const { pages } = await findPages(world, ask("herons", { plan, teamIds: ["team", "shared"] }), signal);
      expect(pages.map(({ teamId, url }) => [teamId, url])).toEqual([["team", "https://a.example/"]]);
    }
  });

  it("finds no shared page that a team has its own of, whatever that says", async () => {
    const world = await makeWorld();
    await world.add([
      { teamId: "team", url: "https://a.example/", text: "a note of mine about bananas" },
      { teamId: "shared", url: "https://a.example/", text: "herons of all wade in rivers" },
      { teamId: "shared", url: "https://b.example/", text: "herons nest in trees" },
      { teamId: "other", url: "https://b.example/", text: "a note of others about mangos" },
    ]);
    for (const plan of PLANS) {
      const query = ask("herons", { plan, teamIds: ["team", "shared"], limit: 1 });
      expect([plan, await urlsOf(world, query)]).toEqual([plan, ["https://b.example/"]]);
      const checked = { ...query, limit: 10, includeText: ["herons"] };
      expect([plan, await urlsOf(world, checked)]).toEqual([plan, ["https://b.example/"]]);
    }
    const others = ask("herons", { plan: "keyword", teamIds: ["stranger", "shared"] });
    expect((await urlsOf(world, others)).length).toBe(2);
  });

  it("explains each page in numbers and a sentence", async () => {
    const { pages } = await findPages(await library(), ask("rust ownership", { explain: true }), signal);
    const explanation = pages[0]?.explanation;
    expect(explanation?.sentence).toMatch(
      /^Place 1, most of all because .+: by words it is number 1 \(.+\), by meaning number 1/,
    );
    expect(explanation?.placeByWords).toBe(1);
    expect(explanation?.fields?.title).toBeGreaterThan(0);
    expect(explanation?.words.map(({ token }) => token)).toContain("rust");
    expect(explanation?.parts.every(({ points }) => Number.isFinite(points))).toBe(true);
  });

  it.each([0, 101, 1.5, Number.NaN])("refuses a limit of %s", async (limit) => {
    await expect(findPages(await library(), ask("rust", { limit }), signal)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("answers queries that say nothing, or too much, by every plan", async () => {
    const world = await library();
    const queries = ["", " ", "???", "-", '"', "\u0000", "🦙", "site:", "хлеб", "面包", "ขนมปัง", "\ud800"];
    for (const query of [...queries, "a ".repeat(20_000)]) {
      for (const plan of PLANS satisfies readonly SearchPlan[]) {
        const { pages } = await findPages(world, ask(query, { plan }), signal);
        expect(pages.length, query.slice(0, 20)).toBeLessThanOrEqual(10);
      }
    }
  }, 60_000);

  it("stops when the caller has gone", async () => {
    const world = await library();
    await expect(findPages(world, ask("rust"), AbortSignal.abort())).rejects.toThrow();
  });
});
