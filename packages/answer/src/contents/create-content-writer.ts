import { AppError } from "@quarry/base";
import { completeJson, limitLlm, type Llm } from "@quarry/models";
import { splitSentences } from "@quarry/retrieval";
import type { ContentPage, ContentWriter } from "@quarry/search";
import { objectPrompt, summaryPrompt } from "../answer/answer-prompt.ts";
import { writeAnswer } from "../answer/write-answer.ts";
import { fenceSources } from "../evidence/fence-sources.ts";
import { groundOne } from "../evidence/ground-field.ts";
import { keepSupported } from "../evidence/keep-supported.ts";
import type { QuestionDeps } from "../evidence/question.ts";
import { findQuotes, type Quote } from "../evidence/quote.ts";
import { tryModel } from "../try-model.ts";

const PROMPT_CHARACTERS = 12_000;
const MAX_OUTPUT_TOKENS = 2_000;
/** What one summary or output may cost at most: its prompt counted byte by byte, its reply, and a few corrections. */
const MAX_TOKENS = 100_000;

/** The language model as the writer of summaries and outputs: everything it writes passes the check that answers pass. */
export function createContentWriter(deps: QuestionDeps & { readonly llm: Llm }): ContentWriter {
  const { analyser } = deps;
  const limited = () => limitLlm(deps.llm, { maxTokens: MAX_TOKENS });
  return {
    summarise: async (page, { query, maxCharacters }, signal) => {
      const question = query ?? page.title ?? page.url;
      const quotes = [...findQuotes(deps, [page], question).slice(0, BEST_QUOTES), ...leadOf(page)];
      const made = { llm: limited(), analyser, prompt: summaryPrompt };
      const sentences = await tryModel(collect(writeAnswer(made, { question, quotes }, signal)), signal);
      let text = "";
      for (const sentence of sentences ?? []) {
        const longer = text === "" ? sentence.text : `${text} ${sentence.text}`;
        if (longer.length <= maxCharacters) text = longer;
      }
      return text === "" ? undefined : text;
    },
    write: async (pages, { query, systemPrompt }, signal) => {
      const quotes = findQuotes(deps, pages, query);
      if (quotes.length === 0) return undefined;
      const ask = { question: query, systemPrompt, quotes };
      const sentences = await tryModel(collect(writeAnswer({ llm: limited(), analyser }, ask, signal)), signal);
      if (sentences === undefined || sentences.length === 0) return undefined;
      const cited = new Set(sentences.flatMap((sentence) => sentence.quotes.map(({ url }) => url)));
      return {
        text: sentences.map(({ text }) => text).join(" "),
        pages: pages.filter(({ url }) => cited.has(url)),
      };
    },
    fill: async (pages, { schema, query, systemPrompt }, signal) => {
      const found = findQuotes(deps, pages, query);
      const quotes = found.length > 0 ? found : pages.flatMap(leadOf);
      if (quotes.length === 0) return undefined;
      const { text } = fenceSources(quotes, PROMPT_CHARACTERS);
      const value = await tryModel(
        completeJson(
          limited(),
          {
            messages: objectPrompt({ question: query, sources: text, systemPrompt }),
            maxOutputTokens: MAX_OUTPUT_TOKENS,
            temperature: 0,
            schema: { name: "output", schema },
          },
          signal,
        ),
        signal,
      );
      if (value === undefined) return undefined;
      const kept = keepSupported(analyser, value, { quotes, given: query });
      return { content: asObject(kept.value), grounding: kept.support.map(groundOne) };
    },
  };
}

/** Sentences that answer the query come first in the prompt; then the page's beginning, which says what it is about. */
const BEST_QUOTES = 20;
const LEAD_CHARACTERS = 6_000;

function leadOf(page: ContentPage): readonly Quote[] {
  const text = page.text.slice(0, LEAD_CHARACTERS);
  const { url, snapshotId, extractorVersion } = page;
  return splitSentences(text).map(({ start, end }) => ({
    url,
    title: page.title ?? url,
    text: text.slice(start, end),
    snapshotId,
    extractorVersion,
    start,
    end,
    score: 0,
  }));
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new AppError("upstream_failed", "the language model's JSON is not an object");
}
