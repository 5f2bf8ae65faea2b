import { AppError, makeId } from "@quarry/base";
import {
  cancelWorkflow,
  createWorkflow,
  ensureFirstTeam,
  getWorkflow,
  isWorkflowFinished,
  listEvents,
  MAX_ACTIVE_WORKFLOWS,
  startJobRunner,
  WORKFLOW_CLEANUP_JOB,
  WORKFLOW_JOB,
  type Database,
  type WorkflowTask,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { passingError, websetItem, workflowWorld, type WorkflowWorld } from "../testing.ts";
import type { WorkflowName } from "../workflow-args.ts";
import { createWorkflowCleanupHandler, createWorkflowJobHandler } from "./workflow-job.ts";

const entity = { type: "company" };
const items = [
  websetItem({
    id: "a",
    name: "Acme",
    met: { big: "yes" },
    cells: { e1: { format: "number", result: ["3"], from: "https://a.example" } },
  }),
  websetItem({ id: "b", name: "Beta", met: { big: "no" }, cells: { e1: { format: "number", result: null } } }),
];
const state = {
  enrichments: [{ id: "e1", description: "Employees" }],
  criteria: [{ description: "big", successRate: 50 }],
};

async function begin(db: Database, workflow: WorkflowName, args: object): Promise<WorkflowTask> {
  const { teamId } = await ensureFirstTeam(db, { now: new Date() });
  const task = { id: makeId("task"), teamId, workflow, args: args as WorkflowTask["args"] };
  return createWorkflow(db, task, new Date());
}

async function work(db: Database, world: WorkflowWorld, { id, teamId }: WorkflowTask): Promise<WorkflowTask> {
  const clock = { now: () => new Date() };
  const deps = { ...world, database: db, clock, onFailure: () => undefined };
  const handlers = {
    [WORKFLOW_JOB]: createWorkflowJobHandler(deps),
    [WORKFLOW_CLEANUP_JOB]: createWorkflowCleanupHandler(deps),
  };
  const runner = await startJobRunner({ database: db, handlers });
  try {
    const isDone = async (): Promise<boolean> => isWorkflowFinished((await getWorkflow(db, teamId, id)).status);
    await expect.poll(isDone, { timeout: 15_000 }).toBe(true);
  } finally {
    await runner.stop({ deadlineMs: 1_000 });
  }
  return getWorkflow(db, teamId, id);
}

/** A workflow, from its beginning to its end. */
async function run(
  world: WorkflowWorld,
  workflow: WorkflowName,
  args: object,
  check: (task: WorkflowTask) => void,
): Promise<void> {
  await withDatabase(async (db) => check(await work(db, world, await begin(db, workflow, args))));
}

describe("a task", () => {
  verifies(
    [
      "workflows:task:id-and-status",
      "workflows:task:steps-with-durations",
      "workflows:task:progress",
      "workflows:search-and-read:texts",
    ],
    "goes from pending to completed, with its steps",
    () =>
      withDatabase(async (db) => {
        const begun = await begin(db, "retrieval.searchAndRead", { query: "owls", numResults: 2 });
        expect(begun).toMatchObject({
          id: expect.stringMatching(/^task_/) as string,
          status: "pending",
          progress: { step: "waiting", completed: 0, total: 1 },
        });
        const done = await work(db, workflowWorld(), begun);
        expect(done).toMatchObject({
          status: "completed",
          error: null,
          progress: { step: "read", completed: 1, total: 2 },
        });
        const result = done.result as { pages: { text: string }[]; _summary: string; steps: object[] };
        expect(result._summary).toBe("2 results, 2 read");
        expect(result.pages.every(({ text }) => text.length <= 500 && text.endsWith("…"))).toBe(true);
        expect(result.steps).toEqual([
          { name: "search", durationMs: expect.any(Number) as number },
          { name: "read", durationMs: expect.any(Number) as number },
        ]);
      }),
  );

  it(
    "does a step once, however often its worker dies",
    () =>
      withDatabase(async (db) => {
        let reads = 0;
        const world = workflowWorld({
          retrieval: {
            read: () => {
              reads += 1;
              return reads < 3 ? Promise.reject(passingError()) : Promise.resolve([]);
            },
          },
        });
        let searches = 0;
        const { search } = world.retrieval;
        const counting: WorkflowWorld = {
          ...world,
          retrieval: { ...world.retrieval, search: (...given) => ((searches += 1), search(...given)) },
        };
        const done = await work(db, counting, await begin(db, "retrieval.searchAndRead", { query: "owls" }));
        expect([done.status, searches, reads]).toEqual(["completed", 1, 3]);
      }),
    30_000,
  );

  verifies("workflows:task:error-step", "that fails names the step and whether it can be repeated", () =>
    run(
      workflowWorld({ retrieval: { answer: () => Promise.reject(new AppError("invalid_request", "too long")) } }),
      "retrieval.verifiedAnswer",
      { query: "why?" },
      (task) =>
        expect(task).toMatchObject({
          status: "failed",
          error: { step: "answer", message: "too long", recoverable: false },
        }),
    ),
  );

  verifies(
    ["workflows:task:cancel", "workflows:task:partial-result"],
    "that is cancelled keeps what it has and stops what it made",
    () =>
      withDatabase(async (db) => {
        const world = workflowWorld({ looksUntilIdle: 1_000 });
        const task = await begin(db, "lifecycle.harvest", { query: "companies", entity });
        const working = work(db, world, task);
        const partial = async () => (await getWorkflow(db, task.teamId, task.id)).partialResult;
        await expect.poll(partial, { timeout: 10_000 }).toMatchObject({ found: 3, analyzed: 10 });
        await cancelWorkflow(db, task.teamId, task.id, new Date());
        expect(await working).toMatchObject({ status: "cancelled", partialResult: { completion: 50 } });
        await work(db, world, task);
        await expect.poll(() => world.calls).toContain(`cancel webset ${task.id}-webset`);
      }),
  );

  verifies("workflows:task:limit", "too many are refused with what to do", () =>
    withDatabase(async (db) => {
      for (let count = 0; count < MAX_ACTIVE_WORKFLOWS; count += 1)
        await begin(db, "retrieval.searchAndRead", { query: "owls" });
      await expect(begin(db, "retrieval.searchAndRead", { query: "owls" })).rejects.toThrow(
        "wait for one to end, or cancel one",
      );
    }),
  );
});

describe("harvesting", () => {
  verifies(
    ["workflows:harvest:polls-until-idle", "workflows:harvest:counts", "workflows:harvest:cleanup"],
    "waits, collects, counts and cleans up",
    () => {
      const world = workflowWorld({ items: { companies: items }, state, looksUntilIdle: 1 });
      const args = { query: "companies", entity, cleanup: true };
      return run(world, "lifecycle.harvest", args, ({ id, result }) => {
        expect(result).toMatchObject({
          items: [
            {
              id: "a",
              url: "https://a.example/",
              name: "Acme",
              description: "",
              satisfied: ["big"],
              enrichmentResults: { Employees: ["3"] },
            },
          ],
          included: 1,
          excluded: 1,
          timedOut: false,
        });
        expect(world.calls).toEqual(["create companies", `remove webset ${id}-webset`]);
      });
    },
  );

  it("ends well when its worker died between the removal and the note of it", () => {
    let removals = 0;
    const remove = () =>
      Promise.reject((removals += 1) === 1 ? passingError() : new AppError("not_found", "there is no webset"));
    const world = workflowWorld({ items: { companies: items }, state, websets: { remove } });
    return run(world, "lifecycle.harvest", { query: "companies", entity, cleanup: true }, ({ status, result }) => {
      expect([status, removals]).toEqual(["completed", 2]);
      expect(result).toMatchObject({ included: 1 });
    });
  });

  verifies("workflows:harvest:timeout-keeps-partial", "keeps what there is when the time is over", () =>
    run(
      workflowWorld({ items: { companies: items }, state, looksUntilIdle: 1_000 }),
      "lifecycle.harvest",
      { query: "companies", entity, timeoutSeconds: 1 },
      ({ status, result }) => {
        expect(status).toBe("completed");
        expect(result).toMatchObject({ timedOut: true, included: 1 });
      },
    ),
  );
});

describe("the other workflows", () => {
  verifies("workflows:adversarial:two-sides", "adversarial.verify looks at both sides", () =>
    run(
      workflowWorld({ items: { pro: [...items, websetItem({ id: "c" }), websetItem({ id: "d" })], contra: [] } }),
      "adversarial.verify",
      { thesis: "Owls sleep by day", thesisQuery: "pro", antithesisQuery: "contra", synthesize: true },
      ({ result }) =>
        expect(result).toMatchObject({ verdict: "supported", confidence: 0.5, synthesis: { report: "# Report" } }),
    ),
  );

  verifies("workflows:research-deep:waits", "research.deep waits for the report", () => {
    let looks = 0;
    const get = () =>
      Promise.resolve({
        status: (looks += 1) < 2 ? ("running" as const) : ("completed" as const),
        content: "# Owls",
        parsed: undefined,
        citations: [],
        error: null,
      });
    return run(workflowWorld({ research: { get } }), "research.deep", { instructions: "owls" }, ({ result }) =>
      expect(result).toMatchObject({ report: "# Owls", timedOut: false }),
    );
  });

  verifies(
    "workflows:verified-collection:per-item",
    "research.verifiedCollection writes a report on each of the first items",
    () => {
      const world = workflowWorld({
        items: { companies: [websetItem({ id: "a", name: "Acme" }), websetItem({ id: "b", name: "Beta" })] },
      });
      const args = {
        query: "companies",
        entity,
        researchPrompt: "What does {{name}} at {{url}} do?",
        researchLimit: 1,
      };
      return run(world, "research.verifiedCollection", args, ({ result }) => {
        expect(result).toMatchObject({ reports: { a: { status: "completed", report: "# Report" } } });
        expect(world.calls.filter((call) => call.startsWith("research"))).toEqual([
          expect.stringContaining("What does Acme at https://a.example/ do?"),
        ]);
      });
    },
  );

  verifies(
    "workflows:expand-and-collect:similar",
    "retrieval.expandAndCollect adds similar pages once, with their source",
    () =>
      run(
        workflowWorld(),
        "retrieval.expandAndCollect",
        { query: "owls", numResults: 2, expandTop: 2 },
        ({ result }) => {
          const { pages } = result as { pages: { url: string; source: string }[] };
          expect(pages.map(({ url, source }) => [url, source])).toEqual([
            ["https://a.example/owls", "search"],
            ["https://b.example/owls", "search"],
            ["https://a.example/owls/like", "similar to https://a.example/owls"],
            ["https://shared.example/", "similar to https://a.example/owls"],
            ["https://b.example/owls/like", "similar to https://b.example/owls"],
          ]);
        },
      ),
  );

  verifies(
    "workflows:verified-answer:overlap",
    "retrieval.verifiedAnswer tells which sources an independent search finds too",
    () =>
      run(workflowWorld(), "retrieval.verifiedAnswer", { query: "owls", numVerify: 2 }, ({ result }) =>
        expect(result).toMatchObject({ answer: "It is so.", overlap: ["https://a.example/owls"], overlapShare: 0.5 }),
      ),
  );

  verifies(
    "workflows:verify-enrichments:tiers",
    "verify.enrichments checks items and cells, and removes the unfit",
    () => {
      const found = (url: string) => ({ url, title: "x", publishedDate: null, highlights: ["Acme has 3 employees"] });
      const text = "Of all of them Acme has 3 employees.";
      const world = workflowWorld({
        items: { webset_1: items },
        state,
        retrieval: {
          // What the item's own pages say proves nothing: another source must.
          search: () => Promise.resolve([found("https://www.a.example/team"), found("https://x.example/list")]),
          read: (_, urls) => Promise.resolve(urls.map((url) => ({ url, title: "x", text }))),
        },
      });
      return run(world, "verify.enrichments", { websetId: "webset_1", removeUnfit: true }, ({ result }) => {
        expect(result).toMatchObject({
          items: [{ id: "a" }],
          fitness: [
            { id: "a", fitness: 1, isFit: true },
            { id: "b", fitness: 0, isFit: false },
          ],
          cells: [
            { id: "a", confirmed: true, evidence: { url: "https://x.example/list", quote: text } },
            { id: "b", confirmed: null, evidence: null },
          ],
          calibration: [{ enrichment: "Employees", filled: 1, lookedUp: 1, confirmed: 1, trust: 1 }],
          removed: ["b"],
        });
        expect(world.calls).toEqual(["remove webset_1 b"]);
      });
    },
  );

  it(
    "convergent.search, qd.winnow and semantic.cron come to their results",
    () =>
      withDatabase(async (db) => {
        const world = workflowWorld({ items: { one: items, two: items }, state });
        const converged = await work(
          db,
          world,
          await begin(db, "convergent.search", { queries: ["one", "two"], entity }),
        );
        expect(converged.result).toMatchObject({
          items: [{ id: "a" }],
          intersection: [{ id: "a", confidence: 1 }],
          overlap: [{ shared: 1, share: 1 }],
        });
        const args = {
          query: "one",
          entity,
          criteria: [{ description: "big" }],
          enrichments: [{ description: "Employees" }],
        };
        const won = await work(db, world, await begin(db, "qd.winnow", args));
        expect(won.result).toMatchObject({
          elites: [
            { id: "a", niche: "1", fitness: 3 },
            { id: "b", niche: "0", fitness: 0 },
          ],
          metrics: { coverage: 1, diversity: 1, stringency: 0.3 },
        });
        const cron = {
          lenses: [
            { name: "l1", query: "one" },
            { name: "l2", query: "two" },
          ],
          join: { by: "entity" },
          signal: { requires: "all" },
        };
        const first = await work(db, world, await begin(db, "semantic.cron", cron));
        expect(first.result).toMatchObject({
          signal: { fired: true },
          delta: { transition: "first", newJoins: ["a.example"] },
        });
        const empty = workflowWorld({ state });
        const second = await work(db, empty, await begin(db, "semantic.cron", cron));
        expect(second.result).toMatchObject({
          signal: { fired: false },
          delta: { transition: "cleared", lostJoins: ["a.example"] },
        });
      }),
    40_000,
  );

  it("semantic.cron keeps its lenses fresh, looks at them again, and tells of news once", () =>
    withDatabase(async (db) => {
      const world = workflowWorld({ items: { one: items }, state });
      const cron = {
        name: "watch",
        lenses: [{ name: "l1", query: "one" }],
        join: { by: "entity", minLenses: 1 },
        signal: { requires: "any" },
        monitor: { cron: "0 9 * * 1" },
        webhookUrl: "https://hooks.example/in",
      };
      const first = await work(db, world, await begin(db, "semantic.cron", cron));
      const websetId = `webset ${first.id}-lens l1`;
      expect(first.result).toMatchObject({
        websets: { l1: websetId },
        monitors: { l1: `monitor of ${websetId}` },
        webhookId: "webhook of watch",
        delta: { transition: "first" },
      });
      const second = await work(db, world, await begin(db, "semantic.cron", cron));
      expect(second.result).toMatchObject({
        websets: { l1: websetId },
        delta: { transition: "still-on", newJoins: [] },
      });
      expect(world.calls.filter((call) => call.startsWith("create"))).toHaveLength(1);
      const { teamId } = first;
      const { data } = await listEvents(db, { teamId, order: "newest-first", limit: 50, types: ["workflow.signal"] });
      expect(data.map((event) => [event.resource, event.data])).toEqual([
        [
          { kind: "semantic_cron", id: "watch" },
          expect.objectContaining({ taskId: first.id, signal: expect.objectContaining({ fired: true }) as object }),
        ],
      ]);
    }));
});
