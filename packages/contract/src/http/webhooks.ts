import { z } from "zod";
import { EXA_EVENT_TYPES } from "./exa-events.ts";
import { pagingQuery, pageOf } from "./paging.ts";
import { absentable, instant, queryBoolean, timestampSchema } from "./values.ts";

/** Event types of our own that a webhook may ask for, beside Exa's 19. */
export const QUARRY_EVENT_TYPES = ["page_monitor.changed", "page_monitor.failed"] as const;

/** Every type that a webhook may ask for. */
export const WEBHOOK_EVENT_TYPES = [...EXA_EVENT_TYPES, ...QUARRY_EVENT_TYPES] as const;

/** One type that a webhook may ask for. */
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

const eventTypeSchema = z.enum(WEBHOOK_EVENT_TYPES);

const eventsSchema = z
  .array(eventTypeSchema)
  .min(1)
  .max(WEBHOOK_EVENT_TYPES.length)
  .transform((types): WebhookEventType[] => [...new Set(types)])
  .describe("The types of events to send.");

const urlSchema = z
  .string()
  .min(1)
  .max(2_000)
  .describe("Where to send them: http or https, public unless the operator opened the host.");

const metadataSchema = z
  .record(z.string().max(100), z.string().max(1_000))
  .describe("Yours to set; values are strings.");

/** `POST /websets/v0/webhooks`. */
export const createWebhookSchema = z.object({
  url: urlSchema,
  events: eventsSchema,
  metadata: absentable(metadataSchema),
});

/** `PATCH /websets/v0/webhooks/{id}`. */
export const updateWebhookSchema = z.object({
  url: absentable(urlSchema),
  events: absentable(eventsSchema),
  metadata: absentable(metadataSchema),
});

/** A webhook as the wire shows it. */
export const webhookSchema = z
  .object({
    id: z.string(),
    object: z.literal("webhook"),
    status: z.enum(["active", "inactive"]).describe("Inactive after a 410; a PATCH makes it active again."),
    events: z.array(eventTypeSchema),
    url: z.string(),
    secret: z.string().nullable().describe("Signs the deliveries. Shown when it is made, null later."),
    metadata: z.record(z.string(), z.string()),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "Webhook" });

/** One try to deliver an event. */
export const webhookAttemptSchema = z
  .object({
    id: z.string(),
    object: z.literal("webhook_attempt"),
    eventId: z.string(),
    eventType: z.string(),
    webhookId: z.string(),
    url: z.string(),
    successful: z.boolean(),
    responseHeaders: z.record(z.string(), z.string()),
    responseBody: z.string().nullable(),
    responseStatusCode: z.int().describe("0 when there was no answer."),
    attempt: z.int().describe("From 1."),
    attemptedAt: timestampSchema,
  })
  .meta({ id: "WebhookAttempt" });

/** The paging of webhook lists. */
export const listWebhooksQuerySchema = z.object(pagingQuery({ max: 200, default: 25 }));

/** `GET /websets/v0/webhooks/{id}/attempts`. */
export const listAttemptsQuerySchema = z.object({
  ...pagingQuery({ max: 200, default: 25 }),
  eventType: eventTypeSchema.optional().describe("Only of this type."),
  successful: queryBoolean().optional().describe("Only those that succeeded, or failed."),
});

/** `GET /quarry/v1/webhooks/{id}/deliveries`. */
export const listDeliveriesQuerySchema = z.object({
  ...pagingQuery({ max: 200, default: 25 }),
  state: z.enum(["waiting", "behind", "sending", "delivered", "dead"]).optional().describe("Only in this state."),
});

/** An event on its way to a webhook. */
export const webhookDeliverySchema = z
  .object({
    object: z.literal("webhook_delivery"),
    webhookId: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    state: z
      .enum(["waiting", "behind", "sending", "delivered", "dead"])
      .describe("behind: an earlier event of the same resource is still on its way. dead: given up; replay it."),
    attempts: z.int().describe("Tries of this round; a replay begins anew."),
    nextAttemptAt: timestampSchema.nullable(),
    error: z.string().nullable().describe("What the last attempt lacked."),
    createdAt: timestampSchema,
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: "WebhookDelivery" });

/** A page of deliveries. */
export const webhookDeliveriesSchema = pageOf(webhookDeliverySchema);

/** `POST /quarry/v1/webhooks/{id}/test`. */
export const testWebhookSchema = z.object({
  type: absentable(eventTypeSchema).describe("The type to send; the first that the webhook wants unless given."),
});

/** `POST /quarry/v1/webhooks/{id}/replay`. */
export const replayWebhookSchema = z
  .object({
    dead: absentable(z.literal(true)).describe("Every delivery that was given up."),
    eventIds: absentable(z.array(z.string().min(1)).min(1).max(1_000)).describe("These events."),
    since: absentable(instant()).describe("Every event that the webhook wants, from this instant on."),
    until: absentable(instant()).describe("With since: up to this instant."),
  })
  .refine(
    ({ dead, eventIds, since }) => [dead, eventIds, since].filter((wish) => wish !== undefined).length === 1,
    "expected exactly one of dead, eventIds and since",
  )
  .refine(({ since, until }) => until === undefined || since !== undefined, "until: goes with since");

/** `POST /quarry/v1/webhooks/{id}/rotate`. */
export const rotateWebhookSchema = z.object({
  keepPreviousSeconds: absentable(
    z
      .int()
      .min(0)
      .max(7 * 86_400),
  ).describe("How long the old secret signs, too; a day unless given."),
});

/** What rotating answers: the new secret, once. */
export const rotatedWebhookSchema = webhookSchema.extend({
  previousSecretValidUntil: timestampSchema,
});

/** How many were queued again. */
export const replayedSchema = z.object({
  queued: z.int().describe("Events queued; call again while it is 10,000."),
});
