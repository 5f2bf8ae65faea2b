import { sleep, type Clock } from "@quarry/base";
import {
  createResearchSchema,
  getResearchQuerySchema,
  listResearchQuerySchema,
  MAX_INSTRUCTIONS,
  pageOf,
  researchSchema,
  type Caller,
  type ResearchCitation,
  type ResearchCost,
  type ResearchModel,
} from "@quarry/contract";
import { compileSchema } from "@quarry/models";
import {
  cancelResearch,
  createResearch,
  getResearch,
  isResearchFinished,
  listResearch,
  listResearchEvents,
  RESEARCH_CHANNEL,
  steerResearch,
  type Database,
  type Research,
  type StoredResearchEvent,
} from "@quarry/store";
import { z } from "zod";
import { RESEARCH_TASKS_PER_KEY } from "../rate-limit.ts";
import { eventStreamReply, jsonReply } from "../reply.ts";
import { defineRoute, type RequestContext, type Route } from "../route.ts";

/** What the research routes need. */
export interface ResearchRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
}

/** How long until a stream looks again without a notification. */
const LOOK_AGAIN_MS = 2_000;
const params = z.object({ id: z.string().describe("The research's id.") });
const shared = { tag: "Research", access: "research" } as const;

/** Research as durable runs: begin, list, read, follow, cancel. */
export function researchRoutes(deps: ResearchRoutesDeps): readonly Route[] {
  const { db, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createResearch",
      method: "POST",
      path: "/research/v1",
      summary: "Begin a research task",
      description:
        "Answers at once; the run goes on by itself and survives restarts. Read it, or follow it with stream=true.",
      status: 201,
      creates: true,
      meter: "research",
      body: createResearchSchema,
      response: researchSchema,
      handle: async ({ body }, context) => showResearch(await beginResearch(deps, body, context)),
    }),
    defineRoute({
      ...shared,
      name: "listResearch",
      method: "GET",
      path: "/research/v1",
      summary: "List the team's research tasks, newest first",
      query: listResearchQuerySchema,
      response: pageOf(researchSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listResearch(db, caller.teamId, query);
        return { ...page, data: page.data.map((research) => showResearch(research)) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getResearch",
      method: "GET",
      path: "/research/v1/:id",
      summary: "Read a research task, or follow it as server-sent events",
      params,
      query: getResearchQuerySchema,
      response: researchSchema,
      handle: async ({ params: { id }, query }, { caller, streamSignal }) => {
        const research = await getResearch(db, caller.teamId, id);
        if (query.stream === true) return eventStreamReply(followResearch(db, research, streamSignal));
        const events = query.events === true ? await listResearchEvents(db, id) : undefined;
        return showResearch(research, events);
      },
    }),
    defineRoute({
      ...shared,
      name: "cancelResearch",
      method: "POST",
      path: "/quarry/v1/research/:id/cancel",
      summary: "End a research task; one that has ended stays as it is",
      params,
      response: researchSchema,
      handle: async ({ params: { id } }, { caller }) =>
        showResearch(await cancelResearch(db, caller.teamId, id, clock.now())),
    }),
    defineRoute({
      ...shared,
      name: "steerResearch",
      method: "POST",
      path: "/quarry/v1/research/:id/steer",
      summary: "Add a further wish to a research task that is under way: its next plan takes it up",
      params,
      body: z.object({ instructions: z.string().trim().min(1).max(MAX_INSTRUCTIONS) }),
      response: researchSchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        const wish = { text: body.instructions, maxCharacters: MAX_INSTRUCTIONS };
        return showResearch(await steerResearch(db, caller.teamId, id, wish));
      },
    }),
    ...oldResearchRoutes(deps),
  ];
}

const oldTaskSchema = z.object({
  id: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  instructions: z.string(),
  schema: z.record(z.string(), z.unknown()).nullable(),
  data: z.unknown(),
  citations: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
});

