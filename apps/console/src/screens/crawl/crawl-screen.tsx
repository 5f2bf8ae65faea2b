import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import type { Crawl } from "../../api/shapes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatBytes, formatDuration, formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { Badge, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { CrawlBadge } from "./crawl-badge.tsx";
import { CrawlPages } from "./crawl-pages.tsx";
import { isFinished, titleOfCrawl, useLiveCrawl } from "./use-crawl.ts";
import { meaningOfVisit } from "./visit-meanings.ts";

const route = getRouteApi("/crawls/$id");

/** One crawl as it goes on: how far it is, how its visits ended, its hosts and its pages. */
export function CrawlScreen(): ReactNode {
  const { id } = route.useParams();
  const { crawl, isLive } = useLiveCrawl(id);
  if (crawl.data === undefined) {
    return (
      <Page title="Crawl" lead={<Link to="/crawls">All crawls</Link>}>
        {crawl.isError ? (
          <Trouble error={crawl.error} retry={() => void crawl.refetch()} />
        ) : (
          <SkeletonLines lines={8} />
        )}
      </Page>
    );
  }
  const { data } = crawl;
  return (
    <Page
      title={titleOfCrawl(data)}
      lead={
        <span className="row">
          <Link to="/crawls">All crawls</Link>
          <CrawlBadge status={data.status} />
          {isFinished(data) ? null : <Badge tone={isLive ? "good" : "warn"}>{isLive ? "live" : "connecting"}</Badge>}
          {data.reason === null ? null : <span>{wordsOfReason(data.reason)}</span>}
        </span>
      }
      actions={<Steering crawl={data} />}
    >
      <Progress crawl={data} />
      <VisitEnds crawl={data} />
      <CrawlPages crawl={data} />
    </Page>
  );
}

function Steering({ crawl }: { readonly crawl: Crawl }): ReactNode {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const steer = useMutation({
    mutationFn: (move: "pause" | "resume" | "cancel") =>
      send<Crawl>(`/quarry/v1/crawls/${encodeURIComponent(crawl.id)}/${move}`, { method: "POST" }),
    onSettled: () => {
      setAsking(false);
      return queries.invalidateQueries({ queryKey: ["crawl", crawl.id] });
    },
  });
  if (isFinished(crawl)) {
    return (
      <Link className="button" to="/crawls" search={{ dialog: "new" }}>
        New crawl
      </Link>
    );
  }
  return (
    <>
      {crawl.status === "paused" ? (
        <button
          type="button"
          className="button primary"
          disabled={steer.isPending}
          onClick={() => steer.mutate("resume")}
        >
          <Icon name="play" />
          Resume
        </button>
      ) : (
        <button type="button" className="button" disabled={steer.isPending} onClick={() => steer.mutate("pause")}>
          <Icon name="pause" />
          Pause
        </button>
      )}
      <button type="button" className="button danger" onClick={() => setAsking(true)}>
        <Icon name="stop" />
        Cancel
      </button>
      {isAsking ? (
        <Dialog title="Cancel this crawl?" onClose={() => setAsking(false)}>
          <p>What it has read stays indexed. A cancelled crawl cannot go on; to rest it, pause it.</p>
          <div className="row">
            <button
              type="button"
              className="button danger"
              disabled={steer.isPending}
              onClick={() => steer.mutate("cancel")}
            >
              Cancel the crawl
            </button>
            <button type="button" className="button quiet" onClick={() => setAsking(false)}>
              Let it go on
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function Progress({ crawl }: { readonly crawl: Crawl }): ReactNode {
  const { done, failed, queued, bytes, pagesPerSecond, secondsLeft } = crawl.progress;
  const expected = Math.max(1, Math.min(crawl.request.maxPages, done + queued));
  const share = isFinished(crawl) ? 1 : Math.min(1, done / expected);
  return (
    <section className="stack" aria-label="Progress">
      <div
        className="meter"
        role="progressbar"
        aria-label="Pages visited"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <dl className="figures">
        <div>
          <dt>Visited</dt>
          <dd>
            {formatNumber(done)} <small>of {formatNumber(crawl.request.maxPages)}</small>
          </dd>
        </div>
        <div>
          <dt>Failed</dt>
          <dd>{formatNumber(failed)}</dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd>{formatNumber(queued)}</dd>
        </div>
        <div>
          <dt>Pace</dt>
          <dd>
            {pagesPerSecond.toFixed(1)} <small>pages/s</small>
          </dd>
        </div>
        <div>
          <dt>Read</dt>
          <dd>{formatBytes(bytes)}</dd>
        </div>
        <div>
          <dt>{isFinished(crawl) ? "Took" : "Left"}</dt>
          <dd>
            {isFinished(crawl)
              ? tookOf(crawl)
              : secondsLeft === null
                ? "unknown"
                : `about ${formatDuration(secondsLeft * 1_000)}`}
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** Every way in which visits ended, most frequent first, with what it means. */
function VisitEnds({ crawl }: { readonly crawl: Crawl }): ReactNode {
  const ends = Object.entries(crawl.pagesByStatus ?? {})
    .filter(([status]) => status !== "queued")
    .sort(([, one], [, other]) => other - one);
  const top = Math.max(1, ...ends.map(([, count]) => count));
  return (
    <section className="card" aria-labelledby="ends">
      <div className="card-head">
        <h2 id="ends">How visits ended</h2>
      </div>
      {ends.length === 0 ? (
        <p className="soft">No visit has ended yet.</p>
      ) : (
        <ul className="stack">
          {ends.map(([status, count]) => {
            const { tone, words, advice } = meaningOfVisit(status);
            return (
              <li key={status} className="stack">
                <div className="row spread">
                  <span className="row">
                    <Badge tone={tone}>{status}</Badge>
                    <span>{words}</span>
                  </span>
                  <Link to="/crawls/$id" params={{ id: crawl.id }} search={{ status }} className="number">
                    {formatNumber(count)} {count === 1 ? "page" : "pages"}
                  </Link>
                </div>
                <div className="meter thin" aria-hidden="true">
                  <span
                    className={tone === "bad" ? "fill-bad" : tone === "warn" ? "fill-2" : "fill-1"}
                    style={{ width: `${(count / top) * 100}%` }}
                  />
                </div>
                {advice === "" ? null : <p className="small soft">{advice}</p>}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function tookOf({ startedAt, finishedAt }: Crawl): string {
  return startedAt === null || finishedAt === null
    ? "nothing"
    : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function wordsOfReason(reason: string): string {
  if (reason === "nothing-left") return "Everything in its scope was visited.";
  if (reason === "max-pages") return "It reached its number of pages.";
  if (reason === "max-bytes") return "It reached its number of bytes.";
  return reason;
}
