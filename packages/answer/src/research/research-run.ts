import type { Grounding, ResearchCitation, ResearchEvent } from "@quarry/contract";
import type { Quote } from "../evidence/quote.ts";

/** A claim of a task's result and the quotes it rests on. */
export interface NotedClaim {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

/** What a run remembers of an event beside what the wire shows. */
export interface EventMemory {
  readonly quotes?: readonly Quote[];
  readonly claims?: readonly NotedClaim[];
  readonly tokens?: number;
  /** Pages really read. */
  readonly pages?: number;
  /** How long the instructions were that a plan was made for. */
  readonly asked?: number;
  /** What a report cites. */
  readonly citations?: readonly ResearchCitation[];
  /** What each field of a result rests on; the whole text is the field `text`. */
  readonly grounding?: readonly Grounding[];
}

/** An event with its memory. */
export interface RunEvent {
  readonly event: ResearchEvent;
  readonly memory: EventMemory;
}

/** A task of a run, as far as it has come. */
export interface RunTask {
  readonly taskId: string;
  readonly planId: string;
  readonly instructions: string;
  /** URLs that its search found; undefined before it has searched. */
  readonly found: readonly string[] | undefined;
  readonly read: readonly string[];
  readonly quotes: readonly Quote[];
  /** Its result; undefined while it is under way. */
  readonly claims: readonly NotedClaim[] | undefined;
}

/** A plan of a run. */
export interface RunPlan {
  readonly planId: string;
  /** What it set out to do; undefined before it has decided, empty when it decided to stop. */
  readonly tasks: readonly string[] | undefined;
  /** How long the instructions were that it was made for; undefined where that is not known. */
  readonly asked?: number | undefined;
}

/** A run as its events tell it. */
export interface ResearchRun {
  readonly eventCount: number;
  readonly plans: readonly RunPlan[];
  readonly tasks: readonly RunTask[];
  readonly spent: { readonly searches: number; readonly pages: number; readonly tokens: number };
  readonly isOver: boolean;
}

const NOTHING: ResearchRun = {
  eventCount: 0,
  plans: [],
  tasks: [],
  spent: { searches: 0, pages: 0, tokens: 0 },
  isOver: false,
};

/** What a run has come to. Pure: the same events give the same run, in this process or after a crash. */
export function foldRun(events: readonly RunEvent[]): ResearchRun {
  return events.reduce(addEvent, NOTHING);
}

function addEvent(run: ResearchRun, { event, memory }: RunEvent): ResearchRun {
  const { searches, pages, tokens } = run.spent;
  const counted: ResearchRun = {
    ...run,
    eventCount: run.eventCount + 1,
    spent: {
      searches: searches + (isSearch(event) ? 1 : 0),
      pages: pages + (memory.pages ?? 0),
      tokens: tokens + (memory.tokens ?? 0),
    },
  };
  switch (event.eventType) {
    case "research-definition":
    case "plan-operation":
      return counted;
    case "plan-definition":
      return { ...counted, plans: [...run.plans, { planId: event.planId, tasks: undefined }] };
    case "plan-output": {
      const tasks = event.output.outputType === "tasks" ? event.output.tasksInstructions : [];
      const plans = run.plans.map((plan) =>
        plan.planId === event.planId ? { ...plan, tasks, asked: memory.asked } : plan,
      );
      return { ...counted, plans };
    }
    case "task-definition": {
      const { taskId, planId, instructions } = event;
      const task = { taskId, planId, instructions, found: undefined, read: [], quotes: [], claims: undefined };
      return { ...counted, tasks: [...run.tasks, task] };
    }
    case "task-operation":
      return changeTask(counted, event.taskId, (task) => operate(task, event.data, memory));
    case "task-output":
      return changeTask(counted, event.taskId, (task) => ({ ...task, claims: memory.claims ?? [] }));
    case "research-output":
      return { ...counted, isOver: true };
  }
}

function operate(
  task: RunTask,
  data: Extract<ResearchEvent, { eventType: "task-operation" }>["data"],
  memory: EventMemory,
): RunTask {
  switch (data.type) {
    case "think":
      return task;
    case "search":
      return { ...task, found: [...(task.found ?? []), ...data.results.map(({ url }) => url)] };
    case "crawl":
      return {
        ...task,
        read: [...task.read, data.result.url],
        quotes: [...task.quotes, ...(memory.quotes ?? [])],
      };
  }
}

function changeTask(run: ResearchRun, taskId: string, change: (task: RunTask) => RunTask): ResearchRun {
  return { ...run, tasks: run.tasks.map((task) => (task.taskId === taskId ? change(task) : task)) };
}

function isSearch(event: ResearchEvent): boolean {
  return "data" in event && event.data.type === "search";
}
