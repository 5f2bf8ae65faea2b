import { completeJson } from "@quarry/models";
import { tryModel } from "../try-model.ts";
import { decomposeQuestion } from "./decompose-question.ts";
import { wishSincePlan } from "./next-step.ts";
import type { ResearchDeps, ResearchTask } from "./research-deps.ts";
import { PLAN_SCHEMA, planPrompt } from "./research-prompts.ts";
import type { ResearchRun, RunEvent, RunPlan } from "./research-run.ts";

const MAX_OUTPUT_TOKENS = 1_000;

/** What to look into, and why; no tasks means that it is time to write. */
interface Decision {
  readonly reasoning: string;
  readonly tasks: readonly string[];
}

/** Decides what a plan sets out to do: by the model, or by taking the request apart. */
export async function makePlan(
  deps: Pick<ResearchDeps, "newId">,
  task: ResearchTask,
  run: ResearchRun,
  plan: RunPlan,
  signal: AbortSignal,
): Promise<readonly RunEvent[]> {
  const { decision, tokens } = await decide(task, run, signal);
  const { planId } = plan;
  const { reasoning, tasks } = decision;
  return [
    {
      event: {
        eventType: "plan-operation",
        planId,
        operationId: deps.newId("operation"),
        data: { type: "think", content: reasoning },
      },
      memory: { tokens },
    },
    {
      event: {
        eventType: "plan-output",
        planId,
        output:
          tasks.length === 0
            ? { outputType: "stop", reasoning }
            : { outputType: "tasks", reasoning, tasksInstructions: [...tasks] },
      },
      memory: { asked: task.instructions.length },
    },
  ];
}

/** Ends the planning, because a budget is spent. */
export function stopPlan(
  { instructions }: Pick<ResearchTask, "instructions">,
  { planId }: RunPlan,
): readonly RunEvent[] {
  const reasoning = "The budget of this run is used: time to write down what was found.";
  return [
    {
      event: { eventType: "plan-output", planId, output: { outputType: "stop", reasoning } },
      memory: { asked: instructions.length },
    },
  ];
}

async function decide(
  task: ResearchTask,
  run: ResearchRun,
  signal: AbortSignal,
): Promise<{ readonly decision: Decision; readonly tokens: number }> {
  const { llm, budget } = task;
  if (llm === undefined) return { decision: takeApart(task, run), tokens: 0 };
  const before = llm.spent().tokens;
  const messages = planPrompt(task.instructions, run.tasks, budget.maxTasksPerPlan);
  const ask = { messages, maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: 0, schema: PLAN_SCHEMA };
  const value = await tryModel(completeJson(llm, ask, signal), signal);
  const tokens = llm.spent().tokens - before;
  if (value === undefined) return { decision: takeApart(task, run), tokens };
  const { reasoning, tasks } = value as Decision; // of PLAN_SCHEMA's shape: completeJson checked it
  const asked = new Set(run.tasks.map(({ instructions }) => instructions.toLowerCase()));
  const fresh = tasks.map((text) => text.trim()).filter((text) => text !== "" && !asked.has(text.toLowerCase()));
  return { decision: { reasoning, tasks: fresh.slice(0, budget.maxTasksPerPlan) }, tokens };
}

/** The first plan asks what the request consists of; a later one tries once more what found nothing, in plainer words. */
function takeApart(task: ResearchTask, run: ResearchRun): Decision {
  if (run.tasks.length === 0) {
    const tasks = decomposeQuestion(task.instructions, task.budget.maxTasksPerPlan);
    const reasoning =
      tasks.length === 1 ? "The request is one question." : `The request consists of ${tasks.length} questions.`;
    return { reasoning, tasks };
  }
  const asked = new Set(run.tasks.map(({ instructions }) => instructions));
  const wish = wishSincePlan(run, task.instructions);
  if (wish !== "") {
    const tasks = decomposeQuestion(wish, task.budget.maxTasksPerPlan).filter((words) => !asked.has(words));
    return { reasoning: "A further wish came while the run went on.", tasks };
  }
  const again = run.tasks
    .filter(({ claims }) => claims?.length === 0)
    .map(({ instructions }) => plainer(instructions))
    .filter((words) => words.length > 2 && !asked.has(words));
  if (again.length === 0) return { reasoning: "Every question has been looked into.", tasks: [] };
  const reasoning = `${again.length} questions found nothing and are asked once more in plainer words.`;
  return { reasoning, tasks: again.slice(0, task.budget.maxTasksPerPlan) };
}

function plainer(question: string): string {
  return question
    .replace(
      /\b(?:who|what|when|where|which|why|how|is|are|was|were|does|do|did|the|a|an|of|to|in|for|and|it|me|please|find|list|explain|describe|report|on)\b/gi,
      " ",
    )
    .replace(/[^\p{L}\p{N}\s.-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}
