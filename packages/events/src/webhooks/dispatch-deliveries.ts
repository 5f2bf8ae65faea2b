import { AppError } from "@quarry/base";
import {
  claimDeliveries,
  handBackDeliveries,
  listDueWebhooks,
  settleDelivery,
  type Database,
  type LeasedDelivery,
} from "@quarry/store";
import { attemptDelivery, type AttemptDeps } from "./attempt-delivery.ts";

/** What a dispatcher needs. */
export interface DispatchDeps extends AttemptDeps {
  readonly database: Database;
  /** How long a silent sender keeps its deliveries; longer than any attempt takes. */
  readonly leaseMs: number;
  /** Called when a delivery has ended, however: there may be room for another. */
  readonly onSettled: () => void;
  /** An attempt whose outcome could not be written down; its lease runs out and it is made again. */
  readonly onFailure: (error: AppError) => void;
}

/** Sends what is due, webhooks beside each other. */
export interface Dispatcher {
  /** Begins every delivery that is due and has room. Returns when the next one will be due, as far as is known. */
  readonly dispatch: () => Promise<Date | undefined>;
  /** How many are under way. */
  readonly underWay: () => number;
  /** Resolves when nothing is under way. */
  readonly drain: () => Promise<void>;
  /** Ends what is under way and hands it back, as if never begun. */
  readonly abandon: () => Promise<void>;
}

/** At once to one webhook; different resources' events only, since those of one go one after the other. */
const PER_WEBHOOK = 8;
/** While it fails it gets one at a time: no better for us to know, and it may hang. */
const PER_FAILING_WEBHOOK = 1;
/** At once in all, and of those to webhooks that failed last: the others always find room. */
const MAX_IN_FLIGHT = 1_000;
const MAX_FAILING_IN_FLIGHT = 500;

/** Makes a dispatcher. Failing webhooks take neither the room nor the time of others. */
export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { database, leaseMs, clock } = deps;
  const stopping = new AbortController();
  const runs = new Set<Promise<void>>();
  const inFlight = new Map<string, number>();
  const failing = new Set<string>();

  const count = (isCounted: (webhookId: string) => boolean): number =>
    [...inFlight].reduce((sum, [id, running]) => sum + (isCounted(id) ? running : 0), 0);

  const roomFor = (webhookId: string): number => {
    const isFailing = failing.has(webhookId);
    const own = (isFailing ? PER_FAILING_WEBHOOK : PER_WEBHOOK) - (inFlight.get(webhookId) ?? 0);
    const shared = isFailing
      ? MAX_FAILING_IN_FLIGHT - count((id) => failing.has(id))
      : MAX_IN_FLIGHT - count(() => true);
    return Math.min(own, shared);
  };

  const deliver = async (delivery: LeasedDelivery): Promise<void> => {
    const { webhook, event, attempts } = delivery;
    const { verdict, attempt } = await attemptDelivery(deps, { webhook, event, number: attempts + 1 }, stopping.signal);
    if (verdict.state === "delivered") failing.delete(webhook.id);
    else failing.add(webhook.id);
    const { state, dueAt, isGone } = verdict;
    await settleDelivery(database, delivery, { state, dueAt, isGone, attempt });
  };

  const start = (delivery: LeasedDelivery): void => {
    const { id } = delivery.webhook;
    inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
    const run = deliver(delivery)
      .catch((error: unknown) =>
        stopping.signal.aborted ? handBackDeliveries(database, [delivery.lease]) : deps.onFailure(AppError.from(error)),
      )
      .catch((error: unknown) => deps.onFailure(AppError.from(error)))
      .finally(() => {
        const left = (inFlight.get(id) ?? 1) - 1;
        if (left === 0) inFlight.delete(id);
        else inFlight.set(id, left);
        runs.delete(run);
        deps.onSettled();
      });
    runs.add(run);
  };

  const dispatch = async (): Promise<Date | undefined> => {
    // Again after each round: a claim may have found nothing but deliveries that wait for an earlier one.
    while (!stopping.signal.aborted) {
      const now = clock.now();
      const hooks = await listDueWebhooks(database);
      const due = hooks.filter(({ webhookId, dueAt }) => dueAt <= now && roomFor(webhookId) > 0);
      if (due.length === 0) return hooks.find(({ dueAt }) => dueAt > now)?.dueAt; // the list begins with the soonest
      for (const { webhookId } of due) {
        const limit = roomFor(webhookId);
        if (limit <= 0) continue; // another took the last place; its end calls again
        for (const delivery of await claimDeliveries(database, webhookId, { limit, leaseMs, now })) start(delivery);
      }
    }
    return undefined;
  };

  const drain = async (): Promise<void> => {
    while (runs.size > 0) await Promise.all(runs);
  };

  return {
    dispatch,
    underWay: () => runs.size,
    drain,
    abandon: async () => {
      stopping.abort();
      await drain();
    },
  };
}
