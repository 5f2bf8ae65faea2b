import type { Llm, LlmMessage } from "@quarry/models";
import { createAnalyser } from "@quarry/retrieval";
import { createSentenceScorer, type ContentPage } from "@quarry/search";
import { makeContentPage } from "@quarry/search/testing";
import type { AnswerDeps } from "./answer/answer.ts";

/** A page with this text; all else is made up. */
export function contentPage(page: {
  readonly url: string;
  readonly text: string;
  readonly title?: string;
}): ContentPage {
  const { url, text, title = url } = page;
  return makeContentPage({ url, title, text, markdown: text, snapshotId: `snapshot of ${url}`, details: {} });
}

/** What answering needs, over a handful of pages that every question finds. */
export function answerWorld(pages: readonly (ContentPage & { readonly score?: number })[], llm?: Llm): AnswerDeps {
  return {
    findPages: (_, signal) => {
      signal.throwIfAborted();
      return Promise.resolve(pages.map((page) => ({ score: 1, ...page })));
    },
    scoreSentences: createSentenceScorer(() => STATISTICS),
    statistics: () => STATISTICS,
    analyser: createAnalyser(),
    embed: undefined,
    llm,
  };
}

const STATISTICS = { pageCount: 1_000, averageLength: 300, pagesWith: () => 10 };

/** A model that answers from a list, the last again and again; what it was asked is kept. */
export function scriptedLlm(replies: readonly (string | Error)[]) {
  const asked: (readonly LlmMessage[])[] = [];
  const next = (messages: readonly LlmMessage[]): string => {
    asked.push(messages);
    const reply = replies[Math.min(asked.length, replies.length) - 1] ?? "";
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const usage = { inputTokens: 100, outputTokens: 20 };
  const llm: Llm = {
    model: "scripted",
    complete: async ({ messages }, signal) => {
      signal.throwIfAborted();
      return { text: await Promise.resolve(next(messages)), finish: "stop", usage };
    },
    stream: async function* ({ messages }, signal) {
      signal.throwIfAborted();
      for (const delta of (await Promise.resolve(next(messages))).match(/.{1,7}/gs) ?? [])
        yield { kind: "text", delta };
      yield { kind: "end", finish: "stop", usage };
    },
  };
  return { llm, asked };
}
