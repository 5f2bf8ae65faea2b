import type { Dialer, DialStop, ReplyHeaders } from "@quarry/net";
import { BodyStopError } from "@quarry/net";
import type { ReceiverAnswer } from "./judge-attempt.ts";

/** What is sent to a receiver. */
export interface ReceiverRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one; rejects only when `signal` aborts. */
export type PostToReceiver = (request: ReceiverRequest, signal: AbortSignal) => Promise<ReceiverAnswer>;

/** How long a receiver may take, in all. */
export const ATTEMPT_TIMEOUT_MS = 20_000;
/** How much of an answer is kept for whoever looks for the fault. */
const KEPT_BODY_BYTES = 8_192;
const KEPT_HEADERS = 64;
const KEPT_HEADER_CHARACTERS = 1_000;

/** For the dialer that posts: receivers that hang, also many at one host, keep no connection from others. */
export const RECEIVER_CONNECTIONS = { maxConnections: 2_000, maxConnectionsPerOrigin: 2_000 } as const;

/** Posts through the guarded dialer; redirects are answers like any other. */
export function postByDialer(fetch: Dialer["fetch"], timeoutMs: number = ATTEMPT_TIMEOUT_MS): PostToReceiver {
  const limits = { totalMs: timeoutMs, headersMs: timeoutMs, connectMs: Math.min(10_000, timeoutMs) };
  return async ({ url, headers, body }, signal) => {
    const outcome = await fetch({ url, method: "POST", headers, body, redirects: "manual", limits }, signal);
    if (outcome.kind !== "reply") return { kind: "no-answer", error: messageOf(outcome) };
    const text = await readBeginning(outcome.body);
    outcome.discard();
    return { kind: "answered", status: outcome.status, headers: keptHeaders(outcome.headers), body: text };
  };
}

/** A body that breaks off takes nothing from the status that came before it. */
async function readBeginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= KEPT_BODY_BYTES) break;
    }
  } catch (thrown) {
    if (!(thrown instanceof BodyStopError)) throw thrown;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, KEPT_BODY_BYTES));
}

function keptHeaders(headers: ReplyHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers)
    .slice(0, KEPT_HEADERS)
    .map(([name, value]) => [name, [value].flat().join(", ").slice(0, KEPT_HEADER_CHARACTERS)] as const);
  return Object.fromEntries(kept);
}

function messageOf(stop: DialStop): string {
  return stop.kind === "refused" ? `not sent: ${stop.message}` : `no answer: ${stop.error.message}`;
}
