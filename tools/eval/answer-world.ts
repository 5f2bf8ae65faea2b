import type { AnswerDeps } from "@quarry/answer";
import { createAnalyser } from "@quarry/retrieval";
import { createSentenceScorer, findPages, type ContentPage } from "@quarry/search";
import type { JudgedDocument } from "./search-sets.ts";
import { EVAL_TEAM, type SearchWorld } from "./search-world.ts";

/** What answering needs, as the server has it, over a judged set, or over all of it but one document. */
export function answerDepsOf(world: SearchWorld, documents: readonly JudgedDocument[], without?: string): AnswerDeps {
  const pages = new Map(documents.map((document) => [document.url, toPage(document)]));
  const statistics = () => world.index.termStatistics();
  return {
    analyser: createAnalyser(),
    statistics,
    scoreSentences: createSentenceScorer(statistics),
    embed: world.embedTexts,
    llm: undefined,
    findPages: async ({ teamIds, query, limit }, signal) => {
      const filter = without === undefined ? {} : { excludeUrls: [without] };
      const found = await findPages(world, { teamIds, query, plan: "auto", limit, filter }, signal);
      return found.pages.flatMap(({ url, score }) => {
        const page = pages.get(url);
        return page === undefined ? [] : [{ ...page, score }];
      });
    },
  };
}

function toPage({ url, title, text }: JudgedDocument): ContentPage {
  return {
    teamId: EVAL_TEAM,
    url,
    title,
    author: null,
    publishedAt: null,
    siteName: null,
    description: null,
    image: null,
    favicon: null,
    category: null,
    language: "en",
    details: {},
    text,
    markdown: text,
    snapshotId: null,
    extractorVersion: "1",
    mediaType: "text/plain",
    charset: "utf-8",
    readAt: new Date("2026-01-01T00:00:00Z"),
  };
}
