import { askJson, listAt, readResult } from "./ask-json.ts";
import type { AskEndpoint, UpstreamEndpoint, UpstreamProvider } from "./upstream-provider.ts";
import { withSites } from "./with-sites.ts";

/** The most Brave gives at once, and the longest query it takes. */
const MAX_COUNT = 20;
const MAX_QUERY_CHARACTERS = 400;

/** Brave's web search. Dates without an end get one, since Brave wants both. */
export function createBraveProvider(ask: AskEndpoint, { url, key }: UpstreamEndpoint): UpstreamProvider {
  return {
    name: "brave",
    search: async (query, signal) => {
      const search = new URLSearchParams({
        q: withSites(query, MAX_QUERY_CHARACTERS),
        count: String(Math.min(query.limit, MAX_COUNT)),
        result_filter: "web",
      });
      const { publishedFrom, publishedTo } = query;
      if (publishedFrom !== undefined || publishedTo !== undefined) {
        search.set("freshness", `${dayOf(publishedFrom, "1990-01-01")}to${dayOf(publishedTo, "2099-12-31")}`);
      }
      const reply = await askJson(
        ask,
        "brave",
        {
          url: `${url}/res/v1/web/search?${search.toString()}`,
          method: "GET",
          headers: { accept: "application/json", ...(key !== undefined && { "x-subscription-token": key }) },
        },
        signal,
      );
      const names = { title: "title", author: undefined, published: "page_age", image: undefined, favicon: undefined };
      if (hasNoWeb(reply)) return [];
      return listAt("brave", reply, ["web", "results"]).flatMap((entry) => readResult(entry, names) ?? []);
    },
  };
}

/** A reply to a query that nothing matches has no part for the web. */
function hasNoWeb(reply: unknown): boolean {
  return typeof reply === "object" && reply !== null && "type" in reply && reply.type === "search" && !("web" in reply);
}

function dayOf(date: Date | undefined, otherwise: string): string {
  return date?.toISOString().slice(0, 10) ?? otherwise;
}
