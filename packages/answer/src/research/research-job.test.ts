import { AppError, makeId } from "@quarry/base";
import { PRICE_LISTS, type ResearchModel } from "@quarry/contract";
import {
  cancelResearch,
  createResearch,
  ensureFirstTeam,
  getResearch,
  listResearchEvents,
  RESEARCH_JOB,
  startJobRunner,
  steerResearch,
  stopResearch,
  type Database,
  type Research,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { answerWorld, contentPage, scriptedLlm } from "../testing.ts";
import { createResearchJobHandler, type ResearchJobDeps } from "./research-job.ts";

const PAGES = [
  contentPage({
    url: "https://bridge.example/history",
    title: "The bridge",
    text: "The Brooklyn Bridge was opened on 24 May 1883. Emily Roebling led the work on the bridge for fourteen years.",
  }),
  contentPage({
    url: "https://river.example/",
    title: "The river",
    text: "The East River is crossed by the Brooklyn Bridge, which spans 486 metres.",
  }),
];
const INSTRUCTIONS = "When was the Brooklyn Bridge opened? Who led the work on the Brooklyn Bridge?";

interface WorldOptions {
  readonly change?: Partial<ResearchJobDeps>;
  readonly model?: ResearchModel;
  readonly outputSchema?: Record<string, unknown> | null;
  readonly instructions?: string;
}

function depsOf(database: Database, change: Partial<ResearchJobDeps> = {}): ResearchJobDeps {
  const { scoreSentences, analyser, statistics } = answerWorld(PAGES);
  return {
    database,
    clock: { now: () => new Date() },
    search: () => Promise.resolve(PAGES.map(({ url }) => ({ url }))),
    readPage: ({ url }) => Promise.resolve(PAGES.find((page) => page.url === url)),
    scoreSentences,
    analyser,
    statistics,
    llm: undefined,
    prices: PRICE_LISTS.free,
    newId: (prefix) => makeId(prefix),
    ...change,
  };
}

async function begin(db: Database, options: WorldOptions = {}): Promise<Research> {
  const { teamId } = await ensureFirstTeam(db, { now: new Date() });
  const { model = "exa-research-fast", outputSchema = null, instructions = INSTRUCTIONS } = options;
  const wanted = { id: makeId("research"), teamId, keyId: null, model, instructions, outputSchema };
  return createResearch(db, wanted, { maxRunning: 15, now: new Date() });
}

async function work(db: Database, deps: ResearchJobDeps, { id, teamId }: Research): Promise<Research> {
  const runner = await startJobRunner({ database: db, handlers: { [RESEARCH_JOB]: createResearchJobHandler(deps) } });
  try {
    await expect.poll(async () => (await getResearch(db, teamId, id)).finishedAt, { timeout: 20_000 }).not.toBeNull();
  } finally {
    await runner.stop({ deadlineMs: 1_000 });
  }
  return getResearch(db, teamId, id);
}

/** A run, done; with its events as the wire shows them. */
function research(options: WorldOptions, check: (done: Research, types: readonly string[]) => void): Promise<void> {
  return withDatabase(async (db) => {
    const begun = await begin(db, options);
    const done = await work(db, depsOf(db, options.change), begun);
    const events = await listResearchEvents(db, begun.id);
    check(
      done,
      events.map(({ event }) => (event as { readonly eventType: string }).eventType),
    );
  });
}

describe("without a model", () => {
  verifies(
    [
      "research:run:durable-plan",
      "research:extractive:decomposition",
      "research:extractive:digest",
      "research:events:plan",
      "research:events:task",
      "research:events:research-definition",
      "research:events:research-output",
    ],
    "takes the request apart, reads for each part, and writes a digest with sources",
    () =>
      research({}, (done, types) => {
        expect(done).toMatchObject({ status: "completed", error: null });
        const { output, citations, costDollars } = done.output as {
          readonly output: { readonly content: string };
          readonly citations: readonly { readonly url: string; readonly snippet: string }[];
          readonly costDollars: object;
        };
        expect(output.content).toContain(
          "The Brooklyn Bridge was opened on 24 May 1883. [[1]](https://bridge.example/history)",
        );
        expect(output.content).toContain("## Who led the work on the Brooklyn Bridge?");
        for (const { url, snippet } of citations) {
          expect(PAGES.find((page) => page.url === url)?.text).toContain(snippet);
        }
        expect(costDollars).toEqual({ total: 0, numSearches: 2, numPages: 1, reasoningTokens: 0 });
        const task = ["task-definition", "task-operation", "task-operation", "task-operation", "task-output"];
        expect(types).toEqual([
          "research-definition",
          "plan-definition",
          "plan-operation",
          "plan-output",
          ...task,
          ...task,
          "plan-definition",
          "plan-output",
          "research-output",
        ]);
      }),
  );

  verifies("research:extractive:schema", "fills a schema from the pages", () =>
    research(
      { outputSchema: { type: "object", properties: { opened: { type: "string", format: "date" } } } },
      (done) => {
        expect(done.output).toMatchObject({
          output: { content: '{"opened":"1883-05-24"}', parsed: { opened: "1883-05-24" } },
        });
      },
    ),
  );

  verifies("research:run:budget-time", "ends with what it has when its time is over", () => {
    let now = Date.now();
    const clock = { now: () => new Date((now += 25_000)) };
    return research({ change: { clock } }, (done, types) => {
      expect(done.status).toBe("completed");
      expect(types.filter((type) => type === "task-definition").length).toBeLessThan(2);
      expect(types.at(-1)).toBe("research-output");
    });
  });

  verifies("research:run:fails-with-reason", "fails with the reason when a step cannot be done", () =>
    research(
      { change: { search: () => Promise.reject(new AppError("invalid_request", "the query is too long")) } },
      (done, types) => {
        expect(done).toMatchObject({ status: "failed", error: "the query is too long" });
        expect(types.at(-1)).toBe("research-output");
      },
    ),
  );
});

describe("with a model", () => {
  verifies(
    ["research:model:report-cited", "research:model:contradictions", "research:run:cost-really-used"],
    "lets it plan, take notes and write, and keeps what the quotes carry",
    () => {
      const { llm } = scriptedLlm([
        '{"reasoning": "One thing to know.", "tasks": ["When was the Brooklyn Bridge opened?"]}',
        '{"claims": [{"text": "The Brooklyn Bridge was opened on 24 May 1883.", "sources": [1]}, {"text": "It opened in 1999.", "sources": [1]}, {"text": "The Brooklyn Bridge spans 486 metres.", "sources": [2]}]}',
        '{"report": "# The bridge\\n\\nThe Brooklyn Bridge was opened on 24 May 1883 [1]. It was destroyed in 1950 [1].", "contradictions": [[1, 2], [1, 9]]}',
      ]);
      return research({ change: { llm, prices: PRICE_LISTS.exa } }, (done) => {
        const { output, costDollars } = done.output as {
          readonly output: { readonly content: string };
          readonly costDollars: object;
        };
        expect(output.content).toContain("The Brooklyn Bridge was opened on 24 May 1883. [[1]]");
        expect(output.content).toContain("## Where sources disagree");
        expect(output.content).not.toMatch(/1950|1999/);
        expect(costDollars).toEqual({ total: 0.0118, numSearches: 1, numPages: 1, reasoningTokens: 360 });
      });
    },
  );

  verifies(
    "research:model:schema-validated",
    "fails and names the path when the sources do not carry what is required",
    () => {
      const outputSchema = { type: "object", properties: { mayor: { type: "string" } }, required: ["mayor"] };
      const { llm } = scriptedLlm([
        '{"reasoning": "One thing.", "tasks": ["Who was mayor?"]}',
        '{"claims": []}',
        '{"mayor": "Jane Roe"}',
      ]);
      return research({ outputSchema, change: { llm } }, (done) => {
        expect(done.status).toBe("failed");
        expect(done.error).toContain("/mayor");
      });
    },
  );

  it("goes on without the model when that fails", () => {
    const { llm } = scriptedLlm([new AppError("upstream_failed", "down")]);
    return research({ change: { llm } }, (done) => {
      expect(done.status).toBe("completed");
      expect((done.output as { output: { content: string } }).output.content).toContain("24 May 1883");
    });
  });
});

verifies("research:proof:killed-ten-times", "takes the same steps, each once, however often its worker dies", () =>
  withDatabase(async (db) => {
    const whole = await begin(db);
    const expected = await work(db, depsOf(db), whole);
    const begun = await begin(db);
    let calls = 0;
    const search = depsOf(db).search;
    const dying = {
      search: (...ask: Parameters<typeof search>) => {
        calls += 1;
        return calls % 2 === 1 ? new Promise<never>(() => undefined) : search(...ask); // dies in the middle
      },
    };
    for (let life = 0; life < 10; life += 1) {
      const handlers = { [RESEARCH_JOB]: createResearchJobHandler(depsOf(db, dying)) };
      const runner = await startJobRunner({ database: db, handlers });
      await new Promise((resolve) => setTimeout(resolve, 60));
      await runner.stop({ deadlineMs: 0 });
    }
    const done = await work(db, depsOf(db), begun);
    expect(done.output).toEqual(expected.output);
    const shapes = async (id: string): Promise<readonly string[]> =>
      (await listResearchEvents(db, id)).map(({ event }) =>
        JSON.stringify(event).replace(/"(?:plan|task|operation)_\w+"/g, '"id"'),
      );
    expect(await shapes(begun.id)).toEqual(await shapes(whole.id));
  }),
);

verifies("agent-runs:stop:early", "concludes with what it has when it is asked to stop", () =>
  withDatabase(async (db) => {
    const begun = await begin(db);
    const { readPage } = depsOf(db);
    const deps = depsOf(db, {
      readPage: async (...ask: Parameters<typeof readPage>) => {
        await stopResearch(db, begun.teamId, begun.id, new Date());
        return readPage(...ask);
      },
    });
    const done = await work(db, deps, begun);
    expect(done).toMatchObject({
      status: "completed",
      output: { stopReason: "stopped", costDollars: { numSearches: 1 } },
    });
    expect((done.output as { output: { content: string } }).output.content).toContain("24 May 1883");
  }),
);

verifies("research:run:cancel", "stops at once when it is cancelled", () =>
  withDatabase(async (db) => {
    const begun = await begin(db);
    const deps = depsOf(db, {
      readPage: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    });
    const runner = await startJobRunner({ database: db, handlers: { [RESEARCH_JOB]: createResearchJobHandler(deps) } });
    await expect.poll(async () => (await listResearchEvents(db, begun.id)).length).toBeGreaterThan(3);
    const canceled = await cancelResearch(db, begun.teamId, begun.id, new Date());
    expect(canceled.status).toBe("canceled");
    await runner.stop({ deadlineMs: 5_000 });
    expect(await getResearch(db, begun.teamId, begun.id)).toEqual(canceled);
  }),
);

it("takes a further wish up with its next plan, whatever the number of plans, and refuses one when it has ended", () =>
  withDatabase(async (db) => {
    const begun = await begin(db, { instructions: "When was the Brooklyn Bridge opened?" });
    const steer = (text: string) => steerResearch(db, begun.teamId, begun.id, { text, maxCharacters: 1_000 });
    const wish = "Who led the work on the Brooklyn Bridge?";
    const deps = depsOf(db);
    const readPage: ResearchJobDeps["readPage"] = async (asked, signal) => {
      await steer(wish); // again and again: it is one wish
      return deps.readPage(asked, signal);
    };
    const done = await work(db, { ...deps, readPage }, begun);
    const events = (await listResearchEvents(db, begun.id)).map(({ event }) => event as Record<string, unknown>);
    const tasks = events.filter(({ eventType }) => eventType === "task-definition");
    expect(tasks.map(({ instructions }) => instructions)).toEqual(["When was the Brooklyn Bridge opened?", wish]);
    expect(done.instructions).toBe(`When was the Brooklyn Bridge opened?\n\n${wish}`);
    expect(JSON.stringify(done.output)).toContain("Emily Roebling");
    await expect(steer("And what does it span?")).rejects.toMatchObject({ code: "conflict" });
    await expect(steer("x".repeat(1_000))).rejects.toMatchObject({ code: "conflict" });
  }));

it("takes a wish up that comes while it writes its report", () =>
  withDatabase(async (db) => {
    const begun = await begin(db, { instructions: "When was the Brooklyn Bridge opened?" });
    const wish = "Who led the work on the Brooklyn Bridge?";
    const hasStopped = async (): Promise<boolean> =>
      (await listResearchEvents(db, begun.id)).some(({ event }) => JSON.stringify(event).includes('"stop"'));
    let isSteered = false;
    const steersBeforeTheEnd: Database = {
      ...db,
      transaction: async (inside) => {
        if (!isSteered && (await hasStopped())) {
          isSteered = true;
          await steerResearch(db, begun.teamId, begun.id, { text: wish, maxCharacters: 1_000 });
        }
        return db.transaction(inside);
      },
    };
    const done = await work(steersBeforeTheEnd, depsOf(db), begun);
    expect(isSteered).toBe(true);
    expect(done).toMatchObject({
      status: "completed",
      instructions: `When was the Brooklyn Bridge opened?\n\n${wish}`,
    });
    expect(JSON.stringify(done.output)).toContain("Emily Roebling");
  }));
