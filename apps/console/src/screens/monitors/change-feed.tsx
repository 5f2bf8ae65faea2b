import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isRecord, send } from "../../api/send.ts";
import type { Page as PageOf } from "../../api/shapes.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { formatTime } from "../../ui/format.ts";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import { nameOf } from "../websets/webset-columns.ts";
import type { WebsetItem } from "../websets/webset-shapes.ts";
import type { PageMonitorChange } from "./monitor-shapes.ts";

const LOOK_AGAIN_MS = 3_000;
const TYPES = ["page_monitor.changed", "monitor.run.completed", "webset.item.created"];

interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: { readonly kind: string; readonly id: string };
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

/** What watching brought to light, newest first: pages that changed, with the lines, items that came, runs that ended. */
export function ChangeFeed({ websetName }: { readonly websetName: (id: string) => string }): ReactNode {
  const feed = useInfiniteQuery({
    queryKey: ["change-feed"],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        types: TYPES.join(","),
        limit: "20",
        ...(pageParam === null ? {} : { cursor: pageParam }),
      });
      return send<PageOf<FeedEvent>>(`/quarry/v1/events?${query.toString()}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const all = feed.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <section className="card stack" aria-label={say("monitors.changeFeed")}>
      <h2>{say("monitors.changeFeed")}</h2>
      {feed.isError ? <Trouble error={feed.error} retry={() => void feed.refetch()} /> : null}
      {feed.data === undefined && !feed.isError ? <SkeletonLines lines={4} /> : null}
      {feed.data !== undefined && all.length === 0 ? <p className="soft">{say("monitors.nothingChanged")}</p> : null}
      <ol className="stack" aria-label={say("monitors.changeFeed")}>
        {all.map((event) => (
          <li key={event.id} className="stack">
            <span className="row">
              <time dateTime={event.createdAt} className="soft small number">
                {formatTime(event.createdAt)}
              </time>
              <FeedLine event={event} websetName={websetName} />
            </span>
            {event.type === "page_monitor.changed" ? (
              <PageChange data={event.data as unknown as PageMonitorChange} />
            ) : null}
          </li>
        ))}
      </ol>
      {feed.hasNextPage ? (
        <div>
          <button
            type="button"
            className="button"
            disabled={feed.isFetchingNextPage}
            onClick={() => void feed.fetchNextPage()}
          >
            {say("monitors.olderChanges")}
          </button>
        </div>
      ) : null}
    </section>
  );
}

function FeedLine(props: { readonly event: FeedEvent; readonly websetName: (id: string) => string }): ReactNode {
  const { type, data, resource } = props.event;
  if (type === "page_monitor.changed") {
    const { change, url } = data as unknown as PageMonitorChange;
    return (
      <span className="wrap">{say("monitors.pageChanged", { url, added: change.added, removed: change.removed })}</span>
    );
  }
  if (type === "webset.item.created" && isRecord(data["properties"])) {
    return (
      <span className="wrap">
        {say("monitors.itemCame", { item: nameOf(data as unknown as WebsetItem) })}{" "}
        <Link to="/websets/$id" params={{ id: resource.id }}>
          {props.websetName(resource.id)}
        </Link>
      </span>
    );
  }
  return <span className="wrap">{say("monitors.runEnded")}</span>;
}

function PageChange({ data }: { readonly data: PageMonitorChange }): ReactNode {
  const { change, url } = data;
  return (
    <details open>
      <summary>{say("monitors.showDiff")}</summary>
      <DiffView label={say("monitors.diffOf", { url })} diff={change.diff} />
      {change.isDiffCut ? <p className="soft small">{say("monitors.diffCut")}</p> : null}
    </details>
  );
}
