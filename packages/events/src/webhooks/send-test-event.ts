import { addAttempt, type Database, type Webhook, type WebhookAttempt } from "@quarry/store";
import { attemptDelivery, type AttemptDeps } from "./attempt-delivery.ts";
import { makeSampleEvent } from "./sample-event.ts";

/**
 * Sends a made-up event at once, as real ones are sent, and says how the receiver took it. It is tried once, stands
 * among the attempts and not in the log, and changes nothing of the webhook, whatever comes back.
 */
export async function sendTestEvent(
  deps: AttemptDeps & { readonly database: Database },
  webhook: Webhook,
  options: { readonly type: string; readonly signal: AbortSignal },
): Promise<WebhookAttempt> {
  const event = makeSampleEvent(options.type, deps.clock.now());
  const { attempt } = await attemptDelivery(deps, { webhook, event, number: 1 }, options.signal);
  await addAttempt(deps.database, attempt);
  return attempt;
}
