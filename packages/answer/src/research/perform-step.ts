import type { ResearchEvent } from "@quarry/contract";
import { concludeTask, readForTask, searchForTask } from "./do-task.ts";
import { costOfRun, finishResearch } from "./finish-research.ts";
import { makePlan, stopPlan } from "./make-plan.ts";
import type { ResearchStep } from "./next-step.ts";
import type { ResearchDeps, ResearchTask } from "./research-deps.ts";
import { foldRun, type RunEvent } from "./research-run.ts";

/** Does one step of a run and returns the events that tell of it; nothing is kept until they are stored. */
export async function performStep(
  deps: ResearchDeps,
  task: ResearchTask,
  events: readonly RunEvent[],
  step: Exclude<ResearchStep, { readonly kind: "nothing" }>,
  signal: AbortSignal,
): Promise<readonly RunEvent[]> {
  switch (step.kind) {
    case "begin": {
      const { instructions, outputSchema } = task;
      const schema = outputSchema === null ? {} : { outputSchema };
      return [remember({ eventType: "research-definition", instructions, ...schema }), beginPlan(deps)];
    }
    case "begin-plan":
      return [beginPlan(deps)];
    case "plan":
      return step.mustStop ? stopPlan(task, step.plan) : makePlan(deps, task, foldRun(events), step.plan, signal);
    case "begin-task": {
      const { planId } = step.plan;
      const taskId = deps.newId("task");
      return [remember({ eventType: "task-definition", planId, taskId, instructions: step.instructions })];
    }
    case "search":
      return searchForTask(deps, task, step.task, signal);
    case "read":
      return readForTask(deps, task, step.task, step.url, signal);
    case "conclude-task":
      return concludeTask(deps, task, step.task, signal);
    case "report":
      return [await report(deps, task, events, signal)];
  }
}

/** The last event of a run, which tells what it came to. */
export type FinalEvent = RunEvent & { readonly event: Extract<ResearchEvent, { eventType: "research-output" }> };

/** Whether an event ends its run. */
export function isFinal(event: RunEvent): event is FinalEvent {
  return event.event.eventType === "research-output";
}

/** The end of a run that cannot go on. */
export function failRun(error: string): RunEvent {
  return remember({ eventType: "research-output", output: { outputType: "failed", error } });
}

async function report(
  deps: ResearchDeps,
  task: ResearchTask,
  events: readonly RunEvent[],
  signal: AbortSignal,
): Promise<RunEvent> {
  const run = foldRun(events);
  const { tokens, ...result } = await finishResearch(deps, task, run, signal);
  if (result.kind === "failed") return { ...failRun(result.error), memory: { tokens } };
  const spent = { ...run, spent: { ...run.spent, tokens: run.spent.tokens + tokens } };
  const costDollars = costOfRun(spent, pageTokensOf(events), deps.prices.research, task.model);
  const { content, parsed, citations, grounding } = result;
  const output = {
    outputType: "completed" as const,
    content,
    ...(parsed === undefined ? {} : { parsed }),
    costDollars,
  };
  return { event: { eventType: "research-output", output }, memory: { tokens, citations, grounding } };
}

/** What was read, in tokens. */
export function pageTokensOf(events: readonly RunEvent[]): number {
  return events.reduce(
    (sum, { event }) => sum + ("data" in event && event.data.type === "crawl" ? event.data.pageTokens : 0),
    0,
  );
}

function beginPlan(deps: ResearchDeps): RunEvent {
  return remember({ eventType: "plan-definition", planId: deps.newId("plan") });
}

function remember(event: ResearchEvent): RunEvent {
  return { event, memory: {} };
}
