import { makeId, sleep, type Clock } from "@quarry/base";
import type { Config } from "@quarry/config";
import { PRICE_LISTS, searchSchema } from "@quarry/contract";
import { createContentWriter, createResearchJobHandler, type AnswerDeps, type ResearchJobDeps } from "@quarry/answer";
import {
  answerRoutes,
  chatCompletionRoutes,
  contextRoutes,
  researchRoutes,
  responseRoutes,
  type Route,
} from "@quarry/doors";
import { createOpenAiLlm, type Llm } from "@quarry/models";
import { createTrustedDialer } from "@quarry/net";
import { createAnalyser } from "@quarry/retrieval";
import { findForRequest, getPages, type SearchDeps } from "@quarry/search";
import { RESEARCH_JOB, type JobHandler } from "@quarry/store";
import type { ModelWatch } from "./watch-models.ts";

/** How fresh a page must be that an answer reads: as it is stored, or fetched when it is not there. */
const STORED = { freshness: { kind: "stored-only" }, fetchTimeoutMs: 10_000, snapshotAsOf: undefined } as const;
const FETCHED = { freshness: { kind: "fetch-missing" }, fetchTimeoutMs: 10_000, snapshotAsOf: undefined } as const;

/** A run that goes on right after a start waits a little for vectors of new pages, too. */
const VECTORS_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 200;

/** Puts answers and research together, on the read path and, where one is set, a language model. */
export function wireAnswer(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly searching: SearchDeps;
  readonly models: Pick<ModelWatch, "embedTexts" | "settle">;
}): {
  readonly answer: AnswerDeps;
  readonly routes: readonly Route[];
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** Writes summaries and outputs of search; undefined when no language model is set. */
  readonly writer: SearchDeps["writer"];
  readonly close: () => Promise<void>;
} {
  const { config, clock, searching, models } = parts;
  const { llm, close } = openLlm(config);
  const prices = PRICE_LISTS[config.prices];
  const { scoreSentences, database } = searching;
  const statistics = () => searching.index.termStatistics();
  const analyser = createAnalyser();
  const find = (question: { teamIds: readonly string[]; query: string; limit: number }, signal: AbortSignal) =>
    findForRequest(
      searching,
      { teamIds: question.teamIds, body: searchSchema.parse({ query: question.query, numResults: question.limit }) },
      signal,
    );
  const answer: AnswerDeps = {
    scoreSentences,
    analyser,
    statistics,
    embed: config.embedUrl === undefined ? models.embedTexts : undefined,
    llm,
    findPages: async (question, signal) => {
      const { pages } = await find(question, signal);
      const urls = pages.map(({ url }) => url);
      const read = await getPages(searching, question.teamIds, urls, STORED, signal);
      return pages.flatMap(({ url, score }) => {
        const outcome = read.get(url);
        return outcome?.kind === "found" ? [{ ...outcome.page, score }] : [];
      });
    },
  };
  const research: ResearchJobDeps = {
    database,
    clock,
    scoreSentences,
    analyser,
    statistics,
    llm,
    prices,
    newId: (prefix) => makeId(prefix, clock.now()),
    search: async (question, signal) => {
      await models.settle(signal);
      for (const end = performance.now() + VECTORS_WITHIN_MS; ;) {
        const { pages, warnings } = await find(question, signal);
        const isReady = !warnings.some(({ code }) => code === "vectors_not_ready");
        if (isReady || performance.now() > end) return pages.map(({ url }) => ({ url }));
        await sleep(LOOK_AGAIN_MS, signal);
      }
    },
    readPage: async ({ teamIds, url }, signal) => {
      const outcome = (await getPages(searching, teamIds, [url], FETCHED, signal)).get(url);
      return outcome?.kind === "found" ? outcome.page : undefined;
    },
  };
  const writer = llm === undefined ? undefined : createContentWriter({ analyser, statistics, llm });
  const storing = { db: database, clock };
  return {
    answer,
    routes: [
      ...answerRoutes({ answer, prices }),
      ...chatCompletionRoutes({ answer, prices }),
      ...contextRoutes({ answer, prices }),
      ...researchRoutes(storing),
      ...responseRoutes(storing),
    ],
    handlers: { [RESEARCH_JOB]: createResearchJobHandler(research) },
    writer,
    close,
  };
}

function openLlm(config: Config): { readonly llm: Llm | undefined; readonly close: () => Promise<void> } {
  const { llmUrl: url, llmKey: key, llmModel: model } = config;
  if (url === undefined) return { llm: undefined, close: () => Promise.resolve() };
  const dialer = createTrustedDialer([url]);
  const llm = createOpenAiLlm({ fetch: dialer.fetch }, { endpoint: { url, key }, model: model ?? "default" });
  return { llm, close: dialer.close };
}
