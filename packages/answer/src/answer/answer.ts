import type { Llm } from "@quarry/models";
import type { ContentPage, ScoreSentences } from "@quarry/search";
import type { QuestionDeps } from "../evidence/question.ts";
import type { Quote } from "../evidence/quote.ts";
import type { EmbedTexts } from "../evidence/weigh-by-meaning.ts";

/** A page that search found for a question. */
export interface FoundPage extends ContentPage {
  /** How likely it answers, 0 to 1, as search shows it. */
  readonly score: number;
}

/** What answering needs from outside. */
export interface AnswerDeps extends QuestionDeps {
  /** The best pages for a question with their texts, best first. */
  readonly findPages: (
    question: { readonly teamIds: readonly string[]; readonly query: string; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<readonly FoundPage[]>;
  readonly scoreSentences: ScoreSentences;
  /** Vectors of the embedded model: another's nearness counts otherwise. Undefined where vectors come from elsewhere. */
  readonly embed: EmbedTexts | undefined;
  /** Without one, answers are made of the pages' own sentences. */
  readonly llm: Llm | undefined;
}

/** A question, and what the answer is to be. */
export interface AnswerRequest {
  readonly teamIds: readonly string[];
  readonly question: string;
  readonly maxPages: number;
  readonly systemPrompt?: string | undefined;
  /** Asks for an object; checked to be a JSON Schema by whoever took it in. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** One sentence of an answer and the quotes it rests on: at least one, each really in its page's text. */
export interface AnswerSentence {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

/** What an answer came to; `object` when a schema was given. */
export interface AnswerEnd {
  readonly mode: "extractive" | "model";
  readonly object?: Readonly<Record<string, unknown>> | undefined;
  /** Quotes behind the object. */
  readonly quotes: readonly Quote[];
  /** Tokens of the language model that went into it. */
  readonly tokens: number;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** A part of an answer as it comes; `end` comes last and once. */
export type AnswerEvent =
  { readonly kind: "sentence"; readonly sentence: AnswerSentence } | { readonly kind: "end"; readonly end: AnswerEnd };
