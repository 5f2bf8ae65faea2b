import { AppError, sleep } from "@quarry/base";
import { createDialer, type ResolveHost } from "@quarry/net";

/** Throws `invalid_request`, with what to do, for a URL that deliveries would never be sent to. */
export type CheckWebhookUrl = (url: string, signal: AbortSignal) => Promise<void>;

/** A name that takes longer to look up is judged when the first event is sent. */
const LOOKUP_MS = 3_000;

/**
 * Makes the check of new webhook URLs: http or https, no credentials, and nothing private unless the operator opened
 * it, by name or by the addresses the name leads to now. It asks the guard of every dialer, by one that never connects.
 */
export function createWebhookUrlCheck(options: {
  readonly allowPrivateHosts: readonly string[];
  readonly resolve?: ResolveHost;
}): { readonly check: CheckWebhookUrl; readonly close: () => Promise<void> } {
  const guard = createDialer({ ...options, openSocket: () => Promise.reject(new Error("this dialer only asks")) });
  const check: CheckWebhookUrl = async (url, signal) => {
    const done = new AbortController();
    const stop = AbortSignal.any([signal, done.signal]);
    const asked = guard.fetch({ url, method: "HEAD", redirects: "manual" }, stop).catch((error: unknown) => {
      if (done.signal.aborted && !signal.aborted) return undefined; // given up below
      throw error;
    });
    const outcome = await Promise.race([
      asked,
      sleep(LOOKUP_MS, stop).then(
        () => undefined,
        () => undefined,
      ),
    ]);
    done.abort();
    signal.throwIfAborted();
    if (outcome?.kind !== "refused") return;
    throw new AppError("invalid_request", `url: ${outcome.message}`, {
      details: { field: "url", issues: [{ path: "url", message: outcome.message }] },
    });
  };
  return { check, close: guard.close };
}
