import { askJson, listAt, readResult } from "./ask-json.ts";
import type { AskEndpoint, UpstreamEndpoint, UpstreamProvider } from "./upstream-provider.ts";
import { withSites } from "./with-sites.ts";

const MAX_QUERY_CHARACTERS = 2_000;

/** A SearXNG instance; its settings must allow the format `json`. A key goes as a bearer token, for a proxy before it. */
export function createSearxngProvider(ask: AskEndpoint, { url, key }: UpstreamEndpoint): UpstreamProvider {
  return {
    name: "searxng",
    search: async (query, signal) => {
      const search = new URLSearchParams({ q: withSites(query, MAX_QUERY_CHARACTERS), format: "json" });
      const reply = await askJson(
        ask,
        "searxng",
        {
          url: `${url}/search?${search.toString()}`,
          method: "GET",
          headers: { accept: "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        },
        signal,
      );
      const names = {
        title: "title",
        author: "author",
        published: "publishedDate",
        image: undefined,
        favicon: undefined,
      };
      return listAt("searxng", reply, ["results"])
        .slice(0, query.limit)
        .flatMap((entry) => readResult(entry, names) ?? []);
    },
  };
}
