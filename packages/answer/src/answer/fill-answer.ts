import { AppError } from "@quarry/base";
import { compileSchema, completeJson } from "@quarry/models";
import { fillSchema, type ContentPage } from "@quarry/search";
import { fenceSources } from "../evidence/fence-sources.ts";
import { keepSupported } from "../evidence/keep-supported.ts";
import type { Quote } from "../evidence/quote.ts";
import type { AnswerDeps, AnswerEnd, AnswerRequest } from "./answer.ts";
import { objectPrompt } from "./answer-prompt.ts";

const PROMPT_CHARACTERS = 12_000;
const MAX_OUTPUT_TOKENS = 2_000;

/** Fills the object that a schema asks for: by the model, each value checked against the quotes, or by the pages alone. */
export async function fillAnswer(
  deps: AnswerDeps,
  request: AnswerRequest & {
    readonly outputSchema: Readonly<Record<string, unknown>>;
    readonly pages: readonly ContentPage[];
    readonly quotes: readonly Quote[];
  },
  signal: AbortSignal,
): Promise<Omit<AnswerEnd, "tokens">> {
  const { outputSchema: schema, question, pages, quotes } = request;
  const warnings: { readonly code: string; readonly message: string }[] = [];
  if (deps.llm !== undefined) {
    const { text } = fenceSources(quotes, PROMPT_CHARACTERS);
    const messages = objectPrompt({ question, sources: text, systemPrompt: request.systemPrompt });
    try {
      const value = await completeJson(
        deps.llm,
        { messages, maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: 0, schema: { name: "answer", schema } },
        signal,
      );
      const kept = keepSupported(deps.analyser, value, { quotes, given: question });
      return { mode: "model", object: asObject(kept.value), quotes: kept.quotes, warnings };
    } catch (thrown) {
      signal.throwIfAborted();
      warnings.push({ code: "model_failed", message: AppError.from(thrown).message });
    }
  }
  const filled = fillSchema(deps.scoreSentences, { schema, query: question, pages });
  const verdict = compileSchema(schema)(filled.content);
  if (verdict.kind === "invalid") {
    warnings.push({
      code: "not_all_supported",
      message: `the pages do not say all that the schema requires: ${verdict.path} ${verdict.message}`,
    });
  }
  const cited = new Set(filled.grounding.flatMap(({ citations }) => citations.map(({ url }) => url)));
  return {
    mode: "extractive",
    object: filled.content,
    quotes: [...cited].flatMap((url) => quotes.find((quote) => quote.url === url) ?? []),
    warnings,
  };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new AppError("upstream_failed", "the language model's JSON is not an object");
}