/** What clients of mid-2025 call. */
function oldResearchRoutes(deps: ResearchRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "createResearchTask",
      method: "POST",
      path: "/research/v0/tasks",
      summary: "Begin a research task (old form)",
      meter: "research",
      creates: true,
      body: createResearchSchema,
      response: z.object({ id: z.string() }),
      handle: async ({ body }, context) => ({ id: (await beginResearch(deps, body, context)).id }),
    }),
    defineRoute({
      ...shared,
      name: "getResearchTask",
      method: "GET",
      path: "/research/v0/tasks/:id",
      summary: "Read a research task (old form)",
      params,
      response: oldTaskSchema,
      handle: async ({ params: { id } }, { caller }) =>
        jsonReply(showOldTask(await getResearch(deps.db, caller.teamId, id))),
    }),
  ];
}

function beginResearch(
  { db, clock }: ResearchRoutesDeps,
  body: z.output<typeof createResearchSchema>,
  { caller, newId }: Pick<RequestContext<Caller>, "caller" | "newId">,
): Promise<Research> {
  const outputSchema = body.outputSchema ?? body.output?.schema;
  if (outputSchema !== undefined) compileSchema(outputSchema);
  const wanted = {
    id: newId("research"),
    teamId: caller.teamId,
    keyId: caller.keyId,
    model: body.model ?? "exa-research",
    instructions: body.instructions,
    outputSchema: outputSchema ?? null,
  };
  return createResearch(db, wanted, { maxRunning: RESEARCH_TASKS_PER_KEY, now: clock.now() });
}

/** The result of a completed run, as the answer room wrote it. */
interface StoredResult {
  readonly output: { readonly content: string; readonly parsed?: Record<string, unknown> };
  readonly costDollars: ResearchCost;
  readonly citations: readonly ResearchCitation[];
}

function showResearch(research: Research, events?: readonly StoredResearchEvent[]): z.input<typeof researchSchema> {
  const result = research.status === "completed" ? (research.output as unknown as StoredResult) : undefined;
  return {
    researchId: research.id,
    createdAt: research.createdAt.getTime(),
    status: research.status,
    model: research.model as ResearchModel,
    instructions: research.instructions,
    ...(research.outputSchema !== null && { outputSchema: { ...research.outputSchema } }),
    ...(events !== undefined &&
      research.status !== "pending" && { events: events.map((event) => showEvent(research.id, event)) }),
    ...(research.finishedAt !== null && { finishedAt: research.finishedAt.getTime() }),
    ...(result !== undefined && {
      output: result.output,
      costDollars: result.costDollars,
      citations: [...result.citations],
    }),
    ...(research.error !== null && { error: research.error }),
  };
}

type ShownEvent = NonNullable<z.input<typeof researchSchema>["events"]>[number];

function showEvent(researchId: string, { event, createdAt }: StoredResearchEvent): ShownEvent {
  return { ...(event as object), researchId, createdAt: createdAt.getTime() } as ShownEvent;
}

function showOldTask(research: Research): z.input<typeof oldTaskSchema> {
  const { id, status, instructions } = research;
  const result = status === "completed" ? (research.output as unknown as StoredResult) : undefined;
  return {
    id,
    status: status === "completed" ? "completed" : status === "failed" || status === "canceled" ? "failed" : "running",
    instructions,
    schema: research.outputSchema === null ? null : { ...research.outputSchema },
    data: result === undefined ? null : (result.output.parsed ?? { report: result.output.content }),
    citations: { report: result === undefined ? [] : result.citations.map((citation) => ({ ...citation })) },
  };
}

/** Exactly two lines a frame: exa-js throws away the first and parses the rest. Replays from the start and ends with the run. */
async function* followResearch(db: Database, research: Research, signal: AbortSignal): AsyncGenerator<string> {
  let bell = new AbortController();
  const listening = await db.listen(RESEARCH_CHANNEL, (id) => {
    if (id === "" || id === research.id) bell.abort();
  });
  try {
    for (let next = 0; !signal.aborted;) {
      bell = new AbortController();
      const { status } = await getResearch(db, research.teamId, research.id);
      for (const event of await listResearchEvents(db, research.id, next)) {
        const shown = showEvent(research.id, event);
        yield `event: ${shown.eventType}\ndata: ${JSON.stringify(shown)}\n\n`;
        next = event.number + 1;
      }
      if (isResearchFinished(status)) return; // its status was read before its events: all of them are out
      await sleep(LOOK_AGAIN_MS, AbortSignal.any([signal, bell.signal])).catch(() => undefined); // woken, or over
    }
  } finally {
    await listening.close();
  }
}
