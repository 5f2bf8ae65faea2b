import type { SearchTier, SearchType } from "@quarry/contract";
import type { SearchPlan } from "../find/page-query.ts";

/** What a type of the wire means here: the plan that answers it, and how prices call it. */
export interface TypePlan {
  readonly plan: SearchPlan;
  readonly tier: SearchTier;
}

/** Every type that clients have sent over the years. */
export const TYPE_PLANS: Readonly<Record<SearchType, TypePlan>> = {
  auto: { plan: "auto", tier: "standard" },
  hybrid: { plan: "auto", tier: "standard" },
  magic: { plan: "auto", tier: "standard" },
  neural: { plan: "neural", tier: "standard" },
  keyword: { plan: "keyword", tier: "standard" },
  fast: { plan: "fast", tier: "standard" },
  instant: { plan: "fast", tier: "standard" },
  lite: { plan: "fast", tier: "lite" },
  deep: { plan: "deep", tier: "deep" },
  "deep-lite": { plan: "deep", tier: "deep" },
  "deep-reasoning": { plan: "deep", tier: "deep-reasoning" },
  "deep-max": { plan: "deep", tier: "deep-reasoning" },
};

/** Other wordings that a light deep search takes along. */
const LIGHT_QUERIES = 2;

/** The other wordings that count: only deep searches have them, and a light one few. */
export function additionalQueriesOf(
  type: SearchType,
  queries: readonly string[] | undefined,
): readonly string[] | undefined {
  if (queries === undefined || TYPE_PLANS[type].plan !== "deep") return undefined;
  return type === "deep-lite" ? queries.slice(0, LIGHT_QUERIES) : queries;
}
