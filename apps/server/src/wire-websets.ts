import { makeId, type Clock } from "@quarry/base";
import type { Config } from "@quarry/config";
import { PRICE_LISTS, searchSchema } from "@quarry/contract";
import type { Llm } from "@quarry/models";
import { findForRequest, getPages, type ContentPage, type SearchDeps } from "@quarry/search";
import { createWebsetJobHandlers, JUDGES, readLiving, type StoredPage, type WebsetsDeps } from "@quarry/websets";
import type { JobHandler } from "@quarry/store";
import type { Logger } from "pino";
import type { ModelWatch } from "./watch-models.ts";

/** How fresh a page must be that a unit reads: as it is stored, or fetched when it is not there. */
const STORED = { freshness: { kind: "stored-only" }, fetchTimeoutMs: 10_000, snapshotAsOf: undefined } as const;
const FETCHED = { freshness: { kind: "fetch-missing" }, fetchTimeoutMs: 10_000, snapshotAsOf: undefined } as const;

/** Puts websets together, on the read path and, where one is set, a language model. */
export function wireWebsets(parts: {
  readonly config: Config;
  readonly clock: Clock;
  readonly searching: SearchDeps;
  readonly llm: Llm | undefined;
  /** Returns once the embedding model is loaded, or will not be. */
  readonly settleModel: ModelWatch["settle"];
  readonly logger: Logger;
  /** Where people reach this server. */
  readonly baseUrl: () => string;
}): { readonly websets: WebsetsDeps; readonly handlers: Readonly<Record<string, JobHandler>> } {
  const { config, clock, searching, llm, settleModel, logger, baseUrl } = parts;
  // What verdicts learnt of likeness holds for the vectors of the embedded model alone.
  const embed: WebsetsDeps["embed"] = async (texts, signal) => {
    await settleModel(signal); // so that a verdict does not depend on when it is asked for
    const vectors: Float32Array[] = [];
    for (const text of texts) vectors.push(await searching.embedQuery(text, signal)); // queries of people come in between
    return vectors;
  };
  const websets: WebsetsDeps = {
    database: searching.database,
    clock,
    llm,
    embed: config.embedUrl === undefined ? embed : undefined,
    judges: JUDGES,
    prices: PRICE_LISTS[config.prices],
    newId: (prefix) => makeId(prefix, clock.now()),
    dashboardUrl: (websetId) => `${baseUrl()}/console/websets/${websetId}`,
    readLiving,
    onGivenUp: (unit) => logger.warn(unit, "a unit of a webset was given up"),
    find: async ({ teamIds, query, limit, includeDomains, excludeDomains, plan }, signal) => {
      const body = searchSchema.parse({
        query,
        numResults: limit,
        type: plan,
        ...(includeDomains !== undefined && { includeDomains: [...includeDomains] }),
        ...(excludeDomains !== undefined && { excludeDomains: [...excludeDomains] }),
      });
      const { pages } = await findForRequest(searching, { teamIds, body }, signal);
      return pages.map(({ url }) => url);
    },
    readPages: async ({ teamIds, urls, fetch }, signal) => {
      const outcomes = await getPages(searching, teamIds, urls, fetch ? FETCHED : STORED, signal);
      return urls.flatMap((url) => {
        const outcome = outcomes.get(url);
        return outcome?.kind === "found" ? [toStoredPage(outcome.page)] : [];
      });
    },
  };
  return { websets, handlers: createWebsetJobHandlers(websets) };
}

/** A page as units of websets read it. */
export function toStoredPage(page: ContentPage): StoredPage {
  return {
    url: page.url,
    title: page.title,
    text: page.text,
    snapshotId: page.snapshotId,
    extractorVersion: page.extractorVersion,
    publishedDate: page.publishedAt?.toISOString() ?? null,
    author: page.author,
    language: page.language,
    siteName: page.siteName,
    description: page.description,
    image: page.image,
    favicon: page.favicon,
    links: page.details.links,
    structured: page.details.structuredData,
  };
}
