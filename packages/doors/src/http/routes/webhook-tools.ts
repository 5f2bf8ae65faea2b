import {
  listDeliveriesQuerySchema,
  makeWebhookSecret,
  replayedSchema,
  replayWebhookSchema,
  rotatedWebhookSchema,
  rotateWebhookSchema,
  testWebhookSchema,
  webhookAttemptSchema,
  webhookDeliveriesSchema,
  type webhookDeliverySchema,
} from "@quarry/contract";
import { sendTestEvent } from "@quarry/events";
import {
  getWebhook,
  listDeliveries,
  replayDeliveries,
  rotateWebhookSecret,
  type ReplayWish,
  type WebhookDelivery,
} from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { showAttempt, showWebhook, type WebhookRoutesDeps } from "./show-webhook.ts";

const params = z.object({ id: z.string().describe("The webhook's id.") });
const shared = { tag: "Webhooks", access: "websets", params } as const;
const DAY_SECONDS = 86_400;

/** What Exa has no route for: test events, replays, secret rotation, the state of deliveries. */
export function webhookToolRoutes(deps: WebhookRoutesDeps): readonly Route[] {
  const { db, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "testWebhook",
      method: "POST",
      path: "/quarry/v1/webhooks/:id/test",
      summary: "Send a made-up event now, once, and see the answer",
      body: testWebhookSchema,
      response: webhookAttemptSchema,
      handle: async ({ params: { id }, body }, { caller, signal }) => {
        const webhook = await getWebhook(db, caller.teamId, id);
        const type = body.type ?? webhook.events[0] ?? "webset.created";
        const attempt = await sendTestEvent({ ...deps.sending, database: db }, webhook, { type, signal });
        return showAttempt(attempt);
      },
    }),
    defineRoute({
      ...shared,
      name: "replayWebhook",
      method: "POST",
      path: "/quarry/v1/webhooks/:id/replay",
      summary: "Send events again: the dead ones, some, or all since an instant",
      body: replayWebhookSchema,
      response: replayedSchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        const webhook = await getWebhook(db, caller.teamId, id);
        return { queued: await replayDeliveries(db, webhook, toWish(body, clock.now()), clock.now()) };
      },
    }),
    defineRoute({
      ...shared,
      name: "rotateWebhookSecret",
      method: "POST",
      path: "/quarry/v1/webhooks/:id/rotate",
      summary: "Make a new secret; for a while the old one signs beside it",
      creates: "secret",
      body: rotateWebhookSchema,
      response: rotatedWebhookSchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        const now = clock.now();
        const previousUntil = new Date(now.getTime() + (body.keepPreviousSeconds ?? DAY_SECONDS) * 1_000);
        const next = { secret: makeWebhookSecret(), previousUntil, now };
        const webhook = await rotateWebhookSecret(db, caller.teamId, id, next);
        return {
          ...showWebhook(webhook),
          secret: webhook.secret,
          previousSecretValidUntil: previousUntil.toISOString(),
        };
      },
    }),
    defineRoute({
      ...shared,
      name: "listWebhookDeliveries",
      method: "GET",
      path: "/quarry/v1/webhooks/:id/deliveries",
      summary: "List events on their way, delivered or given up, newest first",
      query: listDeliveriesQuerySchema,
      response: webhookDeliveriesSchema,
      handle: async ({ params: { id }, query }, { caller }) => {
        await getWebhook(db, caller.teamId, id);
        const page = await listDeliveries(db, id, query);
        return { ...page, data: page.data.map(showDelivery) };
      },
    }),
  ];
}

function toWish(body: z.output<typeof replayWebhookSchema>, now: Date): ReplayWish {
  if (body.eventIds !== undefined) return { kind: "events", eventIds: body.eventIds };
  if (body.since !== undefined) return { kind: "since", since: body.since, until: body.until ?? now };
  return { kind: "dead" };
}

function showDelivery(delivery: WebhookDelivery): z.input<typeof webhookDeliverySchema> {
  const { webhookId, eventId, eventType, state, attempts, error } = delivery;
  return {
    object: "webhook_delivery",
    webhookId,
    eventId,
    eventType,
    state,
    attempts,
    nextAttemptAt: state === "waiting" ? delivery.dueAt.toISOString() : null,
    error,
    createdAt: delivery.createdAt.toISOString(),
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
  };
}
