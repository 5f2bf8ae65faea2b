import {
  infiniteQueryOptions,
  queryOptions,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followEvents } from "../../api/follow-events.ts";
import { send } from "../../api/send.ts";
import type { Crawl, CrawlPage, Page } from "../../api/shapes.ts";
import { say } from "../../words/say.ts";

const PAGES_AT_ONCE = 1_000;
const LOOK_AGAIN_MS = 2_000;

/** The team's crawls, newest first; looked at again while one is under way. */
export const crawlsQuery = queryOptions({
  queryKey: ["crawls"],
  queryFn: ({ signal }) => send<Page<Crawl>>("/quarry/v1/crawls?limit=100", { signal }),
  refetchInterval: ({ state }) =>
    state.data?.data.some((crawl) => !isFinished(crawl)) === true ? LOOK_AGAIN_MS : false,
});

/** One crawl. */
export function crawlQuery(id: string) {
  return queryOptions({
    queryKey: ["crawl", id],
    queryFn: ({ signal }) => send<Crawl>(pathOf(id), { signal }),
  });
}

/** The URLs of a crawl, a thousand at a time. */
export function crawlPagesQuery(id: string, status: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ["crawl-pages", id, status ?? null],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        limit: String(PAGES_AT_ONCE),
        ...(status === undefined ? {} : { status }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      });
      return send<Page<CrawlPage>>(`${pathOf(id)}/pages?${query.toString()}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
  });
}

/** One crawl as it goes on: read once, then followed; a dropped connection is opened again. */
export function useLiveCrawl(id: string): { readonly crawl: UseQueryResult<Crawl>; readonly isLive: boolean } {
  const queries = useQueryClient();
  const crawl = useQuery(crawlQuery(id));
  const [isLive, setLive] = useState(false);
  const isOver = crawl.data === undefined ? undefined : isFinished(crawl.data);
  useEffect(() => {
    if (isOver !== false) return undefined;
    const stop = new AbortController();
    let last: Crawl | undefined;
    let told = 0;
    followEvents(`${pathOf(id)}/events`, {
      signal: stop.signal,
      isOver: () => last !== undefined && isFinished(last),
      onConnection: (isUp) => {
        setLive(isUp);
        if (!isUp) void queries.invalidateQueries({ queryKey: ["me"] }); // it may be gone: the shell says so
      },
      onEvent: ({ data }) => {
        last = JSON.parse(data) as Crawl;
        queries.setQueryData(["crawl", id], last);
        const now = performance.now();
        if (now - told < LOOK_AGAIN_MS && !isFinished(last)) return;
        told = now;
        void queries.invalidateQueries({ queryKey: ["crawl-pages", id] });
      },
    }).catch(() => void queries.invalidateQueries({ queryKey: ["crawl", id] })); // the refusal shows there
    return () => stop.abort();
  }, [id, isOver, queries]);
  return { crawl, isLive };
}

/** Whether nothing more will come of a crawl. */
export function isFinished({ status }: Crawl): boolean {
  return status === "completed" || status === "canceled" || status === "failed";
}

/** What a crawl reads, in a few words. */
export function titleOfCrawl({ request }: Crawl): string {
  const [first = say("crawl.nothing"), ...more] = [...request.urls, ...request.sitemaps];
  return more.length === 0 ? first : say("crawl.andMore", { first, count: more.length });
}

function pathOf(id: string): string {
  return `/quarry/v1/crawls/${encodeURIComponent(id)}`;
}
