import type { Clock } from "@quarry/base";
import type { webhookAttemptSchema, WebhookEventType, webhookSchema } from "@quarry/contract";
import type { AttemptDeps, CheckWebhookUrl } from "@quarry/events";
import type { Database, Webhook, WebhookAttempt } from "@quarry/store";
import type { z } from "zod";

/** What the webhook routes need. */
export interface WebhookRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly checkUrl: CheckWebhookUrl;
  /** How a test event is sent. */
  readonly sending: AttemptDeps;
}

/** A webhook as the wire shows it, without its secret. */
export function showWebhook(webhook: Webhook): z.input<typeof webhookSchema> {
  return {
    id: webhook.id,
    object: "webhook",
    status: webhook.status,
    events: [...webhook.events] as WebhookEventType[], // checked when they were written
    url: webhook.url,
    secret: null,
    metadata: { ...webhook.metadata },
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

/** An attempt as the wire shows it. */
export function showAttempt(attempt: WebhookAttempt): z.input<typeof webhookAttemptSchema> {
  return {
    id: attempt.id,
    object: "webhook_attempt",
    eventId: attempt.eventId,
    eventType: attempt.eventType,
    webhookId: attempt.webhookId,
    url: attempt.url,
    successful: attempt.successful,
    responseHeaders: { ...attempt.headers },
    responseBody: attempt.body ?? attempt.error,
    responseStatusCode: attempt.statusCode,
    attempt: attempt.attempt,
    attemptedAt: attempt.attemptedAt.toISOString(),
  };
}
