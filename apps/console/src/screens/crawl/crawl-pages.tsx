import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useMemo, type ReactNode } from "react";
import type { Crawl, CrawlPage } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { formatAgo, formatBytes, formatDuration } from "../../ui/format.ts";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { VirtualList, type VirtualColumn } from "../../ui/virtual-list.tsx";
import { sumUpHosts, type HostPace } from "./host-paces.ts";
import { RobotsPanel } from "./robots-panel.tsx";
import { crawlPagesQuery } from "./use-crawl.ts";
import { meaningOfVisit } from "./visit-meanings.ts";
import { say } from "../../words/say.ts";
import { sayCount } from "../../words/say-count.ts";

const route = getRouteApi("/crawls/$id");

/** The URLs of a crawl with what became of each, or summed up by host. */
export function CrawlPages({ crawl }: { readonly crawl: Crawl }): ReactNode {
  const { view, status, robots } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = useInfiniteQuery(crawlPagesQuery(crawl.id, view === "hosts" ? undefined : status));
  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const fetchMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const hostColumns: readonly Column<HostPace>[] = [
    ...HOST_COLUMNS,
    {
      id: "robots",
      heading: say("crawl.robotsSays"),
      value: () => "",
      cell: ({ host, url }) => (
        <button
          type="button"
          className="button small"
          aria-label={say("crawl.robotsOfHost", { host })}
          onClick={() => void navigate({ search: (old) => ({ ...old, robots: url }) })}
        >
          {say("crawl.robotsRules")}
        </button>
      ),
    },
  ];
  return (
    <section className="card flush" aria-label={say("crawl.pagesAndHosts")}>
      <div className="card-head">
        <div className="chips">
          <button
            type="button"
            className="chip"
            aria-pressed={view === undefined}
            onClick={() => void navigate({ search: (old) => ({ ...old, view: undefined }) })}
          >
            {say("crawl.pages")}
          </button>
          <button
            type="button"
            className="chip"
            aria-pressed={view === "hosts"}
            onClick={() => void navigate({ search: (old) => ({ ...old, view: "hosts" }) })}
          >
            {say("crawl.hostsAndTheirPace")}
          </button>
          {status === undefined || view === "hosts" ? null : (
            <button
              type="button"
              className="chip"
              aria-pressed="true"
              aria-label={say("crawl.showAllNotOnly", { status })}
              onClick={() => void navigate({ search: (old) => ({ ...old, status: undefined }) })}
            >
              {say("crawl.only", { status })}
            </button>
          )}
        </div>
        <span className="soft small number">
          {hasNextPage ? say("crawl.loadedMoreBelow", { count: rows.length }) : sayCount("crawl.pages", rows.length)}
        </span>
      </div>
      {pages.isError ? <Trouble error={pages.error} retry={() => void pages.refetch()} /> : null}
      {pages.data === undefined ? (
        <div className="card">
          <SkeletonLines lines={6} />
        </div>
      ) : view === "hosts" ? (
        <DataTable
          label={say("crawl.hosts")}
          columns={hostColumns}
          rows={sumUpHosts(rows, (one) => meaningOfVisit(one).tone !== "bad")}
          rowKey={({ host }) => host}
          empty={say("crawl.noHostHasBeenVisited")}
        />
      ) : rows.length === 0 ? (
        <p className="card soft">
          {status === undefined ? say("crawl.noURLYet") : say("crawl.noVisitEndedAs", { status })}
        </p>
      ) : (
        <VirtualList label={say("crawl.pages")} rows={rows} columns={PAGE_COLUMNS} onNearEnd={fetchMore} />
      )}
      {robots === undefined ? null : (
        <RobotsPanel
          key={robots}
          url={robots}
          close={() => void navigate({ search: (old) => ({ ...old, robots: undefined }), replace: true })}
        />
      )}
    </section>
  );
}

const PAGE_COLUMNS: readonly VirtualColumn<CrawlPage>[] = [
  {
    heading: say("crawl.status"),
    width: "140px",
    cell: ({ status, state }) =>
      status === null ? <Badge tone="idle">{state}</Badge> : <Badge tone={meaningOfVisit(status).tone}>{status}</Badge>,
  },
  {
    heading: say("crawl.uRL"),
    width: "minmax(240px, 3fr)",
    cell: ({ url, message }) => (
      <a href={url} target="_blank" rel="noreferrer noopener" title={message ?? url}>
        {url}
      </a>
    ),
  },
  {
    heading: say("crawl.whatHappened"),
    width: "minmax(120px, 2fr)",
    cell: ({ message, finalUrl }) => (
      <span className="soft" title={message ?? undefined}>
        {message ?? (finalUrl === null ? "" : `→ ${finalUrl}`)}
      </span>
    ),
  },
  { heading: say("crawl.hTTP"), width: "48px", isNumber: true, cell: ({ httpStatus }) => httpStatus ?? "" },
  {
    heading: say("crawl.size"),
    width: "76px",
    isNumber: true,
    cell: ({ byteLength }) => (byteLength === 0 ? "" : formatBytes(byteLength)),
  },
];

const HOST_COLUMNS: readonly Column<HostPace>[] = [
  { id: "host", heading: say("crawl.host"), value: ({ host }) => host },
  { id: "done", heading: say("crawl.visited"), isNumber: true, value: ({ done }) => done },
  { id: "failed", heading: say("crawl.failed"), isNumber: true, value: ({ failed }) => failed },
  { id: "queued", heading: say("crawl.waiting"), isNumber: true, value: ({ queued }) => queued },
  {
    id: "pause",
    heading: say("crawl.pauseBetweenVisits"),
    isNumber: true,
    value: ({ pauseMs }) => pauseMs ?? -1,
    cell: ({ pauseMs }) => (pauseMs === null ? "" : formatDuration(pauseMs)),
  },
  {
    id: "last",
    heading: say("crawl.lastVisit"),
    value: ({ lastVisitAt }) => lastVisitAt ?? "",
    cell: ({ lastVisitAt }) => (lastVisitAt === null ? say("crawl.notYet") : formatAgo(lastVisitAt, new Date())),
  },
];
