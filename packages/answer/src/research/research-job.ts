import { AppError, type Clock } from "@quarry/base";
import { researchEventSchema, type ResearchModel } from "@quarry/contract";
import { limitLlm } from "@quarry/models";
import {
  appendResearchEvents,
  citeSnapshots,
  getResearch,
  listResearchEvents,
  moveResearchBy,
  SHARED_TEAM,
  type Database,
  type JobHandler,
  type Json,
  type NewResearchEvent,
  type Research,
  type StoredResearchEvent,
  type Transaction,
} from "@quarry/store";
import { costOfRun } from "./finish-research.ts";
import { nextStep } from "./next-step.ts";
import { failRun, isFinal, pageTokensOf, performStep } from "./perform-step.ts";
import type { ResearchBudget } from "./research-budget.ts";
import type { ResearchDeps } from "./research-deps.ts";
import { termsOf, type RunTerms } from "./run-terms.ts";
import { foldRun, type EventMemory, type ResearchRun, type RunEvent } from "./research-run.ts";

/** What research as a job needs beside the room's own needs. */
export interface ResearchJobDeps extends ResearchDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** How long past its time a run is tried again before it fails: the index or the store may be away for a moment. */
const GRACE_MS = 120_000;
/** Why a run ends that had all it needed. */
const SATISFIED = "schema_satisfied";
/** Undoes the end of a run that was given a further wish while it wrote its report. */
const STEERED = new Error("the research was steered while it wrote its report");

/**
 * Does the jobs of kind `research`: one run from its last event to its end. Each step is done, then its events are stored in
 * one transaction; a worker that dies between the two has done nothing that counts, and the next one takes the same step.
 */
export function createResearchJobHandler(deps: ResearchJobDeps): JobHandler {
  return async (run) => {
    const { researchId } = run.job.payload as { readonly researchId: string };
    const { database, clock } = deps;
    const research = await database.transaction((tx) =>
      moveResearchBy(tx, researchId, { move: "start", now: clock.now() }),
    );
    // Cancelled since the job was queued: there is nothing to do.
    if (research === undefined) return run.complete();
    const began = research.startedAt ?? clock.now();
    const terms = termsOf(research);
    const { budget } = terms;
    let events = (await listResearchEvents(database, researchId)).map(toRunEvent);
    for (;;) {
      run.signal.throwIfAborted();
      const elapsedMs = clock.now().getTime() - began.getTime();
      const state = foldRun(events);
      const current = await getResearch(database, research.teamId, researchId); // a person may have stopped or steered it
      const isStopped = mustStop(deps, current, { terms, state, events });
      const { instructions } = current;
      const step = nextStep(state, budget, elapsedMs, { isStopped: isStopped !== undefined, instructions });
      if (step.kind === "nothing") return run.complete();
      const task = taskOf(deps, current, state, terms);
      let produced: readonly RunEvent[];
      try {
        produced = await performStep(deps, task, events, step, run.signal);
      } catch (thrown) {
        run.signal.throwIfAborted();
        const error = AppError.from(thrown);
        if (error.retryable && elapsedMs < budget.maxMs + GRACE_MS) throw thrown; // the queue tries this step again
        produced = [failRun(error.message)];
      }
      const last = produced.at(-1);
      const append = (tx: Transaction): Promise<void> =>
        appendEvents(tx, researchId, events.length, produced, clock.now());
      if (last !== undefined && isFinal(last)) {
        const stopReason = isStopped ?? (elapsedMs >= budget.maxMs ? "time_limit_reached" : spentReason(state, budget));
        try {
          return await run.complete(async (tx) => {
            await append(tx);
            const end = endOf(last, stopReason);
            const ended = await moveResearchBy(tx, researchId, { ...end, now: clock.now() });
            const mayGoOn = end.move === "complete" && stopReason === SATISFIED;
            if (mayGoOn && ended !== undefined && ended.instructions !== instructions) throw STEERED;
          });
        } catch (thrown) {
          if (thrown === STEERED) continue; // the report is not what was asked for any more: the next plan takes the wish up
          throw thrown;
        }
      }
      await database.transaction(append);
      events = [...events, ...produced];
      run.reportProgress({ events: events.length });
    }
  };
}

/** Appends events, and keeps the texts they quote from being thrown away. */
async function appendEvents(
  tx: Transaction,
  researchId: string,
  known: number,
  events: readonly RunEvent[],
  now: Date,
): Promise<void> {
  const quotes = events.flatMap(({ memory }) => memory.quotes ?? []);
  const texts = quotes.flatMap(({ snapshotId, extractorVersion }) =>
    snapshotId === null ? [] : [{ snapshotId, extractorVersion }],
  );
  await citeSnapshots(tx, { kind: "research", id: researchId }, texts);
  await appendResearchEvents(tx, researchId, known, events.map(toNewEvent), now);
}

/** Why a run must conclude now, beside its time and tokens; undefined while it may go on. */
function mustStop(
  { prices }: ResearchJobDeps,
  { stopAskedAt, model }: Research,
  {
    terms,
    state,
    events,
  }: { readonly terms: RunTerms; readonly state: ResearchRun; readonly events: readonly RunEvent[] },
): "stopped" | "budget_reached" | undefined {
  if (stopAskedAt !== null) return "stopped";
  const { total } = costOfRun(state, pageTokensOf(events), prices.research, model as ResearchModel);
  return total >= terms.maxCostDollars ? "budget_reached" : undefined;
}

function spentReason({ spent }: ResearchRun, { maxTokens, maxPages }: ResearchBudget): string {
  return spent.tokens >= maxTokens || spent.pages >= maxPages ? "budget_reached" : SATISFIED;
}

/** The request, and the model with what is left of its budget. */
function taskOf(deps: ResearchJobDeps, research: Research, state: ResearchRun, terms: RunTerms) {
  const model = research.model as ResearchModel;
  const { budget, systemPrompt, exclusions } = terms;
  const spent = { calls: 0, tokens: state.spent.tokens, dollars: 0 };
  return {
    teamIds: [research.teamId, SHARED_TEAM],
    model,
    instructions: research.instructions,
    outputSchema: research.outputSchema,
    systemPrompt,
    exclusions,
    budget,
    llm: deps.llm === undefined ? undefined : limitLlm(deps.llm, { maxTokens: budget.maxTokens }, spent),
  };
}

function endOf(
  { event, memory }: RunEvent,
  stopReason: string,
): {
  readonly move: "complete" | "fail";
  readonly output?: Json;
  readonly error?: string;
} {
  if (event.eventType !== "research-output" || event.output.outputType === "failed") {
    const error =
      event.eventType === "research-output" && "error" in event.output ? event.output.error : "it ended early";
    return { move: "fail", error };
  }
  const { content, parsed, costDollars } = event.output;
  const output = { content, ...(parsed === undefined ? {} : { parsed }) };
  const { citations = [], grounding = [] } = memory;
  return { move: "complete", output: { output, costDollars, citations, grounding, stopReason } as unknown as Json };
}

function toNewEvent({ event, memory }: RunEvent): NewResearchEvent {
  return { event: event as unknown as Json, memory: memory as unknown as Json };
}

/** Rows are ours, but an older version may have written them. */
function toRunEvent({ event, memory }: StoredResearchEvent): RunEvent {
  return { event: researchEventSchema.parse(event), memory: (memory ?? {}) as EventMemory };
}
