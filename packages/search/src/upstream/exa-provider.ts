import { askJson, listAt, readResult } from "./ask-json.ts";
import type { AskEndpoint, UpstreamEndpoint, UpstreamProvider } from "./upstream-provider.ts";

/** Exa's `/search`, or any server that speaks it, another Quarry included. */
export function createExaProvider(ask: AskEndpoint, { url, key }: UpstreamEndpoint): UpstreamProvider {
  return {
    name: "exa",
    search: async (query, signal) => {
      const body = {
        query: query.query,
        numResults: query.limit,
        ...(query.includeDomains.length > 0 && { includeDomains: query.includeDomains }),
        // Exa takes one of the two lists; what the other asks is checked on what comes back.
        ...(query.includeDomains.length === 0 && query.excludeDomains.length > 0
          ? { excludeDomains: query.excludeDomains }
          : {}),
        ...(query.publishedFrom !== undefined && { startPublishedDate: query.publishedFrom.toISOString() }),
        ...(query.publishedTo !== undefined && { endPublishedDate: query.publishedTo.toISOString() }),
      };
      const reply = await askJson(
        ask,
        "exa",
        {
          url: `${url}/search`,
          method: "POST",
          headers: {
            accept: "application/json",
            "content-type": "application/json",
            ...(key !== undefined && { "x-api-key": key }),
          },
          body: JSON.stringify(body),
        },
        signal,
      );
      const names = {
        title: "title",
        author: "author",
        published: "publishedDate",
        image: "image",
        favicon: "favicon",
      } as const;
      return listAt("exa", reply, ["results"]).flatMap((entry) => readResult(entry, names) ?? []);
    },
  };
}
