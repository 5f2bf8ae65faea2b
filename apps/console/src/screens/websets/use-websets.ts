import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/send.ts";
import type { Page } from "../../api/shapes.ts";
import type { WebsetColumn } from "./webset-columns.ts";
import type { CellAttempt, PastValue, Webset, WebsetItem } from "./webset-shapes.ts";

const LOOK_AGAIN_MS = 1_500;
const ITEMS_AT_ONCE = 100;
const PAGES_READ_AGAIN = 5;

/** The team's websets, newest first; looked at again while one works. */
export const websetsQuery = queryOptions({
  queryKey: ["websets"],
  queryFn: ({ signal }) => send<Page<Webset>>("/websets/v0/websets?limit=100", { signal }),
  refetchInterval: ({ state }) => (state.data?.data.some(isAtWork) === true ? LOOK_AGAIN_MS : false),
});

/** One webset; looked at again while it works. */
export function websetQuery(id: string) {
  return queryOptions({
    queryKey: ["webset", id],
    queryFn: ({ signal }) => send<Webset>(`/websets/v0/websets/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isAtWork(state.data) ? LOOK_AGAIN_MS : false),
  });
}

/** The items of a webset, a hundred at a time; those on the screen are read again while it works. */
export function itemsQuery(id: string, isWorking: boolean) {
  return infiniteQueryOptions({
    queryKey: ["webset-items", id],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        projection: "full",
        limit: String(ITEMS_AT_ONCE),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      });
      return send<Page<WebsetItem>>(`${ownPath(id)}/items?${query.toString()}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    // Comparing fifty thousand items with what was there, field by field, costs more than drawing those in sight.
    structuralSharing: false,
    // Long lists are kept up by events alone: reading hundreds of pages again and again would stall everything.
    refetchInterval: ({ state }) =>
      isWorking && (state.data?.pages.length ?? 0) <= PAGES_READ_AGAIN ? LOOK_AGAIN_MS : false,
  });
}

/** Every value that a cell has had. */
export function historyQuery(id: string, itemId: string, of: Readonly<Record<string, string>>) {
  return queryOptions({
    queryKey: ["webset-history", id, itemId, of],
    queryFn: ({ signal }) =>
      send<{ readonly data: readonly PastValue[] }>(
        `${ownPath(id)}/items/${encodeURIComponent(itemId)}/history?${new URLSearchParams(of).toString()}`,
        { signal },
      ),
  });
}

/** Every judging of a verdict, or every filling of a cell. */
export function attemptsQuery(id: string, itemId: string, { kind, key }: Pick<WebsetColumn, "kind" | "key">) {
  const item = `${ownPath(id)}/items/${encodeURIComponent(itemId)}`;
  const path =
    kind === "criterion"
      ? `${item}/verdict/attempts?${new URLSearchParams({ criterion: key }).toString()}`
      : `${item}/cells/${encodeURIComponent(key)}/attempts`;
  return queryOptions({
    queryKey: ["webset-attempts", id, itemId, kind, key],
    queryFn: ({ signal }) => send<{ readonly data: readonly CellAttempt[] }>(path, { signal }),
  });
}

/** Where Quarry's own routes of a webset begin. */
export function ownPath(id: string): string {
  return `/quarry/v1/websets/${encodeURIComponent(id)}`;
}

/** Whether more may come by itself. */
export function isAtWork({ status }: Webset): boolean {
  return status === "running" || status === "pending";
}

/** What a webset is called. */
export function titleOfWebset({ title, searches, id }: Webset): string {
  return title ?? searches[0]?.query ?? id;
}
