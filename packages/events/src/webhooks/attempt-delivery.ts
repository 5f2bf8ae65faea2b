import { makeId, type Clock } from "@quarry/base";
import { signWebhook } from "@quarry/contract";
import type { Json, Webhook, WebhookAttempt } from "@quarry/store";
import { judgeAttempt, type Verdict } from "./judge-attempt.ts";
import type { PostToReceiver } from "./post-to-receiver.ts";

/** What one attempt needs. */
export interface AttemptDeps {
  readonly post: PostToReceiver;
  readonly clock: Clock;
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
}

/** An event as it is sent. */
export interface EventToSend {
  readonly id: string;
  readonly type: string;
  readonly data: Json;
  readonly createdAt: Date;
}

/** Posts an event to a webhook, signed, and judges the answer. Rejects only when `signal` aborts. */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: { readonly webhook: Webhook; readonly event: EventToSend; readonly number: number },
  signal: AbortSignal,
): Promise<{ readonly verdict: Verdict; readonly attempt: WebhookAttempt }> {
  const { webhook, event, number } = delivery;
  const body = toBody(event);
  const at = deps.clock.now();
  const signature = signWebhook({ eventId: event.id, at, body, secrets: liveSecrets(webhook, at) });
  const startedMs = performance.now();
  const headers = { ...signature, "content-type": "application/json" };
  const answer = await deps.post({ url: webhook.url, headers, body }, signal);
  const verdict = judgeAttempt(answer, { number, now: deps.clock.now(), random: deps.random() });
  const attempt: WebhookAttempt = {
    id: makeId("wattempt", at),
    webhookId: webhook.id,
    eventId: event.id,
    eventType: event.type,
    url: webhook.url,
    successful: verdict.state === "delivered",
    statusCode: answer.kind === "answered" ? answer.status : 0,
    headers: answer.kind === "answered" ? answer.headers : {},
    body: answer.kind === "answered" ? answer.body : null,
    error: verdict.error,
    attempt: number,
    attemptedAt: at,
    durationMs: Math.round(performance.now() - startedMs),
  };
  return { verdict, attempt };
}

/** The event's JSON as receivers get it; the same bytes at every try. */
function toBody(event: EventToSend): string {
  const { id, type, data, createdAt } = event;
  return JSON.stringify({ id, object: "event", type, data, createdAt: createdAt.toISOString() });
}

function liveSecrets(webhook: Webhook, now: Date): readonly string[] {
  const { previousSecret } = webhook;
  return previousSecret !== null && previousSecret.until > now
    ? [webhook.secret, previousSecret.secret]
    : [webhook.secret];
}
