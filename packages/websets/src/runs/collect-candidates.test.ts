import type { Webset, WebsetSearch } from "@quarry/store";
import { describe, expect, it } from "vitest";
import { collectCandidates, type Collected } from "./collect-candidates.ts";
import type { CollectStep } from "./collect-step.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** A web of addresses; a search finds them in their order, without those that are left out. */
function webOf(urls: readonly string[]): WebsetsDeps {
  const isOut = (url: string, places: readonly string[]): boolean =>
    places.some((place) => (place.includes("/") ? url === `https://${place}` : new URL(url).hostname === place));
  return {
    find: ({ limit, excludeDomains = [] }: Parameters<WebsetsDeps["find"]>[0]) =>
      Promise.resolve(urls.filter((url) => !isOut(url, excludeDomains)).slice(0, limit)),
    readPages: (place: { readonly urls: readonly string[] }) => Promise.resolve(place.urls.map((url) => ({ url }))),
    judges: {
      findEntities: ({ pages }: { readonly pages: readonly { readonly url: string }[] }) =>
        pages.map(({ url }) => ({ key: url, properties: {} })),
    },
  } as unknown as WebsetsDeps;
}

/** The keys of all that a formulation finds, part by part. */
async function collectAll(deps: WebsetsDeps, type: string): Promise<readonly string[]> {
  const place = {
    webset: { teamId: "team_1" } as Webset,
    search: { id: "search_1", query: "q", entity: { type } } as unknown as WebsetSearch,
  };
  const keys: string[] = [];
  let step: CollectStep | undefined = { kind: "find", query: "q", formulation: 0, readHosts: [] };
  for (let part = 0; step !== undefined; part += 1) {
    expect(part).toBeLessThan(20);
    const collected: Collected = await collectCandidates(deps, place, step, new AbortController().signal);
    if (collected.kind !== "collected") break;
    keys.push(...collected.candidates.map(({ entityKey }) => entityKey));
    step = collected.rest;
  }
  return keys;
}

describe("what a formulation finds", () => {
  it("is all the texts of a host that has many", async () => {
    const urls = Array.from({ length: 250 }, (_, index) => `https://archive.example/texts/${index}`);
    expect(await collectAll(webOf(urls), "article")).toEqual(urls);
  });

  it("leaves out a company's whole host once it was read", async () => {
    const pagesOf = (host: string): string[] =>
      Array.from({ length: 120 }, (_, index) => `https://${host}.example/page-${index}`);
    const found = await collectAll(webOf([...pagesOf("one"), ...pagesOf("two")]), "company");
    expect([found.length, new Set(found.map((url) => new URL(url).hostname)).size]).toEqual([200, 2]);
  });

  it("ends where pages cannot be left out", async () => {
    const urls = Array.from({ length: 150 }, (_, index) => `https://host-${index}.example/`);
    expect(await collectAll(webOf(urls), "article")).toHaveLength(100);
  });
});
