import type { ResearchBudget } from "./research-budget.ts";
import type { ResearchRun, RunPlan, RunTask } from "./research-run.ts";

/** What a run does next. */
export type ResearchStep =
  | { readonly kind: "begin" }
  | { readonly kind: "begin-plan" }
  | { readonly kind: "plan"; readonly plan: RunPlan; readonly mustStop: boolean }
  | { readonly kind: "begin-task"; readonly plan: RunPlan; readonly instructions: string }
  | { readonly kind: "search"; readonly task: RunTask }
  | { readonly kind: "read"; readonly task: RunTask; readonly url: string }
  | { readonly kind: "conclude-task"; readonly task: RunTask }
  | { readonly kind: "report" }
  | { readonly kind: "nothing" };

/**
 * Decides what comes next. Pure, so that a run that was killed takes the very step it would have taken. A budget that is spent
 * does not fail a run: it concludes with what it has.
 */
export function nextStep(
  run: ResearchRun,
  budget: ResearchBudget,
  elapsedMs: number,
  { isStopped = false, instructions = "" }: { readonly isStopped?: boolean; readonly instructions?: string } = {},
): ResearchStep {
  if (run.isOver) return { kind: "nothing" };
  if (run.eventCount === 0) return { kind: "begin" };
  const isSpent = isStopped || elapsedMs >= budget.maxMs || run.spent.tokens >= budget.maxTokens;
  const isSteered = wishSincePlan(run, instructions) !== "";
  const plan = run.plans.at(-1);
  if (plan === undefined) return { kind: "begin-plan" };
  if (plan.tasks === undefined) {
    return { kind: "plan", plan, mustStop: isSpent || (run.plans.length > budget.maxPlans && !isSteered) };
  }
  const open = run.tasks.find(({ claims }) => claims === undefined);
  if (open !== undefined) return nextOfTask(run, open, budget, isSpent);
  const begun = run.tasks.filter(({ planId }) => planId === plan.planId).length;
  const next = plan.tasks[begun];
  if (next !== undefined && !isSpent) return { kind: "begin-task", plan, instructions: next };
  const isDone = plan.tasks.length === 0 && (isSpent || !isSteered);
  return isDone ? { kind: "report" } : { kind: "begin-plan" };
}

/** What was asked for since the last plan was made; empty before there is one. */
export function wishSincePlan({ plans }: Pick<ResearchRun, "plans">, instructions: string): string {
  const asked = plans.findLast(({ tasks }) => tasks !== undefined)?.asked;
  return asked === undefined ? "" : instructions.slice(asked).trim();
}

function nextOfTask(run: ResearchRun, task: RunTask, budget: ResearchBudget, isSpent: boolean): ResearchStep {
  if (isSpent) return { kind: "conclude-task", task };
  if (task.found === undefined) return { kind: "search", task };
  const mayRead = task.read.length < budget.pagesPerTask && run.spent.pages < budget.maxPages;
  const url = mayRead ? task.found.find((found) => !task.read.includes(found)) : undefined;
  return url === undefined ? { kind: "conclude-task", task } : { kind: "read", task, url };
}
