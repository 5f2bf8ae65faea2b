import { isDeepStrictEqual } from "node:util";
import { makeId, type Clock } from "@quarry/base";
import {
  makeWebhookSecret,
  SEARCH_MONITOR_EVENTS,
  searchSchema,
  type BatchSearchMonitors,
  type CreateSearchMonitor,
  type SearchMonitorEvent,
  type UpdateSearchMonitor,
} from "@quarry/contract";
import { readOutputSchema } from "@quarry/search";
import {
  appendEvent,
  createSearchMonitor,
  createSearchMonitorRun,
  createWebhook,
  deleteSearchMonitor,
  getSearchMonitor,
  listSearchMonitors,
  lockSearchMonitor,
  nextSlot,
  retireWebhook,
  updateWebhook,
  writeSearchMonitor,
  type Database,
  type Json,
  type SearchMonitor,
  type SearchMonitorRun,
  type SearchMonitorTrigger,
  type Transaction,
} from "@quarry/store";
import { checkCadence } from "../check-cadence.ts";
import { nextInterval } from "./next-interval.ts";
import { showSearchMonitor, showSearchMonitorRun } from "./show-search-monitor.ts";

/** What search monitors need. */
export interface SearchMonitorDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Throws `invalid_request` for an address that no webhook may have. */
  readonly checkWebhookUrl: (url: string, signal: AbortSignal) => Promise<void>;
}

/** What webhooks know a search monitor by. */
export const SEARCH_MONITOR_RESOURCE = "search_monitor";

/** Makes a monitor with its webhook; the secret is told here and never again. */
export async function beginSearchMonitor(
  deps: SearchMonitorDeps,
  wish: CreateSearchMonitor,
  owner: { readonly id: string; readonly webhookId: string; readonly teamId: string; readonly keyId: string | null },
  signal: AbortSignal,
): Promise<{ readonly monitor: SearchMonitor; readonly webhookSecret: string }> {
  const now = deps.clock.now();
  await deps.checkWebhookUrl(wish.webhook.url, signal);
  if (wish.outputSchema !== undefined) readOutputSchema(wish.outputSchema);
  checkTrigger(wish.trigger, now);
  return deps.database.transaction(async (tx) => {
    const webhook = await createWebhook(
      tx,
      {
        id: owner.webhookId,
        teamId: owner.teamId,
        url: wish.webhook.url,
        events: wish.webhook.events ?? [...SEARCH_MONITOR_EVENTS],
        metadata: {},
        secret: makeWebhookSecret(),
        resource: { kind: SEARCH_MONITOR_RESOURCE, id: owner.id },
      },
      now,
    );
    const wanted = {
      id: owner.id,
      teamId: owner.teamId,
      keyId: owner.keyId,
      name: wish.name ?? null,
      search: toJson(wish.search),
      trigger: wish.trigger ?? null,
      outputSchema: (wish.outputSchema ?? null) as SearchMonitor["outputSchema"],
      metadata: wish.metadata ?? null,
      nextRunAt: nextRunOf({ status: "active", trigger: wish.trigger ?? null, createdAt: now }, now),
      webhookId: webhook.id,
    };
    const { monitor, isNew } = await createSearchMonitor(tx, wanted, now);
    if (isNew) await tell(tx, monitor, "monitor.created", now);
    return { monitor, webhookSecret: webhook.secret };
  });
}

/** Changes a monitor: search and webhook are merged into what is there, null removes. */
export async function updateSearchMonitor(
  deps: SearchMonitorDeps,
  { teamId, id }: { readonly teamId: string; readonly id: string },
  change: UpdateSearchMonitor,
  signal: AbortSignal,
): Promise<SearchMonitor> {
  const now = deps.clock.now();
  if (change.webhook?.url !== undefined) await deps.checkWebhookUrl(change.webhook.url, signal);
  if (change.outputSchema != null) readOutputSchema(change.outputSchema);
  checkTrigger(change.trigger, now);
  return deps.database.transaction(async (tx) => {
    await getSearchMonitor(tx, teamId, id);
    const before = (await lockSearchMonitor(tx, id)) ?? (await getSearchMonitor(tx, teamId, id));
    const search = { ...(before.search as object), ...withoutUndefined(change.search ?? {}) };
    searchSchema.parse(search);
    const { webhook } = change;
    if (webhook !== undefined)
      await updateWebhook(tx, teamId, before.webhook.id, { ...withoutUndefined(webhook), now });
    const next = {
      ...before,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.trigger !== undefined && { trigger: change.trigger }),
      ...(change.outputSchema !== undefined && { outputSchema: change.outputSchema as SearchMonitor["outputSchema"] }),
      ...(change.metadata !== undefined && { metadata: change.metadata }),
      ...(change.status !== undefined && { status: change.status, authenticationFailures: 0 }),
      search: toJson(search),
    };
    const isKept = next.status === before.status && isDeepStrictEqual(next.trigger, before.trigger);
    const monitor = await writeSearchMonitor(tx, isKept ? next : { ...next, nextRunAt: nextRunOf(next, now) }, now);
    await tell(tx, monitor, "monitor.updated", now);
    return monitor;
  });
}

