import { completeJson } from "@quarry/models";
import { chooseSentences } from "../evidence/choose-sentences.ts";
import { fenceSources } from "../evidence/fence-sources.ts";
import { findQuotes, type Quote } from "../evidence/quote.ts";
import { supportsClaim } from "../evidence/supports-claim.ts";
import { tryModel } from "../try-model.ts";
import type { ResearchDeps, ResearchTask } from "./research-deps.ts";
import { NOTES_SCHEMA, notesPrompt } from "./research-prompts.ts";
import type { NotedClaim, RunEvent, RunTask } from "./research-run.ts";
import { writeTaskResult } from "./write-report.ts";

const QUOTES_PER_PAGE = { most: 6, mostPerPage: 6, minShare: 0.75 } as const;
const CLAIMS_PER_TASK = { most: 5, mostPerPage: 2, minShare: 0.75 } as const;
const CHARACTERS_PER_TOKEN = 4;
const PROMPT_CHARACTERS = 12_000;
const MAX_OUTPUT_TOKENS = 1_500;

/** Searches for a task's question; addresses that the request itself names are read first. */
export async function searchForTask(
  deps: ResearchDeps,
  task: ResearchTask,
  part: RunTask,
  signal: AbortSignal,
): Promise<readonly RunEvent[]> {
  const { teamIds, budget } = task;
  const query = part.instructions;
  const found = await deps.search({ teamIds, query, limit: budget.resultsPerSearch }, signal);
  const named = `${task.instructions} ${query}`.match(/https?:\/\/[^\s<>"')\]]+/g) ?? [];
  const urls = [...new Set([...named, ...found.map(({ url }) => url)])];
  return [
    operation(deps, part, {
      type: "search",
      searchType: "auto",
      goal: part.instructions,
      query,
      results: urls.map((url) => ({ url })),
      pageTokens: 0,
    }),
  ];
}

/** Reads a page for a task and notes what it says about the question, word for word. */
export async function readForTask(
  deps: ResearchDeps,
  task: ResearchTask,
  part: RunTask,
  url: string,
  signal: AbortSignal,
): Promise<readonly RunEvent[]> {
  const page = await deps.readPage({ teamIds: task.teamIds, url }, signal);
  const found = findQuotes(deps, page === undefined ? [] : [page], part.instructions);
  const quotes = chooseSentences(found, [url], QUOTES_PER_PAGE);
  const pageTokens = Math.ceil((page?.text.length ?? 0) / CHARACTERS_PER_TOKEN);
  return [
    operation(
      deps,
      part,
      { type: "crawl", goal: part.instructions, result: { url }, pageTokens },
      { quotes, pages: page === undefined ? 0 : 1 },
    ),
  ];
}

/** Sums up what a task has found: claims of the model that its quotes carry, or the best quotes themselves. */
export async function concludeTask(
  deps: ResearchDeps,
  task: ResearchTask,
  part: RunTask,
  signal: AbortSignal,
): Promise<readonly RunEvent[]> {
  const { claims: found, tokens } = await claimsOf(deps, task, part, signal);
  const claims = found.filter(({ text }) => !(task.exclusions ?? []).some((name) => mentions(text, name)));
  const { planId, taskId } = part;
  const output = { outputType: "completed", content: writeTaskResult(claims) } as const;
  return [{ event: { eventType: "task-output", planId, taskId, output }, memory: { claims, tokens } }];
}

async function claimsOf(
  deps: ResearchDeps,
  task: ResearchTask,
  part: RunTask,
  signal: AbortSignal,
): Promise<{ readonly claims: readonly NotedClaim[]; readonly tokens: number }> {
  const quotes = [...part.quotes].sort((one, other) => other.score - one.score);
  const { llm } = task;
  if (llm === undefined || quotes.length === 0) return { claims: bestQuotes(quotes, part), tokens: 0 };
  const before = llm.spent().tokens;
  const fenced = fenceSources(quotes, PROMPT_CHARACTERS);
  const messages = notesPrompt(part.instructions, fenced.text);
  const ask = { messages, maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: 0, schema: NOTES_SCHEMA };
  const value = await tryModel(completeJson(llm, ask, signal), signal);
  const notes = value as { readonly claims: readonly { readonly text: string; readonly sources: readonly number[] }[] };
  const claims = (value === undefined ? [] : notes.claims).flatMap(({ text, sources }): readonly NotedClaim[] => {
    const urls = new Set(fenced.sources.filter(({ number }) => sources.includes(number)).map(({ url }) => url));
    const cited = quotes.filter(({ url }) => urls.has(url));
    const support = { quotes: cited.map((quote) => quote.text), given: part.instructions };
    return supportsClaim(deps.analyser, text, support) ? [{ text, quotes: cited }] : [];
  });
  return { claims: claims.length === 0 ? bestQuotes(quotes, part) : claims, tokens: llm.spent().tokens - before };
}

function mentions(text: string, name: string): boolean {
  return text.toLowerCase().includes(name.toLowerCase());
}

function bestQuotes(quotes: readonly Quote[], part: RunTask): readonly NotedClaim[] {
  const chosen = chooseSentences(quotes, part.read, CLAIMS_PER_TASK);
  return chosen.map((quote) => ({ text: quote.text, quotes: [quote] }));
}

function operation(
  deps: Pick<ResearchDeps, "newId">,
  part: RunTask,
  data: Extract<RunEvent["event"], { eventType: "task-operation" }>["data"],
  memory: RunEvent["memory"] = {},
): RunEvent {
  const { planId, taskId } = part;
  return {
    event: { eventType: "task-operation", planId, taskId, operationId: deps.newId("operation"), data },
    memory,
  };
}
