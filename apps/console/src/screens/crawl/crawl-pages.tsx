import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useMemo, type ReactNode } from "react";
import type { Crawl, CrawlPage } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo, formatBytes, formatDuration, formatNumber } from "../../ui/format.ts";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { VirtualList, type VirtualColumn } from "../../ui/virtual-list.tsx";
import { sumUpHosts, type HostPace } from "./host-paces.ts";
import { crawlPagesQuery } from "./use-crawl.ts";
import { meaningOfVisit } from "./visit-meanings.ts";

const route = getRouteApi("/crawls/$id");

/** The URLs of a crawl with what became of each, or summed up by host. */
export function CrawlPages({ crawl }: { readonly crawl: Crawl }): ReactNode {
  const { view, status } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = useInfiniteQuery(crawlPagesQuery(crawl.id, view === "hosts" ? undefined : status));
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const fetchMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <section className="card flush" aria-label="Pages and hosts">
      <div className="card-head">
        <div className="chips">
          <button
            type="button"
            className="chip"
            aria-pressed={view === undefined}
            onClick={() => void navigate({ search: (old) => ({ ...old, view: undefined }) })}
          >
            Pages
          </button>
          <button
            type="button"
            className="chip"
            aria-pressed={view === "hosts"}
            onClick={() => void navigate({ search: (old) => ({ ...old, view: "hosts" }) })}
          >
            Hosts and their pace
          </button>
          {status === undefined || view === "hosts" ? null : (
            <button
              type="button"
              className="chip"
              aria-pressed="true"
              aria-label={`Show all, not only ${status}`}
              onClick={() => void navigate({ search: (old) => ({ ...old, status: undefined }) })}
            >
              only {status} ✕
            </button>
          )}
        </div>
        <span className="soft small number">
          {formatNumber(rows.length)} {hasNextPage ? "loaded, more below" : rows.length === 1 ? "page" : "pages"}
        </span>
      </div>
      {pages.isError ? <Trouble error={pages.error} retry={() => void pages.refetch()} /> : null}
      {pages.data === undefined ? (
        <div className="card">
          <SkeletonLines lines={6} />
        </div>
      ) : view === "hosts" ? (
        <DataTable
          label="Hosts"
          columns={HOST_COLUMNS}
          rows={sumUpHosts(rows, (one) => meaningOfVisit(one).tone !== "bad")}
          rowKey={({ host }) => host}
          empty="No host has been visited yet."
        />
      ) : rows.length === 0 ? (
        <p className="card soft">{status === undefined ? "No URL yet." : `No visit ended as ${status}.`}</p>
      ) : (
        <VirtualList label="Pages" rows={rows} columns={PAGE_COLUMNS} onNearEnd={fetchMore} />
      )}
    </section>
  );
}

const PAGE_COLUMNS: readonly VirtualColumn<CrawlPage>[] = [
  {
    heading: "Status",
    width: "140px",
    cell: ({ status, state }) =>
      status === null ? <Badge tone="idle">{state}</Badge> : <Badge tone={meaningOfVisit(status).tone}>{status}</Badge>,
  },
  {
    heading: "URL",
    width: "minmax(240px, 3fr)",
    cell: ({ url, message }) => (
      <a href={url} target="_blank" rel="noreferrer noopener" title={message ?? url}>
        {url}
      </a>
    ),
  },
  {
    heading: "What happened",
    width: "minmax(120px, 2fr)",
    cell: ({ message, finalUrl }) => (
      <span className="soft" title={message ?? undefined}>
        {message ?? (finalUrl === null ? "" : `→ ${finalUrl}`)}
      </span>
    ),
  },
  { heading: "HTTP", width: "48px", isNumber: true, cell: ({ httpStatus }) => httpStatus ?? "" },
  {
    heading: "Size",
    width: "76px",
    isNumber: true,
    cell: ({ byteLength }) => (byteLength === 0 ? "" : formatBytes(byteLength)),
  },
];

const HOST_COLUMNS: readonly Column<HostPace>[] = [
  { id: "host", heading: "Host", value: ({ host }) => host },
  { id: "done", heading: "Visited", isNumber: true, value: ({ done }) => done },
  { id: "failed", heading: "Failed", isNumber: true, value: ({ failed }) => failed },
  { id: "queued", heading: "Waiting", isNumber: true, value: ({ queued }) => queued },
  {
    id: "pause",
    heading: "Pause between visits",
    isNumber: true,
    value: ({ pauseMs }) => pauseMs ?? -1,
    cell: ({ pauseMs }) => (pauseMs === null ? "" : formatDuration(pauseMs)),
  },
  {
    id: "last",
    heading: "Last visit",
    value: ({ lastVisitAt }) => lastVisitAt ?? "",
    cell: ({ lastVisitAt }) => (lastVisitAt === null ? "not yet" : formatAgo(lastVisitAt, new Date())),
  },
];