/** Takes a monitor away; what its webhook was still to hear, it hears. */
export function removeSearchMonitor(deps: SearchMonitorDeps, teamId: string, id: string): Promise<SearchMonitor> {
  return deps.database.transaction(async (tx) => {
    const monitor = await getSearchMonitor(tx, teamId, id);
    await removeLocked(tx, monitor, deps.clock.now());
    return monitor;
  });
}

/** Has a monitor run now, beside its schedule; undefined for one that is disabled. */
export function triggerSearchMonitor(
  deps: SearchMonitorDeps,
  teamId: string,
  id: string,
): Promise<SearchMonitorRun | undefined> {
  return deps.database.transaction(async (tx) => {
    const monitor = await getSearchMonitor(tx, teamId, id);
    return monitor.status === "disabled" ? undefined : beginSearchMonitorRun(tx, monitor, deps.clock.now());
  });
}

/** Makes a run with its job and event. */
export async function beginSearchMonitorRun(
  tx: Transaction,
  monitor: SearchMonitor,
  now: Date,
): Promise<SearchMonitorRun> {
  const run = await createSearchMonitorRun(tx, { id: makeId("monitor_run", now), monitor }, now);
  await tellOfRun(tx, monitor, run, "monitor.run.created", now);
  return run;
}

/** Changes all that a filter names, at most `limit` of them; a dry run only tells which they are. */
export function batchSearchMonitors(
  deps: SearchMonitorDeps,
  teamId: string,
  wish: BatchSearchMonitors,
): Promise<{ readonly ids: readonly string[]; readonly hasMore: boolean }> {
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    const { data, hasMore } = await listSearchMonitors(tx, teamId, { ...wish.filter, limit: wish.limit });
    for (const { id } of wish.dry_run ? [] : data) {
      const monitor = await lockSearchMonitor(tx, id);
      if (monitor === undefined) continue; // someone else has just deleted it
      if (wish.action === "delete") await removeLocked(tx, monitor, now);
      else {
        const next = {
          ...monitor,
          status: wish.action === "pause" ? "paused" : "active",
          authenticationFailures: 0,
        } as const;
        const written = await writeSearchMonitor(tx, { ...next, nextRunAt: nextRunOf(next, now) }, now);
        await tell(tx, written, "monitor.updated", now);
      }
    }
    return { ids: data.map(({ id }) => id), hasMore };
  });
}

/** When a monitor runs next by itself: never while it rests or has no trigger. */
export function nextRunOf(monitor: Pick<SearchMonitor, "status" | "trigger" | "createdAt">, now: Date): Date | null {
  const { status, trigger, createdAt } = monitor;
  if (status !== "active" || trigger === null) return null;
  if (trigger.type === "interval") return nextInterval(trigger.period, createdAt, now);
  return nextSlot({ pattern: trigger.expression, timeZone: trigger.timezone }, now) ?? null;
}

function checkTrigger(trigger: SearchMonitorTrigger | null | undefined, now: Date): void {
  if (trigger?.type !== "cron") return;
  const names = { cron: "trigger.expression", timezone: "trigger.timezone" };
  checkCadence({ cron: trigger.expression, timezone: trigger.timezone }, now, { atMost: "hourly", names });
}

/** Tells a monitor's webhook, and the log, what became of a run. */
export async function tellOfRun(
  tx: Transaction,
  monitor: SearchMonitor,
  run: SearchMonitorRun,
  type: Extract<SearchMonitorEvent, "monitor.run.created" | "monitor.run.completed">,
  now: Date,
): Promise<void> {
  const resource = { kind: SEARCH_MONITOR_RESOURCE, id: monitor.id };
  await appendEvent(tx, { teamId: monitor.teamId, type, resource, data: toJson(showSearchMonitorRun(run)) }, now);
}

async function removeLocked(tx: Transaction, monitor: SearchMonitor, now: Date): Promise<void> {
  await tell(tx, monitor, "monitor.deleted", now);
  await retireWebhook(tx, monitor.teamId, monitor.webhook.id, now);
  await deleteSearchMonitor(tx, monitor.id);
}

async function tell(tx: Transaction, monitor: SearchMonitor, type: SearchMonitorEvent, now: Date): Promise<void> {
  const resource = { kind: SEARCH_MONITOR_RESOURCE, id: monitor.id };
  await appendEvent(tx, { teamId: monitor.teamId, type, resource, data: toJson(showSearchMonitor(monitor)) }, now);
}

function withoutUndefined<T extends object>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as never;
}

/** Wire shapes are JSON; TypeScript cannot see that of an interface. */
function toJson(value: object): Json {
  return value as unknown as Json;
}
