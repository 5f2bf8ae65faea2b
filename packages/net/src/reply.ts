import { parseContentEncoding, type Coding } from "./body/content-encoding.ts";
import type { Chunks } from "./body/chunks.ts";
import { streamBody } from "./body/stream-body.ts";
import type { Deadline } from "./deadline.ts";
import type { Answer, ReplyHeaders } from "./exchange.ts";
import type { RequestLimits } from "./limits.ts";
import { refused, type DialRefusal, type DialStop } from "./outcome.ts";
import type { Hop, Redirect } from "./redirect.ts";

/** A reply whose body is still on its way. Read it, or `discard` it; a body left alone ends with the total time. */
export interface DialReply {
  readonly kind: "reply";
  /** Where the reply came from, after redirects. */
  readonly url: string;
  readonly redirects: readonly Redirect[];
  readonly status: number;
  /** As sent: Content-Encoding and Content-Length speak of the wire, not of `body`. */
  readonly headers: ReplyHeaders;
  /** For an unfollowed redirect: its target as a whole URL, not yet judged. */
  readonly location: string | undefined;
  /** The checked address that answered. */
  readonly remoteAddress: string;
  /** The decoded bytes, once. Throws BodyStopError at a limit or a fault, the caller's reason on abort. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
}

/** What became of a request. */
export type DialOutcome = DialReply | DialStop;

/** One header of a reply; the lines of a repeated one are joined by commas. */
export function headerOf(reply: { readonly headers: ReplyHeaders }, name: string): string | undefined {
  const value = reply.headers[name.toLowerCase()];
  return value === undefined || typeof value === "string" ? value : value.join(", ");
}

/** What is known of the way to an answer. */
export interface Arrival {
  readonly hop: Hop;
  readonly redirects: readonly Redirect[];
  readonly location: string | undefined;
  readonly decoding: "decode" | "raw";
  readonly limits: RequestLimits;
  readonly deadline: Deadline;
}

/** Makes the reply; refuses a body that its own headers declare too large or in a coding we cannot undo. */
export function toReply(answer: Answer, arrival: Arrival): DialReply | DialRefusal {
  const { hop, limits, deadline } = arrival;
  const url = hop.url.href;
  const hasBody = hop.method !== "HEAD" && answer.status !== 204 && answer.status !== 304;
  const codings = arrival.decoding === "raw" ? [] : parseContentEncoding(headerOf(answer, "content-encoding"));
  const refusal = hasBody ? judgeBody(answer, codings, arrival) : undefined;
  if (refusal !== undefined) {
    answer.raw.destroy();
    return refusal;
  }
  answer.raw.once("close", () => deadline.end());
  if (!hasBody) answer.raw.resume();
  return {
    kind: "reply",
    url,
    redirects: arrival.redirects,
    status: answer.status,
    headers: answer.headers,
    location: arrival.location,
    remoteAddress: answer.address,
    body: once(() =>
      hasBody ? streamBody(answer.raw, { url, codings: codings ?? [], limits, deadline }) : nothing(answer.raw),
    ),
    discard: () => answer.raw.destroy(),
  };
}

function judgeBody(answer: Answer, codings: readonly Coding[] | undefined, arrival: Arrival): DialRefusal | undefined {
  const url = arrival.hop.url.href;
  if (codings === undefined) {
    const coding = headerOf(answer, "content-encoding") ?? "";
    return refused(
      "unsupported-encoding",
      url,
      `the body is encoded as "${coding.slice(0, 60)}", which we cannot undo`,
    );
  }
  const { maxBytes, maxWireBytes } = arrival.limits;
  const most = codings.length === 0 ? Math.min(maxBytes, maxWireBytes) : maxWireBytes;
  const declared = headerOf(answer, "content-length") ?? "";
  if (!/^\d+$/.test(declared) || Number(declared) <= most) return undefined;
  return refused("body-too-large", url, `the body has ${declared} bytes, more than the ${most} that are allowed`);
}

/** A body is read once; a second reader would find it empty and believe it. */
function once(start: () => Chunks): Chunks {
  let isRead = false;
  return {
    [Symbol.asyncIterator]: () => {
      if (isRead) throw new Error("the body of a reply can be read only once");
      isRead = true;
      return start()[Symbol.asyncIterator]();
    },
  };
}

/** No body follows a HEAD, 204 or 304; once it is read, the connection is free. */
async function* nothing(raw: Answer["raw"]): Chunks {
  if (!raw.closed) await new Promise((resolve) => raw.once("close", resolve));
}
