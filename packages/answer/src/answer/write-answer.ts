import type { Llm, LlmEvent } from "@quarry/models";
import type { Analyser } from "@quarry/retrieval";
import { fenceSources, type FencedSource } from "../evidence/fence-sources.ts";
import type { Quote } from "../evidence/quote.ts";
import { supportsClaim } from "../evidence/supports-claim.ts";
import type { AnswerSentence } from "./answer.ts";
import { answerPrompt } from "./answer-prompt.ts";
import { readSentences } from "./read-sentences.ts";

/** What of the evidence a model is shown. */
const PROMPT_CHARACTERS = 12_000;
const MAX_OUTPUT_TOKENS = 800;

/** Lets the model write and hands on those of its sentences that the quotes it names carry; the others are dropped. */
export async function* writeAnswer(
  deps: { readonly llm: Llm; readonly analyser: Analyser; readonly prompt?: typeof answerPrompt },
  ask: {
    readonly question: string;
    readonly systemPrompt?: string | undefined;
    readonly quotes: readonly Quote[];
  },
  signal: AbortSignal,
): AsyncGenerator<AnswerSentence> {
  const { sources, text } = fenceSources(ask.quotes, PROMPT_CHARACTERS);
  const messages = (deps.prompt ?? answerPrompt)({
    question: ask.question,
    sources: text,
    systemPrompt: ask.systemPrompt,
  });
  const events = deps.llm.stream({ messages, maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: 0 }, signal);
  for await (const sentence of readSentences(textOf(events))) {
    const cited = sources.filter(({ number }) => sentence.sources.includes(number));
    const quotes = quotesOf(cited, deps.analyser, sentence.text);
    const support = { quotes: quotes.map((quote) => quote.text), given: ask.question };
    if (!supportsClaim(deps.analyser, sentence.text, support)) continue;
    yield { text: sentence.text, quotes };
  }
}

async function* textOf(events: AsyncIterable<LlmEvent>): AsyncGenerator<string> {
  for await (const event of events) if (event.kind === "text") yield event.delta;
}

/** The quotes of the cited sources that share words with the sentence: those it can rest on. */
function quotesOf(cited: readonly FencedSource[], analyser: Analyser, sentence: string): readonly Quote[] {
  const words = new Set(
    analyser.analyseQuery(sentence, []).flatMap(({ role, tokens }) => (role === "phrase" ? [] : tokens)),
  );
  return cited
    .flatMap(({ quotes }) => quotes)
    .map((quote) => ({
      quote,
      shared: new Set(analyser.analyseText(quote.text, null).filter((token) => words.has(token))).size,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared)
    .slice(0, MAX_QUOTES)
    .map(({ quote }) => quote);
}

const MAX_QUOTES = 4;
