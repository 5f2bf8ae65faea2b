import type { WebsetEnrichmentWire, WebsetSearchWire, WebsetWire } from "@quarry/contract";
import { websetEntitySchema } from "@quarry/contract";
import {
  mayItemsCome,
  readWebsetParts,
  statusOfEnrichment,
  statusOfParts,
  type Queryable,
  type Webset,
  type WebsetEnrichment,
  type WebsetParts,
  type WebsetSearch,
} from "@quarry/store";
import { progressOf, successRate } from "./search-progress.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Websets as the wire shows them, read in a handful of statements however many there are. */
export async function showWebsets(
  deps: Pick<WebsetsDeps, "clock" | "dashboardUrl" | "readLiving">,
  db: Queryable,
  websets: readonly Webset[],
): Promise<readonly WebsetWire[]> {
  const parts = await readWebsetParts(db, websets);
  const living = await deps.readLiving(db, websets);
  const now = deps.clock.now();
  return parts.map((part): WebsetWire => {
    const { webset } = part;
    const itemsMayCome = mayItemsCome(part);
    return {
      id: webset.id,
      object: "webset",
      status: statusOfParts(part),
      externalId: webset.externalId,
      title: webset.title,
      searches: part.searches.map((search) => showSearch(search, now)),
      imports: [...(living.get(webset.id)?.imports ?? [])],
      enrichments: part.enrichments.map((enrichment) => showEnrichment(enrichment, itemsMayCome)),
      monitors: [...(living.get(webset.id)?.monitors ?? [])],
      excludes: webset.excludes.map(({ source, id }) => ({ source, id })),
      metadata: { ...webset.metadata },
      dashboardUrl: deps.dashboardUrl(webset.id),
      createdAt: webset.createdAt.toISOString(),
      updatedAt: latest(part).toISOString(),
    };
  });
}

/** One webset as the wire shows it. */
export async function showWebset(
  deps: Pick<WebsetsDeps, "clock" | "dashboardUrl" | "readLiving">,
  db: Queryable,
  webset: Webset,
): Promise<WebsetWire> {
  const [shown] = await showWebsets(deps, db, [webset]);
  if (shown === undefined) throw new Error("one webset in, none out");
  return shown;
}

function latest({ webset, searches, enrichments }: WebsetParts): Date {
  const times = [webset, ...searches, ...enrichments].map(({ updatedAt }) => updatedAt.getTime());
  return new Date(Math.max(...times));
}

/** A search as the wire shows it. */
export function showSearch(search: WebsetSearch, now: Date): WebsetSearchWire {
  return {
    id: search.id,
    object: "webset_search",
    websetId: search.websetId,
    status: search.status,
    query: search.query,
    entity: search.entity === null ? null : websetEntitySchema.parse(search.entity),
    criteria: search.criteria.map((criterion) => ({
      description: criterion.description,
      successRate: successRate(criterion),
    })),
    count: search.count,
    behavior: search.behavior,
    exclude: search.exclude.map(({ source, id }) => ({ source, id })),
    scope: search.scope.map(({ source, id, relationship }) => ({
      source,
      id,
      ...(relationship !== undefined && { relationship: { ...relationship } }),
    })),
    maxPeoplePerCompany: search.maxPeoplePerCompany,
    metadata: { ...search.metadata },
    progress: { ...progressOf(search, now) },
    recall: search.recall as WebsetSearchWire["recall"],
    canceledAt: search.canceledAt?.toISOString() ?? null,
    canceledReason: search.canceledReason,
    createdAt: search.createdAt.toISOString(),
    updatedAt: search.updatedAt.toISOString(),
  };
}

/** An enrichment as the wire shows it; it is pending while items may come that it has not seen. */
export function showEnrichment(
  enrichment: WebsetEnrichment & { readonly hasOpenCells: boolean },
  itemsMayCome: boolean,
): WebsetEnrichmentWire {
  return {
    id: enrichment.id,
    object: "webset_enrichment",
    websetId: enrichment.websetId,
    status: statusOfEnrichment({
      isCanceled: enrichment.canceledAt !== null,
      hasOpenCells: enrichment.hasOpenCells,
      itemsMayCome,
    }),
    title: enrichment.title,
    description: enrichment.description,
    format: enrichment.format,
    options: enrichment.options === null ? null : enrichment.options.map(({ label }) => ({ label })),
    instructions: enrichment.instructions,
    metadata: { ...enrichment.metadata },
    createdAt: enrichment.createdAt.toISOString(),
    updatedAt: enrichment.updatedAt.toISOString(),
  };
}
