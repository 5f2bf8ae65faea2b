import type { AppError } from "@quarry/base";
import { sleep } from "@quarry/base";
import {
  keepDoing,
  makeWakeUp,
  requeueLostDeliveries,
  sweepDeliveries,
  WEBHOOKS_CHANNEL,
  type Database,
} from "@quarry/store";
import type { AttemptDeps } from "./attempt-delivery.ts";
import { createDispatcher } from "./dispatch-deliveries.ts";

/** How to send. */
export interface WebhookSenderOptions extends AttemptDeps {
  readonly database: Database;
  /** How long a silent sender keeps its deliveries; a minute unless told. */
  readonly leaseMs?: number;
  readonly onFailure: (error: AppError) => void;
}

/** A sender at work. */
export interface WebhookSender {
  /** Begins no more, lets what is under way end for `deadlineMs`, and hands back the rest. Never rejects. */
  readonly stop: (deadlineMs: number) => Promise<void>;
}

const DEFAULT_LEASE_MS = 60_000;
/** How often to look without being woken. */
const POLL_MS = 10_000;
const SWEEP_EVERY_MS = 3_600_000;
/** How long deliveries and attempts can be looked at. */
const KEPT_MS = 30 * 86_400_000;
const SWEPT_AT_ONCE = 10_000;

/** Sends every team's deliveries until stopped. Any number of senders may share a database. */
export async function startWebhookSender(options: WebhookSenderOptions): Promise<WebhookSender> {
  const { database, clock, leaseMs = DEFAULT_LEASE_MS, onFailure } = options;
  const stopping = new AbortController();
  const bell = makeWakeUp();
  const dispatcher = createDispatcher({ ...options, leaseMs, onSettled: bell.ring });

  const dispatch = async (): Promise<number> => {
    const next = await dispatcher.dispatch();
    return next === undefined ? POLL_MS : Math.min(POLL_MS, Math.max(0, next.getTime() - clock.now().getTime()));
  };
  const findLost = async (): Promise<number> => {
    if ((await requeueLostDeliveries(database)) > 0) bell.ring();
    return leaseMs / 3;
  };
  const sweep = async (): Promise<number> => {
    await sweepDeliveries(database, new Date(clock.now().getTime() - KEPT_MS), SWEPT_AT_ONCE);
    return SWEEP_EVERY_MS;
  };

  const listening = await database.listen(WEBHOOKS_CHANNEL, bell.ring);
  const { signal } = stopping;
  const loops = Promise.all([
    keepDoing(dispatch, { bell, signal, onFailure }),
    keepDoing(findLost, { bell: makeWakeUp(), signal, onFailure }),
    keepDoing(sweep, { bell: makeWakeUp(), signal, onFailure }),
  ]);

  return {
    stop: async (deadlineMs) => {
      stopping.abort();
      await loops;
      const done = new AbortController();
      await Promise.race([
        dispatcher.drain(),
        sleep(deadlineMs, done.signal).catch(() => undefined), // drained before the deadline
      ]);
      done.abort();
      await dispatcher.abandon();
      await listening.close();
    },
  };
}
