import { AppError } from "@quarry/base";
import { limitLlm } from "@quarry/models";
import { chooseSentences, isSentence } from "../evidence/choose-sentences.ts";
import { makeMayLead } from "../evidence/may-lead.ts";
import { findQuotes } from "../evidence/quote.ts";
import { weighByMeaning } from "../evidence/weigh-by-meaning.ts";
import type { AnswerDeps, AnswerEvent, AnswerRequest } from "./answer.ts";
import { fillAnswer } from "./fill-answer.ts";
import { writeAnswer } from "./write-answer.ts";

/** What is said when the pages do not answer. */
export const NOTHING_FOUND = "The indexed pages do not answer this question.";

/**
 * Without a model, only pages that likely answer are quoted: words of a question stand in many pages that do not. Found on the dev
 * half of QED's questions, asked with and without the passage that answers (`npm run eval -- --only answer`): it keeps 98 of 100
 * right answers, and two of three questions that nothing answers get none (with `makeMayLead` five of six). Search's scores
 * change with what ranking learns: look again when its model is made anew.
 */
const MIN_PAGE_SCORE = 0.46;

/** Of third and fourth sentences below this share one in sixteen answers, above it one in seven (QED and chunking-eval). */
const EXTRACTIVE = { most: 4, mostPerPage: 2, minShare: 0.9 } as const;
const LITTLE_FOUND = {
  code: "few_results",
  message: "no page of the index is likely to answer this; add pages with: quarry crawl URL",
};
/** What one answer may cost at most: a prompt of quotes counted byte by byte, and a few corrections. */
const MAX_TOKENS = 120_000;

/**
 * Answers a question from pages: by the language model where there is one, sentence by sentence and only what quotes carry; by the
 * pages' own best sentences where there is none, or where nothing it wrote holds. Says nothing that rests on no quote.
 */
export async function* answerQuestion(
  deps: AnswerDeps,
  request: AnswerRequest,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const { question, teamIds, maxPages } = request;
  const llm = deps.llm === undefined ? undefined : limitLlm(deps.llm, { maxTokens: MAX_TOKENS });
  const pages = await deps.findPages({ teamIds, query: question, limit: maxPages }, signal);
  const quotes = findQuotes(deps, pages, question);
  if (request.outputSchema !== undefined) {
    const wish = { ...request, outputSchema: request.outputSchema, pages, quotes };
    const filled = await fillAnswer({ ...deps, llm }, wish, signal);
    yield { kind: "end", end: { ...filled, tokens: llm?.spent().tokens ?? 0 } };
    return;
  }
  const warnings: { readonly code: string; readonly message: string }[] = [];
  if (llm !== undefined && quotes.length > 0) {
    let count = 0;
    try {
      for await (const sentence of writeAnswer({ ...deps, llm }, { ...request, quotes }, signal)) {
        count += 1;
        yield { kind: "sentence", sentence };
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (count > 0) throw thrown; // half an answer is out: it must not look like a whole one
      warnings.push({ code: "model_failed", message: AppError.from(thrown).message });
    }
    if (count > 0) {
      yield { kind: "end", end: { mode: "model", quotes: [], tokens: llm.spent().tokens, warnings } };
      return;
    }
  }
  if (deps.llm === undefined && request.systemPrompt !== undefined) {
    warnings.push({
      code: "no_model",
      message: "systemPrompt has no effect: no language model is set (QUARRY_LLM_URL), so the answer quotes the pages",
    });
  }
  const urls = pages.filter(({ score }) => score >= MIN_PAGE_SCORE).map(({ url }) => url);
  const likely = quotes.filter(
    ({ url, text, isDirect }) => urls.includes(url) && (isDirect === true || isSentence(text)),
  );
  const weighed = await weighByMeaning(deps.embed, question, likely, signal);
  const sentences = chooseSentences(weighed, urls, { ...EXTRACTIVE, mayLead: makeMayLead(question) });
  for (const one of sentences) yield { kind: "sentence", sentence: { text: one.text, quotes: [one] } };
  if (sentences.length === 0) warnings.push(LITTLE_FOUND);
  yield { kind: "end", end: { mode: "extractive", quotes: [], tokens: llm?.spent().tokens ?? 0, warnings } };
}
