import { isUrl } from "@quarry/base";
import { getDomain } from "tldts";
import type { Entity } from "../entities/entity.ts";
import { teamsOfWebset, type StoredPage, type WebsetsDeps } from "./websets-deps.ts";

/** Pages that one unit reads at most. */
export const PAGES_PER_UNIT = 8;
/** Further pages of an entity's own site that a unit looks for. */
const FURTHER_PAGES = 4;

/** What is read for one question about one entity. */
export interface PageWant {
  readonly teamId: string;
  readonly entity: Pick<Entity, "type" | "name" | "url" | "pages">;
  /** The criterion or the enrichment. */
  readonly question: string;
  /** Whether pages that are not stored may be fetched: for entities that came from outside. */
  readonly fetch: boolean;
}

/**
 * The pages that a question about an entity is answered from: those it was found on, and others of its own site that the
 * index finds for the question. A text is its own page.
 */
export async function gatherPages(
  deps: Pick<WebsetsDeps, "find" | "readPages">,
  want: PageWant,
  signal: AbortSignal,
): Promise<readonly StoredPage[]> {
  const teamIds = teamsOfWebset(want);
  const own = [...new Set([...want.entity.pages, ...(want.entity.pages.length === 0 ? [want.entity.url] : [])])];
  const further = isText(want.entity) ? [] : await findFurther(deps, want, teamIds, signal);
  const urls = [...new Set([...own.slice(0, PAGES_PER_UNIT - FURTHER_PAGES), ...further, ...own])];
  return deps.readPages({ teamIds, urls: urls.slice(0, PAGES_PER_UNIT), fetch: want.fetch }, signal);
}

function isText({ type }: Pick<Entity, "type">): boolean {
  return type === "article" || type === "research_paper";
}

async function findFurther(
  deps: Pick<WebsetsDeps, "find">,
  want: PageWant,
  teamIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { entity, question } = want;
  if (entity.type !== "company") return [];
  const domain = getDomain(entity.url, { allowPrivateDomains: true }) ?? hostOf(entity.url);
  if (domain === undefined) return [];
  return deps.find(
    { teamIds, query: `${entity.name} ${question}`, limit: FURTHER_PAGES, includeDomains: [domain], plan: "fast" },
    signal,
  );
}

function hostOf(url: string): string | undefined {
  return isUrl(url) ? new URL(url).hostname : undefined;
}
