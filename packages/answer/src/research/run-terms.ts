import { agentRequestSchema, type AgentRequest, type ResearchModel } from "@quarry/contract";
import type { Research } from "@quarry/store";
import { RESEARCH_BUDGETS, type ResearchBudget } from "./research-budget.ts";

/** Under which terms a run is done: its model's budget, and what an agent run's request changes of it. */
export interface RunTerms {
  readonly budget: ResearchBudget;
  readonly maxCostDollars: number;
  readonly systemPrompt: string | undefined;
  readonly exclusions: readonly string[];
}

/** The terms of a run. */
export function termsOf({ model, request }: Pick<Research, "model" | "request">): RunTerms {
  const budget = RESEARCH_BUDGETS[model as ResearchModel];
  if (request === null) return { budget, maxCostDollars: Infinity, systemPrompt: undefined, exclusions: [] };
  const asked = agentRequestSchema.parse(request); // ours, but an older version may have written it
  const seconds = asked.budget?.maxDurationSeconds;
  return {
    budget: seconds === undefined ? budget : { ...budget, maxMs: seconds * 1_000 },
    maxCostDollars: asked.budget?.maxCostDollars ?? Infinity,
    systemPrompt: asked.systemPrompt,
    exclusions: (asked.input?.exclusion ?? []).flatMap(namesOf),
  };
}

/** What is to be found out, as one text: the query, and the things it is asked about as a list. */
export function instructionsOf(request: AgentRequest, previousQuery: string | undefined): string {
  const data = (request.input?.data ?? []).map((row) => `- ${namesOf(row).join(", ")}`).filter((line) => line !== "- ");
  const about =
    previousQuery !== undefined && REFERS_BACK.test(request.query)
      ? `${request.query.replace(/[?.]\s*$/, "")} (${previousQuery.slice(0, MAX_PREVIOUS_CHARACTERS)})`
      : request.query;
  return data.length === 0 ? about : `${about.replace(/[?:.]\s*$/, "")}:\n${data.slice(0, MAX_ROWS).join("\n")}`;
}

/** A question that speaks of what was asked before. */
const REFERS_BACK = /\b(?:it|its|they|them|their|that|those|this|these|there|he|she|his|her|same)\b/i;
const MAX_PREVIOUS_CHARACTERS = 200;
const MAX_ROWS = 100;

function namesOf(row: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.values(row).filter((value): value is string => typeof value === "string" && value.trim() !== "");
}
