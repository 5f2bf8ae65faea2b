import type { Operation, ResearchEvent, ResearchModel } from "./research-shapes.ts";

/** A step, and how long it took: from the event before it. */
export interface TreeStep {
  readonly id: string;
  readonly data: Operation;
  readonly ms: number;
}

/** A question of a plan, what was done for it, and what it found. */
export interface TreeTask {
  readonly id: string;
  readonly instructions: string;
  readonly steps: readonly TreeStep[];
  readonly ms: number;
  readonly content: string | undefined;
}

/** A plan with its tasks. */
export interface TreePlan {
  readonly id: string;
  readonly reasoning: string | undefined;
  readonly isStop: boolean;
  readonly steps: readonly TreeStep[];
  readonly tasks: readonly TreeTask[];
  readonly ms: number;
}

/** What a run may use at most. The server's own table; a test holds the two together. */
export const BUDGETS: Readonly<Record<ResearchModel, { readonly maxPages: number; readonly maxMs: number }>> = {
  "exa-research-fast": { maxPages: 10, maxMs: 60_000 },
  "exa-research": { maxPages: 30, maxMs: 180_000 },
  "exa-research-pro": { maxPages: 80, maxMs: 600_000 },
};

/** The events of a run as plans, tasks and steps. Tasks run side by side, so that a step is timed against its own task. */
export function buildTree(events: readonly ResearchEvent[]): readonly TreePlan[] {
  const plans = new Map<string, { -readonly [Key in keyof TreePlan]: TreePlan[Key] } & { last: number }>();
  const tasks = new Map<string, { -readonly [Key in keyof TreeTask]: TreeTask[Key] } & { last: number }>();
  for (const event of events) {
    const at = event.createdAt;
    if (event.eventType === "plan-definition") {
      plans.set(event.planId, {
        id: event.planId,
        reasoning: undefined,
        isStop: false,
        steps: [],
        tasks: [],
        ms: 0,
        last: at,
      });
    } else if (event.eventType === "plan-operation") {
      const plan = plans.get(event.planId);
      if (plan !== undefined) addStep(plan, event, at);
    } else if (event.eventType === "plan-output") {
      const plan = plans.get(event.planId);
      if (plan !== undefined) {
        plan.reasoning = event.output.reasoning;
        plan.isStop = event.output.outputType === "stop";
        addTime(plan, at);
      }
    } else if (event.eventType === "task-definition") {
      const { taskId: id, instructions } = event;
      tasks.set(id, { id, instructions, steps: [], ms: 0, content: undefined, last: at });
      const plan = plans.get(event.planId);
      const task = tasks.get(id);
      if (plan !== undefined && task !== undefined) plan.tasks = [...plan.tasks, task];
    } else if (event.eventType === "task-operation") {
      const task = tasks.get(event.taskId);
      if (task !== undefined) addStep(task, event, at);
    } else if (event.eventType === "task-output") {
      const task = tasks.get(event.taskId);
      if (task !== undefined) {
        task.content = event.output.content;
        addTime(task, at);
      }
    }
  }
  return [...plans.values()];
}

/** Every page that the run met: read in whole, or only seen in a list of results. */
export function listMetPages(events: readonly ResearchEvent[]): ReadonlyMap<string, "read" | "seen"> {
  const met = new Map<string, "read" | "seen">();
  for (const event of events) {
    if (event.eventType !== "plan-operation" && event.eventType !== "task-operation") continue;
    const { data } = event;
    if (data.type === "search") {
      for (const { url } of data.results) if (!met.has(url)) met.set(url, "seen");
    } else if (data.type === "crawl") met.set(data.result.url, "read");
  }
  return met;
}

interface Timed {
  steps: readonly TreeStep[];
  ms: number;
  last: number;
}

function addStep(to: Timed, step: { readonly operationId: string; readonly data: Operation }, at: number): void {
  to.steps = [...to.steps, { id: step.operationId, data: step.data, ms: Math.max(0, at - to.last) }];
  addTime(to, at);
}

function addTime(to: { ms: number; last: number }, at: number): void {
  to.ms += Math.max(0, at - to.last);
  to.last = at;
}
