import { AppError } from "@quarry/base";
import type { PreviewWebset, WebsetPreviewWire } from "@quarry/contract";
import { limitLlm } from "@quarry/models";
import { TOKENS_PER_UNIT } from "./allowance.ts";
import { showProperties } from "./show-item.ts";
import { teamsOfWebset, type WebsetsDeps } from "./websets-deps.ts";

const DEFAULT_SAMPLE = 10;
/** Pages that a sample is made from. */
const SAMPLE_PAGES = 30;

/**
 * What a webset of this query would list, and by which criteria; with `withItems` the first entities the index knows, not
 * judged. Throws `unprocessable` for a query that cannot be understood.
 */
export async function previewWebset(
  deps: WebsetsDeps,
  wish: PreviewWebset["search"] & { readonly teamId: string; readonly withItems: boolean },
  signal: AbortSignal,
): Promise<WebsetPreviewWire> {
  const llm = deps.llm === undefined ? undefined : limitLlm(deps.llm, { maxTokens: TOKENS_PER_UNIT });
  const outcome = await deps.judges.understandQuery({ query: wish.query, entity: wish.entity, llm, signal });
  if (outcome.kind === "not-understood") throw new AppError("unprocessable", outcome.reason);
  const { entity, criteria, enrichments } = outcome;
  return {
    search: { entity, criteria: criteria.map(({ description }) => ({ description })) },
    enrichments: enrichments.map(({ description, format, options }) => ({
      description,
      // Old clients know no url in previews.
      format: format === "url" ? "text" : format,
      ...(format === "options" && options != null && { options: options.map(({ label }) => ({ label })) }),
    })),
    items: wish.withItems ? await sample(deps, wish, outcome, signal) : [],
  };
}

async function sample(
  deps: WebsetsDeps,
  wish: PreviewWebset["search"] & { readonly teamId: string },
  outcome: { readonly entity: WebsetPreviewWire["search"]["entity"]; readonly formulations: readonly string[] },
  signal: AbortSignal,
): Promise<WebsetPreviewWire["items"]> {
  const teamIds = teamsOfWebset(wish);
  const query = outcome.formulations[0] ?? wish.query;
  const urls = await deps.find({ teamIds, query, limit: SAMPLE_PAGES, plan: "auto" }, signal);
  const pages = await deps.readPages({ teamIds, urls, fetch: false }, signal);
  const found = deps.judges.findEntities({ pages, entity: outcome.entity, query: wish.query });
  const createdAt = deps.clock.now().toISOString();
  return found.slice(0, wish.count ?? DEFAULT_SAMPLE).map((entity) => ({
    id: deps.newId("witem"),
    properties: showProperties(entity, undefined),
    createdAt,
  }));
}
