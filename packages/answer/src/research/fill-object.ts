import { AppError } from "@quarry/base";
import type { Grounding, ResearchCitation } from "@quarry/contract";
import { compileSchema, completeJson } from "@quarry/models";
import { fillSchema, type ContentPage } from "@quarry/search";
import { objectPrompt } from "../answer/answer-prompt.ts";
import { fenceSources } from "../evidence/fence-sources.ts";
import { groundOne } from "../evidence/ground-field.ts";
import { keepSupported } from "../evidence/keep-supported.ts";
import type { ResearchDeps, ResearchTask } from "./research-deps.ts";
import type { ResearchRun } from "./research-run.ts";
import { SourceList } from "./write-report.ts";

/** What a run came to. */
export type ResearchResult =
  | {
      readonly kind: "completed";
      readonly content: string;
      readonly parsed?: Readonly<Record<string, unknown>>;
      readonly citations: readonly ResearchCitation[];
      readonly grounding: readonly Grounding[];
    }
  | { readonly kind: "failed"; readonly error: string };

const PROMPT_CHARACTERS = 16_000;
const MAX_OUTPUT_TOKENS = 4_000;
/** Pages that an object is filled from. */
const MAX_FILL_PAGES = 10;

/** Fills the object that a schema asks for: by the model, each value checked against the quotes, or by the pages alone. */
export async function fillObject(
  deps: ResearchDeps,
  task: ResearchTask & { readonly outputSchema: Readonly<Record<string, unknown>> },
  run: ResearchRun,
  signal: AbortSignal,
): Promise<ResearchResult> {
  const { outputSchema: schema, instructions } = task;
  const quotes = run.tasks.flatMap((part) => part.quotes).sort((one, other) => other.score - one.score);
  const check = compileSchema(schema);
  const sources = new SourceList();
  if (task.llm !== undefined) {
    const { text } = fenceSources(quotes, PROMPT_CHARACTERS);
    let value: unknown;
    try {
      value = await completeJson(
        task.llm,
        {
          messages: objectPrompt({ question: instructions, sources: text, systemPrompt: task.systemPrompt }),
          maxOutputTokens: MAX_OUTPUT_TOKENS,
          temperature: 0,
          schema: { name: "output", schema },
        },
        signal,
      );
    } catch (thrown) {
      signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (error.retryable) throw thrown;
      return { kind: "failed", error: error.message };
    }
    const kept = keepSupported(deps.analyser, value, { quotes, given: instructions });
    const verdict = check(kept.value);
    if (verdict.kind === "invalid") {
      const error = `the sources do not support what outputSchema requires: ${verdict.path} ${verdict.message}`;
      return { kind: "failed", error };
    }
    sources.cite(kept.quotes);
    return completed(kept.value, sources, kept.support.map(groundOne));
  }
  const urls = [...new Set(quotes.map(({ url }) => url))].slice(0, MAX_FILL_PAGES);
  const pages: ContentPage[] = [];
  for (const url of urls) {
    const page = await deps.readPage({ teamIds: task.teamIds, url }, signal);
    if (page !== undefined) pages.push(page);
  }
  const filled = fillSchema(deps.scoreSentences, { schema, query: instructions, pages });
  const cited = new Set(filled.grounding.flatMap(({ citations }) => citations.map(({ url }) => url)));
  sources.cite(quotes.filter(({ url }) => cited.has(url)));
  return completed(filled.content, sources, filled.grounding);
}

function completed(value: unknown, sources: SourceList, grounding: readonly Grounding[]): ResearchResult {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    kind: "completed",
    content: JSON.stringify(value),
    ...(isObject ? { parsed: value as Readonly<Record<string, unknown>> } : {}),
    citations: sources.citations(),
    grounding,
  };
}
