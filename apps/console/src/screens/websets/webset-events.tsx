import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { isRecord, send } from "../../api/send.ts";
import type { Page } from "../../api/shapes.ts";
import { formatTime } from "../../ui/format.ts";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";
import { nameOf } from "./webset-columns.ts";
import type { WebsetItem } from "./webset-shapes.ts";

interface WebsetEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

/** What happened to a webset, newest first. */
export function WebsetEvents({
  websetId,
  isWorking,
}: {
  readonly websetId: string;
  readonly isWorking: boolean;
}): ReactNode {
  const events = useInfiniteQuery({
    queryKey: ["webset-events", websetId],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        resourceKind: "webset",
        resourceId: websetId,
        limit: "50",
        ...(pageParam === null ? {} : { cursor: pageParam }),
      });
      return send<Page<WebsetEvent>>(`/quarry/v1/events?${query.toString()}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    refetchInterval: isWorking ? LOOK_AGAIN_MS : false,
  });
  if (events.isError) return <Trouble error={events.error} retry={() => void events.refetch()} />;
  if (events.data === undefined) return <SkeletonLines lines={6} />;
  const all = events.data.pages.flatMap(({ data }) => data);
  return (
    <section className="card stack" aria-label={say("websets.events")}>
      {all.length === 0 ? <p className="soft">{say("websets.noEvents")}</p> : null}
      <ol className="timeline" aria-label={say("websets.timeline")}>
        {all.map((event) => (
          <li key={event.id}>
            <time dateTime={event.createdAt} className="soft small number">
              {formatTime(event.createdAt)}
            </time>
            <span className="badge plain">{event.type.replace(/^webset\./, "")}</span>
            <span className="wrap">{subjectOf(event)}</span>
          </li>
        ))}
      </ol>
      {events.hasNextPage ? (
        <div>
          <button
            type="button"
            className="button"
            disabled={events.isFetchingNextPage}
            onClick={() => void events.fetchNextPage()}
          >
            {say("websets.olderEvents")}
          </button>
        </div>
      ) : null}
    </section>
  );
}

const LOOK_AGAIN_MS = 3_000;

/** What an event is about: an item by its name, a search by its question, the rest by nothing. */
function subjectOf({ data }: WebsetEvent): string {
  if (isRecord(data["properties"])) return nameOf(data as unknown as WebsetItem);
  const { query, title, description } = data;
  const text = query ?? title ?? description;
  return typeof text === "string" ? text : "";
}
