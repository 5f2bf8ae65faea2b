import { AppError } from "@quarry/base";
import { BodyStopError, type Dialer, type DialFailure } from "@quarry/net";
import type { RenderLimits } from "./render-limits.ts";

/** What a page has taken so far. */
export interface Meter {
  readonly requests: () => number;
  readonly bytes: () => number;
}

/** A dialer that serves one page until it has had its share; then it answers no more. The real one stays its owner's. */
export function meterDialer(
  dialer: Dialer,
  limits: Pick<RenderLimits, "maxRequests" | "maxBytes">,
): { readonly dialer: Dialer; readonly meter: Meter } {
  let requests = 0;
  let plainBytes = 0;
  // Each is read by its user alone; how much came is the socket's own count.
  const tunnels: { readonly bytesRead: number }[] = [];
  const bytes = (): number => tunnels.reduce((sum, { bytesRead }) => sum + bytesRead, plainBytes);
  const spent = (url: string): DialFailure | undefined => {
    if (requests <= limits.maxRequests && bytes() <= limits.maxBytes) return undefined;
    const message =
      bytes() > limits.maxBytes
        ? `the page has loaded its ${limits.maxBytes} bytes`
        : `the page has made its ${limits.maxRequests} requests`;
    return { kind: "failed", reason: "closed", url, error: new AppError("too_large", message) };
  };
  const metered: Dialer = {
    fetch: async (request, signal) => {
      requests += 1;
      const stop = spent(request.url);
      if (stop !== undefined) return stop;
      const outcome = await dialer.fetch(request, signal);
      if (outcome.kind !== "reply") return outcome;
      const count = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of outcome.body) {
          plainBytes += chunk.byteLength;
          const cut = spent(request.url);
          if (cut !== undefined) throw new BodyStopError(cut);
          yield chunk;
        }
      };
      return { ...outcome, body: count() };
    },
    connect: async (peer, signal) => {
      requests += 1;
      const stop = spent(peer.host);
      if (stop !== undefined) return stop;
      const outcome = await dialer.connect(peer, signal);
      if (outcome.kind !== "opened") return outcome;
      tunnels.push(outcome.socket);
      return outcome;
    },
    openConnections: dialer.openConnections,
    close: () => Promise.resolve(),
  };
  return { dialer: metered, meter: { requests: () => requests, bytes } };
}
