import { makeId } from "@quarry/base";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { overrideVerdict, readHistory } from "./manage-items.ts";
import { createWebsetSearch } from "./manage-searches.ts";
import { openWorld, ROTE_JUDGES, searchWish, type TestCompany, type TestWorld } from "./testing-world.ts";

const COMPANIES: readonly TestCompany[] = [
  { name: "Acme", says: "Acme makes rockets. It sells abroad. It also makes cakes." },
  { name: "Beta", says: "Beta makes rockets. It sells abroad. It also makes cakes." },
];
const ROCKETS = {
  query: "makes rockets",
  count: 10,
  criteria: [{ description: "makes rockets" }, { description: "sells abroad" }],
};
const CAKES = { query: "makes cakes", count: 10, criteria: [{ description: "makes cakes" }] };

/** A webset that lists both companies, one of which a person can judge while the last criterion is judged again. */
interface ListedWorld extends TestWorld {
  readonly acme: { readonly id: string };
  readonly decide: (satisfied: "yes" | "no", criterion: string) => Promise<unknown>;
  readonly decideMeanwhile: (satisfied: "yes" | "no", criterion: string) => void;
  readonly search: (wish: Parameters<typeof searchWish>[0]) => Promise<readonly string[]>;
  readonly history: (criterion: string) => Promise<readonly unknown[]>;
}

function withListed(work: (world: ListedWorld) => Promise<void>): Promise<void> {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const judges: typeof ROTE_JUDGES = {
    ...ROTE_JUDGES,
    judgeCriterion: async (question) => {
      if (question.entity.name === "Acme" && question.criterion === "sells abroad") await meanwhile?.();
      return ROTE_JUDGES.judgeCriterion(question);
    },
  };
  return withDatabase(async (db) => {
    const world = await openWorld(db, COMPANIES, { judges });
    const { deps, teamId } = world;
    const made = await world.work((await world.create({ search: ROCKETS })).id);
    const reference = { teamId, webset: made.id };
    const acme = made.items?.find(({ properties }) => properties.url.includes("acme")) ?? { id: "" };
    const decide: ListedWorld["decide"] = (satisfied, criterion) =>
      overrideVerdict(deps, reference, acme.id, { criterion, satisfied, by: "apikey_1", note: "I know." });
    await work({
      ...world,
      acme,
      decide,
      decideMeanwhile: (satisfied, criterion) => {
        meanwhile = () => {
          meanwhile = undefined;
          return decide(satisfied, criterion);
        };
      },
      search: async (wish) => {
        await createWebsetSearch(deps, reference, { id: makeId("wsearch"), teamId }, searchWish(wish));
        const { items = [] } = await world.work(made.id);
        return items.map(({ properties }) => new URL(properties.url).hostname).sort();
      },
      history: async (criterion) => {
        const past = await readHistory(deps, reference, acme.id, { criterion });
        return past.map(({ value, by, note }) => [value, by, note]);
      },
    });
  });
}

describe("a person's verdict", () => {
  const both = ["acme.example", "beta.example"];

  verifies(
    ["websets:verdict:kept-on-rerun", "websets:verdict:history"],
    "given in the middle of a re-run, on what was judged already, stays",
    () =>
      withListed(async ({ decideMeanwhile, search, history }) => {
        decideMeanwhile("yes", "makes rockets");
        expect(await search(ROCKETS)).toEqual(both);
        expect(await history("makes rockets")).toEqual([
          ["yes", "quarry", null],
          ["yes", "apikey_1", "I know."],
        ]);
      }),
  );

  it("drops the item when it is a no, which is not found again", () =>
    withListed(async ({ decideMeanwhile, search }) => {
      decideMeanwhile("no", "makes rockets");
      expect(await search(ROCKETS)).toEqual(["beta.example"]);
      expect(await search({ ...ROCKETS, behavior: "append" })).toEqual(["beta.example"]);
      expect(await search({ ...CAKES, behavior: "append" })).toEqual(both);
    }));

  it("stays through a search by other criteria, which keeps in the history what it replaces", () =>
    withListed(async ({ decide, search, history }) => {
      await decide("no", "sells abroad");
      expect(await search(CAKES)).toEqual(both);
      expect(await history("sells abroad")).toEqual([
        ["yes", "quarry", null],
        ["no", "apikey_1", "I know."],
      ]);
      expect(await search(ROCKETS)).toEqual(["beta.example"]);
    }));
});
