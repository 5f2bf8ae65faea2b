import { AppError, makeId } from "@quarry/base";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { createEnrichment, runEnrichment, updateEnrichment, type RunWish } from "./manage-enrichments.ts";
import { listProjectedItems, overrideCell, overrideVerdict, readHistory, readVerdictAttempts } from "./manage-items.ts";
import { cancelSearch, createWebsetSearch } from "./manage-searches.ts";
import { cancelWebset, pauseWebset, removeWebset, resumeWebset } from "./steer-webset.ts";
import { openWorld, ROTE_JUDGES, searchWish, type TestCompany, type TestWorld } from "./testing-world.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

function withWorld(
  companies: readonly TestCompany[],
  work: (world: TestWorld) => Promise<void>,
  change: Partial<WebsetsDeps> = {},
): Promise<void> {
  return withDatabase(async (db) => work(await openWorld(db, companies, change)));
}

const COMPANIES: readonly TestCompany[] = [
  { name: "Acme", says: "Acme makes rockets. It sells abroad. Employees: 12 people." },
  { name: "Beta", says: "Beta makes rockets. It sells abroad." },
  { name: "Gamma", says: "Gamma makes rockets. It does not sells abroad." },
  { name: "Delta", says: "Delta makes cakes." },
  { name: "Epsilon", says: "Epsilon makes rockets. It sells abroad. Employees: 99 people." },
];
const ROCKETS = { query: "makes rockets", count: 10, criteria: [{ description: "makes rockets" }] };

function names(webset: { readonly items?: readonly { readonly properties: { readonly url: string } }[] | undefined }) {
  return (webset.items ?? []).map(({ properties }) => new URL(properties.url).hostname.replace(".example", "")).sort();
}

const next = (world: TestWorld, prefix: string) => ({ id: makeId(prefix), teamId: world.teamId });

