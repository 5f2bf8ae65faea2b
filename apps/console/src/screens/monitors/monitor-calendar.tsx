import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { Trouble } from "../../ui/states.tsx";
import { formats, say } from "../../words/say.ts";
import { listCalendarDays } from "./calendar-days.ts";
import type { CalendarEntry } from "./monitor-shapes.ts";

const LOOK_AGAIN_MS = 5_000;
const weekday = new Intl.DateTimeFormat(formats, { weekday: "short" });
const dayName = new Intl.DateTimeFormat(formats, { day: "numeric", month: "short" });
const clock = new Intl.DateTimeFormat(formats, { timeStyle: "short" });
const TONES: Readonly<Record<CalendarEntry["status"], string>> = {
  next: "plain",
  created: "live",
  running: "live",
  completed: "good",
  canceled: "idle",
  failed: "bad",
};

/** The runs of six weeks, past and to come, day by day. */
export function MonitorCalendar({ nameOf }: { readonly nameOf: (websetId: string) => string }): ReactNode {
  const range = useMemo(() => {
    const days = listCalendarDays([], new Date());
    const last = days.at(-1)?.date ?? new Date();
    return {
      from: (days[0]?.date ?? new Date()).toISOString(),
      to: new Date(last.getFullYear(), last.getMonth(), last.getDate() + 1).toISOString(),
    };
  }, []);
  const calendar = useQuery({
    queryKey: ["monitor-calendar", range],
    queryFn: ({ signal }) =>
      send<{ readonly data: readonly CalendarEntry[] }>(
        `/quarry/v1/monitor-calendar?${new URLSearchParams(range).toString()}`,
        { signal },
      ),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const days = listCalendarDays(calendar.data?.data ?? [], new Date());
  if (calendar.isError) return <Trouble error={calendar.error} retry={() => void calendar.refetch()} />;
  return (
    <section className="card flush" aria-label={say("monitors.calendar")}>
      <ol className="calendar" aria-label={say("monitors.calendar")}>
        {days.map(({ date, isToday, entries }) => (
          <li key={date.toDateString()} aria-current={isToday ? "date" : undefined} data-empty={entries.length === 0}>
            <span className="soft small">
              <span className="calendar-weekday">{weekday.format(date)} </span>
              {dayName.format(date)}
            </span>
            {entries.map((entry, index) => (
              <Link
                key={index}
                className={`badge ${TONES[entry.status]}`}
                to="/websets/$id"
                params={{ id: entry.websetId }}
                title={entry.reason ?? undefined}
                aria-label={say("monitors.entry", {
                  at: clock.format(new Date(entry.at)),
                  status: entry.status === "next" ? say("monitors.toCome") : entry.status,
                  webset: nameOf(entry.websetId),
                })}
              >
                <span className="clip">
                  {clock.format(new Date(entry.at))} {nameOf(entry.websetId)}
                </span>
              </Link>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}
