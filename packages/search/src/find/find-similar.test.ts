import { describe, expect, it } from "vitest";
import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { makeWorld, type TestWorld } from "../testing.ts";
import { findSimilarPages, type SimilarQuery } from "./find-similar.ts";

const signal = new AbortController().signal;
const source = "https://birds.example/heron";

function like(changes: Partial<SimilarQuery> = {}): SimilarQuery {
  return { teamIds: ["team"], url: source, limit: 10, filter: {}, ...changes };
}

async function birds(deps: Parameters<typeof makeWorld>[0] = {}): Promise<TestWorld> {
  const world = await makeWorld(deps);
  await world.add([
    { url: source, title: "Heron", text: "Herons are wading birds that hunt fish in shallow rivers and lakes." },
    { url: "https://birds.example/egret", title: "Egret", text: "Egrets are wading birds that hunt fish in lakes." },
    { url: "https://zoo.example/stork", title: "Stork", text: "Storks are large wading birds of rivers and fields." },
    { url: "https://tax.example/law", title: "Tax", text: "Income above the threshold is taxed at the higher rate." },
  ]);
  return world;
}

describe("findSimilarPages", () => {
  verifies(
    ["findsimilar:url:known", "findsimilar:url:itself-left-out"],
    "finds the pages most like a stored page, and never the page itself",
    async () => {
      const { pages, warnings } = await findSimilarPages(await birds(), like(), signal);
      expect(pages.slice(0, 2).map(({ url }) => url)).toEqual([
        "https://birds.example/egret",
        "https://zoo.example/stork",
      ]);
      expect(pages.map(({ url }) => url)).not.toContain(source);
      expect(pages.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
      expect(warnings.map(({ code }) => code)).not.toContain("vectors_not_ready");
    },
  );

  it("leaves its own site out beside as many as a caller may leave out", async () => {
    const excludeDomains = Array.from({ length: 1_200 }, (_, number) => `s${number}.example`);
    const query = like({ filter: { excludeDomains }, excludeSourceDomain: true });
    const { pages } = await findSimilarPages(await birds(), query, signal);
    expect(pages[0]?.url).toBe("https://zoo.example/stork");
  });

  it("takes a text for a page that is not stored", async () => {
    const text = "Wading birds that hunt fish.";
    const { pages } = await findSimilarPages(await birds(), like({ url: "https://new.example/", text }), signal);
    expect(pages[0]?.url).toMatch(/birds\.example/);
  });

  it("says so when it knows neither page nor text", async () => {
    const failed = findSimilarPages(await birds(), like({ url: "https://unknown.example/" }), signal);
    await expect(failed).rejects.toMatchObject({ code: "not_found" });
  });

  verifies("findsimilar:exclude-source-domain:honoured", "leaves the page's own domain out when asked", async () => {
    const { pages } = await findSimilarPages(await birds(), like({ excludeSourceDomain: true }), signal);
    expect(pages.map(({ url }) => new URL(url).host)).not.toContain("birds.example");
  });

  verifies("findsimilar:exclude-source-domain:honoured", "leaves all hosts of the page's owner out", async () => {
    const world = await makeWorld();
    const text = "Herons are wading birds that hunt fish.";
    const hosts = [
      "blog.birds.co.uk",
      "birds.co.uk",
      "docs.birds.co.uk",
      "zoo.co.uk",
      "ann.github.io",
      "bob.github.io",
    ];
    await world.add(hosts.map((host) => ({ url: `https://${host}/heron`, text: `${text} So says ${host}.` })));
    const others = async (host: string): Promise<readonly string[]> => {
      const query = like({ url: `https://${host}/heron`, excludeSourceDomain: true });
      return (await findSimilarPages(world, query, signal)).pages.map(({ url }) => new URL(url).host).sort();
    };
    expect(await others("blog.birds.co.uk")).toEqual(["ann.github.io", "bob.github.io", "zoo.co.uk"]);
    expect(await others("ann.github.io")).toContain("bob.github.io");
  });

  it("keeps to filters and texts", async () => {
    const world = await birds();
    const onlyZoo = await findSimilarPages(world, like({ filter: { includeDomains: ["zoo.example"] } }), signal);
    expect(onlyZoo.pages.map(({ url }) => url)).toEqual(["https://zoo.example/stork"]);
    const onlyLarge = await findSimilarPages(world, like({ includeText: ["large wading"] }), signal);
    expect(onlyLarge.pages.map(({ url }) => url)).toEqual(["https://zoo.example/stork"]);
  });

  it("goes by words while the model loads, and says so", async () => {
    const world = await birds({
      embedQuery: () => Promise.reject(new AppError("unavailable", "loading", { retryable: true })),
    });
    const { pages, warnings } = await findSimilarPages(world, like(), signal);
    expect(pages[0]?.url).toBe("https://birds.example/egret");
    expect(warnings.map(({ code }) => code)).toContain("vectors_not_ready");
  });

  it("shows nothing of another team", async () => {
    const world = await birds();
    await world.add([{ teamId: "other", url: "https://x.example/", text: "Herons are wading birds that hunt fish." }]);
    const { pages } = await findSimilarPages(world, like(), signal);
    expect(pages.every(({ teamId }) => teamId === "team")).toBe(true);
  });
});