describe("a search", () => {
  verifies(
    [
      "websets:status:pending",
      "websets:status:idle-when-all-done",
      "websets:status:computed",
      "websets:search-object:states",
      "websets:search-object:ends-when-exhausted",
      "websets:search-object:success-rate",
      "websets:item:evaluations",
      "websets:find:several-formulations",
      "websets:find:evidence-needed",
      "websets:item:stage-found",
    ],
    "lists what meets every criterion, with a quote for each, and tells of each step",
    () =>
      withWorld(COMPANIES, async (world) => {
        const criteria = [{ description: "makes rockets" }, { description: "sells abroad" }];
        const made = await world.create({ search: { query: "makes rockets", count: 10, criteria } });
        expect(made).toMatchObject({ status: "pending", searches: [{ status: "created" }] });
        const done = await world.work(made.id);
        expect(names(done)).toEqual(["acme", "beta", "epsilon"]);
        expect(done.searches[0]).toMatchObject({
          status: "completed",
          recall: null,
          progress: { found: 3, analyzed: 5, completion: 100 },
          criteria: [
            { description: "makes rockets", successRate: 80 },
            { description: "sells abroad", successRate: 75 },
          ],
        });
        for (const item of done.items ?? []) {
          expect(item.evaluations.map(({ satisfied }) => satisfied)).toEqual(["yes", "yes"]);
          expect(item.evaluations.every(({ references }) => references.length > 0)).toBe(true);
          expect(item.enrichments).toEqual([]);
          const reference = { teamId: world.teamId, webset: made.id };
          for (const { criterion } of item.evaluations) {
            const attempts = await readVerdictAttempts(world.deps, reference, item.id, criterion);
            expect(attempts).toEqual([expect.objectContaining({ round: 1, tries: 1, outcome: "filled", pages: 1 })]);
          }
        }
        const events = await world.events(made.id);
        expect(events.slice(0, 2)).toEqual(["webset.created", "webset.search.created"]);
        expect(events.slice(-2)).toEqual(["webset.search.completed", "webset.idle"]);
        expect(events.filter((type) => type === "webset.item.created")).toHaveLength(3);
      }),
  );

  verifies("websets:search-object:ends-at-count", "ends when the count is reached", () =>
    withWorld(COMPANIES, async (world) => {
      const done = await world.work((await world.create({ search: { ...ROCKETS, count: 2 } })).id);
      expect(done.items).toHaveLength(2);
      expect(done.searches[0]?.progress).toMatchObject({ found: 2, completion: 100 });
    }),
  );

  verifies("websets:search-object:ends-at-limit", "ends at fifty candidates for each item asked for", () =>
    withWorld(
      Array.from({ length: 70 }, (_, index) => ({ name: `Cake${index}`, says: "It makes cakes." })),
      async (world) => {
        const done = await world.work((await world.create({ search: { ...ROCKETS, count: 1 } })).id);
        expect(done.searches[0]).toMatchObject({ status: "completed", progress: { found: 0, analyzed: 50 } });
      },
    ),
  );

  verifies(
    ["websets:search:queued", "websets:search:append", "websets:search:override", "websets:search:behavior-default"],
    "waits for another; append adds, override drops what fails",
    () =>
      withWorld(COMPANIES, async (world) => {
        const cakes = { query: "makes cakes", count: 5, criteria: [{ description: "makes cakes" }] };
        const { id } = await world.create({ search: ROCKETS });
        const reference = { teamId: world.teamId, webset: id };
        const second = await createWebsetSearch(
          world.deps,
          reference,
          next(world, "wsearch"),
          searchWish({ ...cakes, behavior: "append" }),
        );
        expect(second).toMatchObject({ status: "created", behavior: "append" });
        const both = await world.work(id);
        expect(both.searches.map(({ status }) => status)).toEqual(["completed", "completed"]);
        expect(names(both)).toEqual(["acme", "beta", "delta", "epsilon", "gamma"]);
        const third = await createWebsetSearch(world.deps, reference, next(world, "wsearch"), searchWish(cakes));
        expect(third.behavior).toBe("override");
        expect(names(await world.work(id))).toEqual(["delta"]);
      }),
  );

  verifies(
    ["websets:create:exclude", "websets:search:scope-filters", "websets:exa-js:scope-exclude-delete"],
    "leaves out what excluded websets have, and looks only into its scope",
    () =>
      withWorld(COMPANIES, async (world) => {
        const first = await world.work((await world.create({ search: { ...ROCKETS, count: 2 } })).id);
        const others = await world.create({ search: ROCKETS, exclude: [{ source: "webset", id: first.id }] });
        const rest = await world.work(others.id);
        expect([...names(first), ...names(rest)].sort()).toEqual(["acme", "beta", "epsilon", "gamma"]);
        const criteria = [{ description: "sells abroad" }];
        const scope = [{ source: "webset" as const, id: first.id }];
        const scoped = await world.create({ search: { query: "exporters", count: 9, criteria, scope } });
        const kept = await world.work(scoped.id);
        expect(names(kept)).toEqual(names(first).filter((name) => name !== "gamma"));
        for (const { scopeId, sourceEntityId } of kept.items ?? []) {
          expect(scopeId).toBe(first.id);
          expect(first.items?.map(({ id }) => id)).toContain(sourceEntityId);
        }
      }),
  );

  verifies(
    ["websets:recall:estimate", "websets:recall:null-unless-asked", "websets:search:recall-asked"],
    "estimates how many there are when asked",
    () =>
      withWorld(COMPANIES, async (world) => {
        const done = await world.work((await world.create({ search: { ...ROCKETS, count: 2, recall: true } })).id);
        expect(done.items).toHaveLength(2);
        expect(done.searches[0]?.recall?.expected).toMatchObject({ total: 4, bounds: { min: 4 } });
        expect(done.searches[0]?.recall?.reasoning).toContain("formulations");
      }),
  );

  verifies(
    ["websets:caps:hard"],
    "stops at a cap, which is never passed",
    () =>
      withWorld(COMPANIES, async (world) => {
        const one = await world.create({ search: ROCKETS, quarry: { caps: { items: 1 } } });
        expect((await world.work(one.id)).items).toHaveLength(1);
        // Pages are set aside before they are read, by several at once; those that wait for room find what others gave back.
        const few = await world.create({ search: ROCKETS, quarry: { caps: { pages: 20 } } });
        expect((await world.work(few.id)).items).toHaveLength(4);
        const [row] = await world.db.query<{ spent_pages: number }>("SELECT spent_pages FROM websets WHERE id = $1", [
          few.id,
        ]);
        expect(row?.spent_pages).toBeGreaterThan(0);
        expect(row?.spent_pages).toBeLessThanOrEqual(20);
      }),
    60_000,
  );

  it("gives back what a failed try had booked, so that the next one finds room under the cap", () => {
    let fails = 2;
    return withWorld(
      COMPANIES.slice(0, 1),
      async (world) => {
        const made = await world.create({ search: ROCKETS, quarry: { caps: { pages: 10 } } });
        expect(names(await world.work(made.id))).toEqual(["acme"]);
        const [row] = await world.db.query<{ spent_pages: number }>("SELECT spent_pages FROM websets");
        expect({ fails, row }).toEqual({ fails: 0, row: { spent_pages: 3 } });
      },
      {
        judges: {
          ...ROTE_JUDGES,
          judgeCriterion: (question) => {
            if (fails === 0) return ROTE_JUDGES.judgeCriterion(question);
            fails -= 1;
            return Promise.reject(
              new AppError("unavailable", "away for a moment", { retryable: true, retryAfterMs: 1 }),
            );
          },
        },
      },
    );
  });
});

