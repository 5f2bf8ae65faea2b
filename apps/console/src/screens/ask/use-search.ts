import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/send.ts";
import { toExplainBody, toFilters, toSearchBody, type AskSearch } from "./ask-search.ts";
import type { ExplainReply, SearchReply } from "./search-shapes.ts";

const FRESH_MS = 60_000;

/** The results for an address. */
export function searchQuery(search: AskSearch) {
  const body = toSearchBody(search);
  return queryOptions({
    queryKey: ["search", body],
    queryFn: ({ signal }) => send<SearchReply>("/search", { method: "POST", body, signal }),
    enabled: (search.q ?? "").trim() !== "",
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
  });
}

/** Why those results rank where they do, and how long each stage took; the search runs again for it. */
export function explainQuery(search: AskSearch) {
  const body = toExplainBody(search);
  return queryOptions({
    queryKey: ["explain", body],
    queryFn: ({ signal }) => send<ExplainReply>("/quarry/v1/explain", { method: "POST", body, signal }),
    staleTime: FRESH_MS,
  });
}

/** Pages like one page. */
export function similarQuery(search: AskSearch, url: string) {
  const body = { url, numResults: 10, contents: { highlights: { maxCharacters: 300 } }, ...toFilters(search) };
  return queryOptions({
    queryKey: ["similar", body],
    queryFn: ({ signal }) => send<SearchReply>("/findSimilar", { method: "POST", body, signal }),
    staleTime: FRESH_MS,
  });
}
