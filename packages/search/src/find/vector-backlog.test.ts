import { describe, expect, it } from "vitest";
import { makeWorld } from "../testing.ts";
import { findPages } from "./find-pages.ts";
import { findSimilarPages } from "./find-similar.ts";
import type { SearchPlan } from "./page-query.ts";
import { createVectorBacklog, warnOfBacklog } from "./vector-backlog.ts";

const signal = new AbortController().signal;

describe("createVectorBacklog", () => {
  it("counts once in a while, and pages only while some wait", async () => {
    const asked: string[] = [];
    let [now, waiting] = [0, 0];
    const read = createVectorBacklog({
      nowMs: () => now,
      countWaiting: (teamIds) => Promise.resolve((asked.push(`waiting ${teamIds.join()}`), waiting)),
      countPages: () => Promise.resolve((asked.push("pages"), 5)),
    });
    expect([await read(["a"]), await read(["a"]), asked]).toEqual([
      { pages: 0, waiting: 0 },
      { pages: 0, waiting: 0 },
      ["waiting a"],
    ]);
    [now, waiting] = [2_000, 3];
    expect([await read(["a"]), asked.slice(1)]).toEqual([{ pages: 5, waiting: 3 }, ["waiting a", "pages"]]);
    await read(["b"]);
    expect(asked.slice(3)).toEqual(["waiting b", "pages"]);
  });

  it("fails no search", async () => {
    const broken = (): Promise<number> => Promise.reject(new Error("the database is down"));
    const read = createVectorBacklog({ countWaiting: broken, countPages: broken });
    expect(await read(["a"])).toEqual({ pages: 0, waiting: 0 });
  });
});

describe("warnOfBacklog", () => {
  it.each([
    [0, 0, []],
    [83, 831, []],
    [84, 831, ["84 of 831 pages still wait for their vectors: until then only words find them"]],
  ])("%i of %i", (waiting, pages, messages) => {
    expect(warnOfBacklog({ waiting, pages }).map(({ message }) => message)).toEqual(messages);
  });
});

describe("while most pages have no vectors yet", () => {
  const plans: readonly (readonly [SearchPlan, readonly string[]])[] = [
    ["keyword", []],
    ["neural", ["vectors_pending"]],
    ["fast", ["vectors_pending"]],
    ["auto", ["vectors_pending"]],
    ["deep", ["vectors_pending"]],
  ];
  const marsh = async () => {
    const world = await makeWorld({ vectorBacklog: () => Promise.resolve({ pages: 9, waiting: 8 }) });
    await world.add([{ url: "https://a.example/", title: "Heron", text: "Herons wade in rivers." }]);
    await world.add([{ url: "https://b.example/", title: "Egret", text: "Egrets wade, too." }], { vectors: false });
    return world;
  };

  it.each(plans)("a search of plan %s says so: %j", async (plan, codes) => {
    const query = { teamIds: ["team"], query: "herons wade", plan, limit: 1, filter: {} };
    const { warnings } = await findPages(await marsh(), query, signal);
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  it("a search for similar pages says so", async () => {
    const query = { teamIds: ["team"], url: "https://b.example/", limit: 1, filter: {} };
    const { warnings } = await findSimilarPages(await marsh(), query, signal);
    expect(warnings.map(({ code }) => code)).toContain("vectors_pending");
  });
});