describe("cancelling and pausing", () => {
  verifies(
    ["websets:cancel:stops-all", "websets:cancel:reason", "websets:search-object:user-cancel"],
    "ends all that is open, with its reason",
    () =>
      withWorld(COMPANIES, async (world) => {
        const { id, searches } = await world.create({ search: ROCKETS, enrichments: [{ description: "Employees:" }] });
        const reference = { teamId: world.teamId, webset: id };
        const canceled = await cancelWebset(world.deps, reference);
        expect(canceled).toMatchObject({
          status: "idle",
          searches: [{ status: "canceled", canceledReason: "webset_canceled" }],
        });
        expect(await world.events(id)).toEqual([
          "webset.created",
          "webset.search.created",
          "webset.search.canceled",
          "webset.idle",
        ]);
        const other = await createWebsetSearch(world.deps, reference, next(world, "wsearch"), searchWish(ROCKETS));
        const one = await cancelSearch(world.deps, reference, other.id);
        expect(one).toMatchObject({ status: "canceled", canceledReason: null });
        expect(one.canceledAt).not.toBeNull();
        expect(searches).toHaveLength(1);
      }),
  );

  verifies(
    ["websets:pause:no-new-unit", "websets:pause:resume"],
    "starts nothing while paused, and goes on after",
    () =>
      withWorld(COMPANIES, async (world) => {
        const { id } = await world.create({ search: ROCKETS });
        const reference = { teamId: world.teamId, webset: id };
        expect((await pauseWebset(world.deps, reference)).status).toBe("paused");
        const jobsLeft = async (): Promise<number> => {
          const [row] = await world.db.query<{ count: number }>(
            "SELECT count(*) AS count FROM jobs WHERE state IN ('queued', 'running', 'blocked', 'scheduled')",
          );
          return row?.count ?? 0;
        };
        let left = -1;
        await world.work(id, () => {
          void jobsLeft().then((count) => (left = count));
          return left === 0;
        });
        expect(await world.read(id)).toMatchObject({ status: "paused", items: [] });
        expect((await resumeWebset(world.deps, reference)).status).not.toBe("paused");
        expect(names(await world.work(id))).toEqual(["acme", "beta", "epsilon", "gamma"]);
        expect(await world.events(id)).toContain("webset.paused");
      }),
  );

  verifies(["websets:delete:returns-object", "websets:delete:cancels-work"], "deletes all of it", () =>
    withWorld(COMPANIES, async (world) => {
      const { id } = await world.create({ search: ROCKETS });
      const deleted = await removeWebset(world.deps, { teamId: world.teamId, webset: id });
      expect(deleted).toMatchObject({ id, searches: [{ status: "canceled", canceledReason: "webset_deleted" }] });
      await expect(world.read(id)).rejects.toMatchObject({ code: "not_found" });
      expect((await world.events(id)).slice(-2)).toEqual(["webset.search.canceled", "webset.deleted"]);
    }),
  );
});

