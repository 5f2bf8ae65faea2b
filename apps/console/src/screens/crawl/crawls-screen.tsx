import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Crawl } from "../../api/shapes.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatBytes, formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { CrawlBadge } from "./crawl-badge.tsx";
import { NewCrawlForm } from "./new-crawl-form.tsx";
import { crawlsQuery, titleOfCrawl } from "./use-crawl.ts";
import { WhyNotIndexed } from "./why-not-indexed.tsx";
import { say } from "../../words/say.ts";

const route = getRouteApi("/crawls");

/** Every crawl, the way to start one, and the question why a page is missing. */
export function CrawlsScreen(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const crawls = useQuery(crawlsQuery);
  const openForm = (): void => void navigate({ search: (old) => ({ ...old, dialog: "new" }) });
  const newCrawl = (
    <button type="button" className="button primary" onClick={openForm}>
      <Icon name="plus" />
      {say("crawl.newCrawl")}
    </button>
  );
  return (
    <Page title={say("crawl.crawl")} lead={say("crawl.sitesReadIntoTheIndex")} actions={newCrawl}>
      {crawls.isError ? <Trouble error={crawls.error} retry={() => void crawls.refetch()} /> : null}
      <section className="card flush" aria-label={say("crawl.crawls")}>
        {crawls.data === undefined ? (
          crawls.isPending && (
            <div className="card">
              <SkeletonLines lines={5} />
            </div>
          )
        ) : crawls.data.data.length === 0 ? (
          <EmptyState icon="crawl" title={say("crawl.noSiteHasBeenCrawled")} actions={newCrawl}>
            <p>{say("crawl.giveAnAddressQuarryFollows")}</p>
          </EmptyState>
        ) : (
          <DataTable
            label={say("crawl.crawls")}
            columns={COLUMNS}
            rows={crawls.data.data}
            rowKey={(crawl) => crawl.id}
            empty={say("crawl.noCrawls")}
          />
        )}
      </section>
      <WhyNotIndexed
        key={search.why}
        url={search.why}
        onAsk={(why) => void navigate({ search: (old) => ({ ...old, why }) })}
      />
      {search.dialog === "new" ? (
        <Dialog
          title={say("crawl.newCrawl")}
          onClose={() => void navigate({ search: (old) => ({ ...old, dialog: undefined }), replace: true })}
        >
          <NewCrawlForm />
        </Dialog>
      ) : null}
    </Page>
  );
}

const COLUMNS: readonly Column<Crawl>[] = [
  {
    id: "site",
    heading: say("crawl.site"),
    isText: true,
    value: titleOfCrawl,
    cell: (crawl) => (
      <Link className="wrap" to="/crawls/$id" params={{ id: crawl.id }}>
        {titleOfCrawl(crawl)}
      </Link>
    ),
  },
  {
    id: "status",
    heading: say("crawl.status"),
    value: (crawl) => crawl.status,
    cell: (crawl) => <CrawlBadge status={crawl.status} />,
  },
  {
    id: "done",
    heading: say("crawl.visited"),
    isNumber: true,
    value: (crawl) => crawl.progress.done,
    cell: (crawl) => formatNumber(crawl.progress.done),
  },
  {
    id: "failed",
    heading: say("crawl.failed"),
    isNumber: true,
    value: (crawl) => crawl.progress.failed,
    cell: (crawl) => formatNumber(crawl.progress.failed),
  },
  {
    id: "queued",
    heading: say("crawl.waiting"),
    isNumber: true,
    value: (crawl) => crawl.progress.queued,
    cell: (crawl) => formatNumber(crawl.progress.queued),
  },
  {
    id: "bytes",
    heading: say("crawl.read"),
    isNumber: true,
    value: (crawl) => crawl.progress.bytes,
    cell: (crawl) => formatBytes(crawl.progress.bytes),
  },
  {
    id: "created",
    heading: say("crawl.begun"),
    value: (crawl) => crawl.createdAt,
    cell: (crawl) => formatAgo(crawl.createdAt, new Date()),
  },
];
