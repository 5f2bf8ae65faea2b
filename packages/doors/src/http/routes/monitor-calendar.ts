import { AppError } from "@quarry/base";
import { instant } from "@quarry/contract";
import { listMonitorRuns, listMonitors, nextSlot, type Monitor } from "@quarry/store";
import { showMonitor, type MonitorDeps } from "@quarry/websets";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

const DAY_MS = 86_400_000;
const MOST_DAYS = 100;
/** Of one monitor: a daily one for as long as may be asked. */
const MOST_SLOTS = 110;
const MOST_MONITORS = 200;
const RUNS_AT_ONCE = 200;

const entrySchema = z.object({
  monitorId: z.string(),
  websetId: z.string(),
  type: z.enum(["search", "refresh"]),
  at: z.string(),
  status: z.enum(["next", "created", "running", "completed", "canceled", "failed"]),
  runId: z.string().nullable(),
  reason: z.string().nullable().describe("Why it failed or was canceled."),
});

/** When monitors ran and when they run next. */
export function monitorCalendarRoutes({ database, clock }: MonitorDeps): readonly Route[] {
  return [
    defineRoute({
      name: "readMonitorCalendar",
      method: "GET",
      path: "/quarry/v1/monitor-calendar",
      tag: "Monitors",
      access: "websets",
      summary: "The runs of all monitors between two moments: those that were, and those to come",
      query: z.object({ from: instant(), to: instant().describe(`At most ${MOST_DAYS} days after from.`) }),
      response: z.object({ data: z.array(entrySchema) }),
      handle: async ({ query }, { caller }) => {
        const { from, to } = query;
        if (to <= from || to.getTime() - from.getTime() > MOST_DAYS * DAY_MS) {
          throw new AppError("invalid_request", `to: expected a moment after from, at most ${MOST_DAYS} days later`);
        }
        const monitors = (await listMonitors(database, caller.teamId, { limit: MOST_MONITORS })).data;
        const past = await Promise.all(
          monitors.map(async (monitor) => {
            const runs = await listMonitorRuns(database, caller.teamId, monitor.id, { limit: RUNS_AT_ONCE });
            return runs.data
              .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
              .map(({ id, status, createdAt, failedReason, canceledReason }) => ({
                ...describe(monitor),
                at: createdAt.toISOString(),
                status,
                runId: id,
                reason: failedReason ?? canceledReason,
              }));
          }),
        );
        const next = monitors.flatMap((monitor) =>
          listSlots(monitor, clock.now() > from ? clock.now() : from, to).map((at) => ({
            ...describe(monitor),
            at: at.toISOString(),
            status: "next" as const,
            runId: null,
            reason: null,
          })),
        );
        return { data: [...past.flat(), ...next].sort((first, second) => first.at.localeCompare(second.at)) };
      },
    }),
  ];
}

function describe(monitor: Monitor) {
  const { id, websetId, behavior } = showMonitor(monitor);
  return { monitorId: id, websetId, type: behavior.type };
}

function listSlots({ status, cron, timeZone }: Monitor, after: Date, to: Date): readonly Date[] {
  const slots: Date[] = [];
  if (status !== "enabled") return slots;
  for (let at: Date | undefined = after; slots.length < MOST_SLOTS;) {
    at = nextSlot({ pattern: cron, timeZone }, at);
    if (at === undefined || at > to) break;
    slots.push(at);
  }
  return slots;
}