describe("enrichments", () => {
  verifies(
    [
      "websets:enrichment:starts-as-items-arrive",
      "websets:enrichment:parallel",
      "websets:item:stage-pending",
      "websets:item:stage-enriched",
      "websets:cell:status",
      "websets:cell:null-when-unknown",
      "websets:cell:reasoning-and-references",
    ],
    "fill a cell of each item, as items arrive",
    () =>
      withWorld(COMPANIES, async (world) => {
        const enrichments = [{ description: "Employees:", format: "number" as const }];
        const { id } = await world.create({ search: ROCKETS, enrichments });
        const done = await world.work(id);
        expect(done.enrichments[0]).toMatchObject({ status: "completed", format: "number", title: "Employees" });
        const results = done.items?.map(({ enrichments: [cell] }) => cell?.result);
        expect(
          results
            ?.filter((result) => result !== null)
            .flat()
            .sort(),
        ).toEqual(["12", "99"]);
        const filled = done.items?.find(({ enrichments: [cell] }) => cell?.result !== null)?.enrichments[0];
        expect(filled).toMatchObject({ status: "completed", object: "enrichment_result" });
        expect(filled?.references).toHaveLength(1);
        const events = await world.events(id);
        expect(events.filter((type) => type === "webset.item.enriched")).toHaveLength(4);
        expect(events.at(-1)).toBe("webset.idle");
      }),
  );

  verifies(
    [
      "websets:enrichment:on-idle-webset",
      "websets:status:running-again",
      "websets:verdict:override",
      "websets:verdict:history",
      "websets:verdict:kept-on-rerun",
    ],
    "run over all items of an idle webset; a person's values stay",
    () =>
      withWorld(COMPANIES, async (world) => {
        const { deps, teamId } = world;
        const { id } = await world.work((await world.create({ search: ROCKETS })).id);
        const reference = { teamId, webset: id };
        const added = await createEnrichment(deps, reference, next(world, "wenrich"), {
          description: "Employees:",
          format: "number",
          options: undefined,
          metadata: undefined,
          instructions: undefined,
        });
        expect(await world.read(id)).toMatchObject({ status: "running", enrichments: [{ status: "pending" }] });
        const filled = await world.work(id);
        const itemId = filled.items?.find(({ properties }) => properties.url.includes("acme"))?.id ?? "";
        const place = { itemId, enrichmentId: added.id };
        await overrideCell(deps, reference, place, { result: ["7"], by: "apikey_1", note: "I counted." });
        await updateEnrichment(deps, reference, added.id, {
          description: "people",
          format: undefined,
          options: undefined,
          metadata: undefined,
          title: undefined,
        });
        const again = await world.work(id);
        expect(again.items?.find((item) => item.id === itemId)?.enrichments[0]).toMatchObject({
          result: ["7"],
          quarry: { human: { by: "apikey_1", note: "I counted." } },
        });
        const run = (wish: RunWish) => runEnrichment(deps, reference, added.id, wish);
        const others = (again.items?.length ?? 0) - 1;
        expect(await run({ scope: "failed" })).toEqual({ opened: 0 });
        expect(await run({ scope: "all", itemIds: [itemId] })).toEqual({ opened: 0 }); // a person's value stays
        expect(await run({ scope: "all" })).toEqual({ opened: others });
        expect(await run({ scope: "all", count: 1 })).toEqual({ opened: 0 }); // they are being filled already
        await world.work(id);
        const history = await readHistory(deps, reference, itemId, { enrichmentId: added.id });
        expect(history.map(({ value, by }) => ({ value, by }))).toEqual([
          { value: ["12"], by: "quarry" },
          { value: ["7"], by: "apikey_1" },
        ]);
        const verdict = { criterion: "makes rockets", satisfied: "yes" as const, by: "apikey_1", note: "Seen." };
        await overrideVerdict(deps, reference, itemId, verdict);
        await createWebsetSearch(deps, reference, next(world, "wsearch"), searchWish(ROCKETS));
        const rerun = await world.work(id);
        expect(rerun.items?.find((item) => item.id === itemId)?.evaluations[0]).toMatchObject({
          quarry: { human: { note: "Seen." } },
        });
      }),
  );
});

describe("projections", () => {
  verifies(
    ["websets:projection:card", "websets:projection:answers", "websets:projection:full"],
    "show exactly the keys of their tier",
    () =>
      withWorld(COMPANIES, async (world) => {
        const { id } = await world.work(
          (await world.create({ search: ROCKETS, enrichments: [{ description: "Employees:" }] })).id,
        );
        const keysOf = async (projection: "card" | "answers" | "full"): Promise<readonly string[]> => {
          const page = await listProjectedItems(
            world.deps,
            { teamId: world.teamId, webset: id },
            { limit: 1, projection },
          );
          return Object.keys(page.data[0] ?? {});
        };
        const card = ["id", "url", "name", "description", "evaluations"];
        expect(await keysOf("card")).toEqual(card);
        expect(await keysOf("answers")).toEqual([...card, "enrichments"]);
        expect(await keysOf("full")).toContain("properties");
      }),
  );
});

describe("what is given up", () => {
  it("ends the search or the cell rather than leave it open", () =>
    withWorld(
      COMPANIES,
      async (world) => {
        const { id } = await world.create({ search: ROCKETS });
        const done = await world.work(id);
        expect(done).toMatchObject({ status: "idle", items: [], searches: [{ status: "completed" }] });
      },
      { find: () => Promise.reject(new AppError("upstream_failed", "the index is gone for good")) },
    ));
});
