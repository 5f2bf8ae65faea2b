import type { AppError } from "@quarry/base";
import { answerReplySchema, answerSchema, type AnswerCitation, type PriceList } from "@quarry/contract";
import {
  answerQuestion,
  NOTHING_FOUND,
  type AnswerDeps,
  type AnswerEnd,
  type AnswerSentence,
  type Quote,
} from "@quarry/answer";
import { compileSchema } from "@quarry/models";
import type { ContentPage } from "@quarry/search";
import type { z } from "zod";
import { ERROR_TABLE } from "../error-table.ts";
import { eventStreamReply } from "../reply.ts";
import { defineRoute, type RequestContext, type Route } from "../route.ts";
import { teamsOf } from "./search-deps.ts";

/** What the answer routes need. */
export interface AnswerRoutesDeps {
  readonly answer: AnswerDeps;
  readonly prices: PriceList;
}

const PAGES = { exa: 5, "exa-pro": 10 } as const;
const MAX_TEXT_CHARACTERS = 20_000;

/** `POST /answer`: a question in, an answer with its sources out. */
export function answerRoutes(deps: AnswerRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      name: "answer",
      method: "POST",
      path: "/answer",
      tag: "Answer",
      summary: "Answer a question from the index, with citations",
      description:
        "Every sentence rests on quotes that stand in stored pages. With a language model set it writes the answer and only what the quotes carry is kept; without one the answer is made of the pages' own sentences.",
      access: "search",
      meter: "answer",
      body: answerSchema,
      response: answerReplySchema,
      handle: async ({ body }, context) => {
        if (body.outputSchema !== undefined) compileSchema(body.outputSchema);
        const run = startAnswer(deps, body, context);
        if (body.stream === true) {
          const withEvidence = body.quarry?.evidence === true;
          return eventStreamReply(streamAnswer(run, context.requestId, { withEvidence }), {
            errorFrame: (error) => errorFrame(error, context.requestId),
          });
        }
        const sentences: AnswerSentence[] = [];
        for await (const sentence of run.sentences()) sentences.push(sentence);
        const end = run.end();
        return {
          requestId: context.requestId,
          answer: end.object === undefined ? textOf(sentences) : { ...end.object },
          citations: [...run.citations()],
          costDollars: run.cost,
          quarry: {
            mode: end.mode,
            warnings: [...end.warnings],
            ...(body.quarry?.evidence === true && { sentences: sentences.map(showSentence) }),
          },
        };
      },
    }),
  ];
}

/** An answer under way. */
export interface RunningAnswer {
  readonly sentences: () => AsyncGenerator<AnswerSentence>;
  /** Once all sentences have come. */
  readonly end: () => AnswerEnd;
  /** The pages cited so far, in the order in which they were first cited. */
  readonly citations: () => readonly AnswerCitation[];
  readonly cost: { readonly total: number; readonly search: { readonly neural: number } };
}

/** Starts an answer for whoever asks; nothing happens until its sentences are read. */
export function startAnswer(
  deps: AnswerRoutesDeps,
  body: Omit<z.output<typeof answerSchema>, "stream">,
  context: Pick<RequestContext, "streamSignal" | "addUsage"> & { readonly caller: { readonly teamId: string } },
): RunningAnswer {
  const pages = new Map<string, ContentPage>();
  const cited = new Set<string>();
  const price = deps.prices.answer;
  let ended: AnswerEnd | undefined;
  const seen: AnswerDeps = {
    ...deps.answer,
    findPages: async (question, signal) => {
      const found = await deps.answer.findPages(question, signal);
      for (const page of found) pages.set(page.url, page);
      return found;
    },
  };
  const cite = (quotes: readonly Quote[]): void => {
    for (const { url } of quotes) cited.add(url);
  };
  return {
    cost: { total: price, search: { neural: price } },
    sentences: async function* () {
      const request = {
        teamIds: teamsOf(context.caller),
        question: body.query,
        maxPages: PAGES[body.model ?? "exa"],
        systemPrompt: body.systemPrompt,
        outputSchema: body.outputSchema,
      };
      for await (const event of answerQuestion(seen, request, context.streamSignal)) {
        if (event.kind === "sentence") {
          cite(event.sentence.quotes);
          yield event.sentence;
        } else {
          ended = event.end;
          cite(event.end.quotes);
          context.addUsage({ tokens: event.end.tokens, costDollars: price });
        }
      }
    },
    end: () => {
      if (ended === undefined) throw new Error("the answer has not ended yet");
      return ended;
    },
    citations: () =>
      [...cited].flatMap((url) => {
        const page = pages.get(url);
        return page === undefined ? [] : [showCitation(page, body.text === true)];
      }),
  };
}

/** The sentences as one text; an honest one when there are none. */
export function textOf(sentences: readonly AnswerSentence[]): string {
  return sentences.length === 0 ? NOTHING_FOUND : sentences.map(({ text }) => text).join(" ");
}

/** Exa's frames: the text as chat chunks, then the citations, then cost and request id. Evidence stands beside its sentence. */
async function* streamAnswer(
  run: RunningAnswer,
  requestId: string,
  { withEvidence }: { readonly withEvidence: boolean },
): AsyncGenerator<string> {
  let count = 0;
  for await (const sentence of run.sentences()) {
    const content = count === 0 ? sentence.text : ` ${sentence.text}`;
    const { references } = showSentence(sentence);
    yield chunk(content, count === 0, withEvidence ? { quarry: { references } } : {});
    count += 1;
  }
  const { object, mode, warnings } = run.end();
  if (object !== undefined) yield chunk(JSON.stringify(object), true);
  else if (count === 0) yield chunk(NOTHING_FOUND, true);
  yield frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  yield frame({ citations: run.citations() });
  yield frame({ costDollars: run.cost, requestId, quarry: { mode, warnings } });
  yield "data: [DONE]\n\n";
}

function chunk(content: string, isFirst: boolean, beside: Readonly<Record<string, unknown>> = {}): string {
  const delta = isFirst ? { role: "assistant", content } : { content };
  return frame({ choices: [{ index: 0, delta, finish_reason: null }], ...beside });
}

function errorFrame(error: AppError, requestId: string): string {
  return frame({
    tag: "ERROR",
    payload: { error: { code: ERROR_TABLE[error.code].status, message: error.message }, requestId },
  });
}

function frame(payload: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

function showCitation(page: ContentPage, withText: boolean): AnswerCitation {
  return {
    id: page.url,
    url: page.url,
    title: page.title ?? "",
    author: page.author,
    ...(page.publishedAt !== null && { publishedDate: page.publishedAt.toISOString() }),
    ...(page.image !== null && { image: page.image }),
    ...(page.favicon !== null && { favicon: page.favicon }),
    ...(withText && { text: page.text.slice(0, MAX_TEXT_CHARACTERS) }),
  };
}

function showSentence({ text, quotes }: AnswerSentence) {
  return {
    text,
    references: quotes.map(({ url, title, text: snippet, snapshotId, extractorVersion, start, end }) => ({
      url,
      title,
      snippet,
      snapshotId,
      extractorVersion,
      start,
      end,
    })),
  };
}
