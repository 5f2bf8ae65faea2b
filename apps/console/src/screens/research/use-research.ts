import { queryOptions, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { followEvents } from "../../api/follow-events.ts";
import { send } from "../../api/send.ts";
import type { Page } from "../../api/shapes.ts";
import type { Research, ResearchEvent } from "./research-shapes.ts";

const LOOK_AGAIN_MS = 2_000;

/** The team's research, newest first; looked at again while one is under way. */
export const researchListQuery = queryOptions({
  queryKey: ["research-list"],
  queryFn: ({ signal }) => send<Page<Research>>("/research/v1?limit=50", { signal }),
  refetchInterval: ({ state }) => (state.data?.data.some((one) => !isFinished(one)) === true ? LOOK_AGAIN_MS : false),
});

/** One research as it goes on. Its stream replays from the first event, so that a connection opened again misses nothing. */
export function useLiveResearch(id: string): {
  readonly research: UseQueryResult<Research>;
  readonly isLive: boolean;
} {
  const queries = useQueryClient();
  const path = `/research/v1/${encodeURIComponent(id)}`;
  const research = useQuery({
    queryKey: ["research", id],
    queryFn: ({ signal }) => send<Research>(`${path}?events=true`, { signal }),
  });
  const [isLive, setLive] = useState(false);
  const isOver = research.data === undefined ? undefined : isFinished(research.data);
  useEffect(() => {
    if (isOver !== false) return undefined;
    const stop = new AbortController();
    let events: readonly ResearchEvent[] = [];
    const readAgain = (): void => void queries.invalidateQueries({ queryKey: ["research", id] });
    followEvents(`${path}?stream=true`, {
      signal: stop.signal,
      isOver: () => events.at(-1)?.eventType === "research-output",
      onConnection: (isUp) => {
        if (isUp) events = [];
        else readAgain(); // one that was cancelled ends without a last event
        setLive(isUp);
      },
      onEvent: ({ data }) => {
        events = [...events, JSON.parse(data) as ResearchEvent];
        const shown = events;
        queries.setQueryData<Research>(["research", id], (old) =>
          old === undefined || (old.events?.length ?? 0) > shown.length ? old : { ...old, events: shown },
        );
      },
    }).then(readAgain, readAgain); // the report and its sources, or the refusal, show there
    return () => stop.abort();
  }, [id, isOver, path, queries]);
  return { research, isLive };
}

/** Whether nothing more will come of a research. */
export function isFinished({ status }: Research): boolean {
  return status !== "pending" && status !== "running";
}
