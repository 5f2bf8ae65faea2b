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
import { say } from "../../words/say.ts";
import { sayCount } from "../../words/say-count.ts";

const route = getRouteApi("/crawls/$id");

/** One crawl as it goes on: how far it is, how its visits ended, its hosts and its pages. */
export function CrawlScreen(): ReactNode {
  const { id } = route.useParams();
  const { crawl, isLive } = useLiveCrawl(id);
  if (crawl.data === undefined) {
    return (
      <Page title={say("crawl.crawl")} lead={<Link to="/crawls">{say("crawl.allCrawls")}</Link>}>
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
          <Link to="/crawls">{say("crawl.allCrawls")}</Link>
          <CrawlBadge status={data.status} />
          {isFinished(data) ? null : (
            <Badge tone={isLive ? "good" : "warn"}>{isLive ? say("crawl.live") : say("crawl.connecting")}</Badge>
          )}
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
        {say("crawl.newCrawl")}
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
          {say("crawl.resume")}
        </button>
      ) : (
        <button type="button" className="button" disabled={steer.isPending} onClick={() => steer.mutate("pause")}>
          <Icon name="pause" />
          {say("crawl.pause")}
        </button>
      )}
      <button type="button" className="button danger" onClick={() => setAsking(true)}>
        <Icon name="stop" />
        {say("crawl.cancel")}
      </button>
      {isAsking ? (
        <Dialog title={say("crawl.cancelThisCrawl")} onClose={() => setAsking(false)}>
          <p>{say("crawl.whatItHasReadStays")}</p>
          <div className="row">
            <button
              type="button"
              className="button danger"
              disabled={steer.isPending}
              onClick={() => steer.mutate("cancel")}
            >
              {say("crawl.cancelTheCrawl")}
            </button>
            <button type="button" className="button quiet" onClick={() => setAsking(false)}>
              {say("crawl.letItGoOn")}
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
    <section className="stack" aria-label={say("crawl.progress")}>
      <div
        className="meter"
        role="progressbar"
        aria-label={say("crawl.pagesVisited")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <dl className="figures">
        <div>
          <dt>{say("crawl.visited")}</dt>
          <dd>
            {formatNumber(done)} <small>{say("crawl.of", { maxPages: formatNumber(crawl.request.maxPages) })}</small>
          </dd>
        </div>
        <div>
          <dt>{say("crawl.failed")}</dt>
          <dd>{formatNumber(failed)}</dd>
        </div>
        <div>
          <dt>{say("crawl.waiting")}</dt>
          <dd>{formatNumber(queued)}</dd>
        </div>
        <div>
          <dt>{say("crawl.pace")}</dt>
          <dd>
            {pagesPerSecond.toFixed(1)} <small>{say("crawl.pagesS")}</small>
          </dd>
        </div>
        <div>
          <dt>{say("crawl.read")}</dt>
          <dd>{formatBytes(bytes)}</dd>
        </div>
        <div>
          <dt>{isFinished(crawl) ? say("crawl.took") : say("crawl.left")}</dt>
          <dd>
            {isFinished(crawl)
              ? tookOf(crawl)
              : secondsLeft === null
                ? say("crawl.unknown")
                : say("crawl.about", { duration: formatDuration(secondsLeft * 1_000) })}
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
        <h2 id="ends">{say("crawl.howVisitsEnded")}</h2>
      </div>
      {ends.length === 0 ? (
        <p className="soft">{say("crawl.noVisitHasEndedYet")}</p>
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
                    {sayCount("crawl.pages", count)}
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
    ? say("crawl.nothing")
    : formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function wordsOfReason(reason: string): string {
  if (reason === "nothing-left") return say("crawl.everythingInItsScopeWas");
  if (reason === "max-pages") return say("crawl.itReachedItsNumberOf");
  if (reason === "max-bytes") return say("crawl.itReachedItsNumberOfBytes");
  return reason;
}
