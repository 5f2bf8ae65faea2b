/** A place that events are sent to. */
export interface Webhook {
  readonly id: string;
  readonly status: "active" | "inactive";
  readonly events: readonly string[];
  readonly url: string;
  readonly secret: string | null;
  readonly createdAt: string;
}

/** One try to deliver an event. */
export interface WebhookAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly successful: boolean;
  readonly responseBody: string | null;
  readonly responseStatusCode: number;
  readonly attempt: number;
  readonly attemptedAt: string;
}

/** An event on its way. */
export interface WebhookDelivery {
  readonly eventId: string;
  readonly eventType: string;
  readonly state: "waiting" | "behind" | "sending" | "delivered" | "dead";
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** The types that can be asked for; the server refuses others. */
export const EVENT_TYPES = [
  "webset.created",
  "webset.deleted",
  "webset.paused",
  "webset.idle",
  "webset.search.created",
  "webset.search.updated",
  "webset.search.completed",
  "webset.search.canceled",
  "webset.item.created",
  "webset.item.enriched",
  "webset.export.created",
  "webset.export.completed",
  "import.created",
  "import.completed",
  "monitor.created",
  "monitor.updated",
  "monitor.deleted",
  "monitor.run.created",
  "monitor.run.completed",
  "page_monitor.changed",
  "page_monitor.failed",
] as const;
