import { sleep } from "@quarry/base";
import {
  agentRequestSchema,
  type AgentEvent,
  type AgentRun,
  type Grounding,
  type ResearchCost,
  type ResearchEvent,
} from "@quarry/contract";
import {
  getResearch,
  isResearchFinished,
  listResearchEvents,
  RESEARCH_CHANNEL,
  type Database,
  type Research,
  type StoredResearchEvent,
} from "@quarry/store";

/** How long until a follower looks again without a notification. */
const LOOK_AGAIN_MS = 2_000;
/** The events before those of the run itself: that it was made, and that it began. */
const FIRST_EVENTS = 2;
/** One unit stands for so many tokens that the model read or wrote. */
const TOKENS_PER_UNIT = 1_000;

/** The result of a completed run, as the answer room wrote it. */
interface StoredResult {
  readonly output: { readonly content: string; readonly parsed?: Readonly<Record<string, unknown>> };
  readonly costDollars: ResearchCost;
  readonly grounding?: readonly Grounding[];
  readonly stopReason?: NonNullable<AgentRun["stopReason"]>;
}

/** An agent run as the wire shows it. */
export function showAgentRun(run: Research): AgentRun {
  const result = run.status === "completed" ? (run.output as unknown as StoredResult) : undefined;
  const cost = result?.costDollars;
  const total = cost?.total ?? 0;
  return {
    id: run.id,
    object: "agent_run",
    status: STATUSES[run.status],
    stopReason: stopReasonOf(run, result),
    createdAt: run.createdAt.toISOString(),
    completedAt: run.finishedAt?.toISOString() ?? null,
    request: run.request === null ? null : { ...agentRequestSchema.parse(run.request) },
    output:
      result === undefined
        ? null
        : {
            text: result.output.content,
            structured: result.output.parsed ?? null,
            grounding: [...(result.grounding ?? [])],
          },
    usage: {
      agentComputeUnits: (cost?.reasoningTokens ?? 0) / TOKENS_PER_UNIT,
      searches: cost?.numSearches ?? 0,
      emails: 0,
      phoneNumbers: 0,
    },
    costDollars: { total, agentCompute: total, search: 0, emails: 0, phoneNumbers: 0 },
    ...(run.error !== null && { error: { type: "SERVER_ERROR", code: "SERVER_ERROR", message: run.error } }),
  };
}

/** The events of a run that are there, from number `from` on (1 is the first). Numbers are those of the run: they stay. */
export async function listAgentEvents(db: Database, run: Research, from = 1): Promise<readonly AgentEvent[]> {
  const stored = await listResearchEvents(db, run.id, Math.max(0, from - FIRST_EVENTS - 1));
  const made = stored.flatMap((event) => toAgentEvent(event));
  const events = [
    told(1, "agent_run.created", run.createdAt, { ...showAgentRun(asQueued(run)) }),
    ...(run.startedAt === null
      ? []
      : [told(2, "agent_run.started", run.startedAt, { ...showAgentRun({ ...asQueued(run), status: "running" }) })]),
    ...made,
    ...(isResearchFinished(run.status) ? [await lastEvent(db, run)] : []),
  ];
  return events.filter(({ id }) => Number(id) >= from);
}

/** The events of a run as they come, until it has ended. */
export async function* followAgentRun(
  db: Database,
  run: Research,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  let bell = new AbortController();
  const listening = await db.listen(RESEARCH_CHANNEL, (id) => {
    if (id === "" || id === run.id) bell.abort();
  });
  try {
    for (let next = after + 1; !signal.aborted;) {
      bell = new AbortController();
      const current = await getResearch(db, run.teamId, run.id);
      for (const event of await listAgentEvents(db, current, next)) {
        yield event;
        next = Number(event.id) + 1;
      }
      if (isResearchFinished(current.status)) return;
      await sleep(LOOK_AGAIN_MS, AbortSignal.any([signal, bell.signal])).catch(() => undefined); // woken, or over
    }
  } finally {
    await listening.close();
  }
}

const STATUSES: Readonly<Record<Research["status"], AgentRun["status"]>> = {
  pending: "queued",
  running: "running",
  completed: "completed",
  failed: "failed",
  canceled: "cancelled",
};

function stopReasonOf({ status }: Research, result: StoredResult | undefined): AgentRun["stopReason"] {
  if (status === "failed") return "error";
  if (status === "canceled") return "cancelled";
  return result === undefined ? null : (result.stopReason ?? "schema_satisfied");
}

function asQueued(run: Research): Research {
  return { ...run, status: "pending", output: null, error: null, finishedAt: null };
}

/** It comes behind all events of the run, whatever their number. */
async function lastEvent(db: Database, run: Research): Promise<AgentEvent> {
  const count = (await listResearchEvents(db, run.id)).length;
  const name = `agent_run.${STATUSES[run.status]}`;
  return told(FIRST_EVENTS + 1 + count, name, run.finishedAt ?? run.createdAt, { ...showAgentRun(run) });
}

function toAgentEvent({ number, event, createdAt }: StoredResearchEvent): readonly AgentEvent[] {
  const id = number + FIRST_EVENTS + 1;
  const research = event as unknown as ResearchEvent;
  if (research.eventType === "task-output") {
    const item = { type: "message", text: research.output.content, taskId: research.taskId };
    return [told(id, "output_item.done", createdAt, { item })];
  }
  if (research.eventType !== "task-operation" && research.eventType !== "plan-operation") return [];
  const { data, operationId: callId } = research;
  switch (data.type) {
    case "think":
      return [told(id, "search_trace", createdAt, { text: data.content, callId, tool: "think" })];
    case "search":
      return [told(id, "search_trace", createdAt, { text: data.query, callId, tool: "search" })];
    case "crawl":
      return [told(id, "source.added", createdAt, { source: { url: data.result.url, callId } })];
  }
}

function told(id: number, event: string, at: Date, data: Record<string, unknown>): AgentEvent {
  return { id: String(id), event, data, createdAt: at.toISOString() };
}
