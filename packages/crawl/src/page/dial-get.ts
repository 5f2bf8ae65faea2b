import { AppError } from "@quarry/base";
import type { HttpGet, HttpReply, HttpStop } from "./http-exchange.ts";

/** A reply whose body is still on its way, as the guarded dialer gives it. */
export interface DialedReply {
  readonly kind: "reply";
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
}

/** The guarded dialer's `fetch`, as far as a GET needs it. */
export type Dial = (
  request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly redirects: "manual";
    readonly limits: { readonly maxBytes: number; readonly maxWireBytes: number };
  },
  signal: AbortSignal,
) => Promise<DialedReply | HttpStop>;

/** Makes the crawler's GET of the guarded dialer: one hop, the body read as far as it is wanted and no further. */
export function getByDialer(dial: Dial): HttpGet {
  return async ({ url, headers, maxBytes }, signal) => {
    // A dialer refuses what is larger than its limit, where we want the beginning: it is given more room than we use.
    const room = Math.max(maxBytes + 1, MIN_DIAL_BYTES);
    const limits = { maxBytes: room, maxWireBytes: room };
    const reply = await dial({ url, headers, redirects: "manual", limits }, signal);
    if (reply.kind !== "reply") return reply;
    const body = await readUpTo(reply, maxBytes, signal);
    if ("kind" in body) return body;
    return { kind: "reply", url: reply.url, status: reply.status, headers: flatHeaders(reply.headers), ...body };
  };
}

/** A body declared larger than this is not even begun, however little of it is wanted. */
const MIN_DIAL_BYTES = 20 * 1024 * 1024;

/**
 * Also stops at what the dialer throws out of a body: its own limits and broken connections, told in a `stop`. A body
 * that is larger than the dialer's limit is one that was cut, a chunk before ours at most.
 */
async function readUpTo(
  reply: DialedReply,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Pick<HttpReply, "body" | "truncated"> | HttpStop> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of reply.body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    const stop = thrown instanceof AppError && "stop" in thrown ? (thrown.stop as HttpStop) : undefined;
    if (stop === undefined) throw thrown;
    const isEndless = stop.kind === "refused" && stop.reason === "body-too-large";
    if (!isEndless) return stop;
    return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true };
  }
  if (bytes > maxBytes) reply.discard();
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: bytes > maxBytes };
}

function flatHeaders(headers: DialedReply["headers"]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ");
  }
  return flat;
}
