import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import type { ConnectionPool, Lease } from "./connection/connection-pool.ts";
import { ConnectionGoneError } from "./connection/connection-pool.ts";
import { openChecked, type OpenDeps } from "./connection/open-checked.ts";
import type { Deadline } from "./deadline.ts";
import { stopOrRethrow } from "./failure.ts";
import type { Target } from "./guard/guard.ts";
import type { RequestLimits } from "./limits.ts";
import type { DialStop } from "./outcome.ts";
import type { Hop } from "./redirect.ts";

/** The headers of a reply by lower-case name; a repeated header keeps its lines apart. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A reply whose headers are here and whose body is still to come. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly raw: Dispatcher.ResponseData["body"];
  readonly address: string;
}

/** What one hop works with. */
export interface ExchangeDeps extends OpenDeps {
  readonly pool: ConnectionPool;
}

/**
 * Sends one request and waits for the headers of its reply. A kept connection
 * that turns out to be closed is replaced once, if nothing can have been done twice.
 */
export async function exchange(
  deps: ExchangeDeps,
  target: Target,
  hop: Hop,
  run: { readonly limits: RequestLimits; readonly deadline: Deadline },
): Promise<Answer | DialStop> {
  const { limits, deadline } = run;
  const { signal } = deadline;
  const open = async () => {
    deadline.enter("connect", limits.connectMs);
    try {
      return await openChecked(deps, target, { tls: target.url.protocol === "https:", signal });
    } finally {
      deadline.leave();
    }
  };
  for (let fresh = false; ; fresh = true) {
    try {
      const lease = await deps.pool.acquire(target.url.origin, open, { signal, fresh });
      if (lease.kind !== "lease") return lease;
      const sent = await send(lease, hop, run);
      if (sent.kind === "answer") return sent;
      const isSafe = sent.thrown instanceof ConnectionGoneError || SAFE_METHODS.has(hop.method);
      if (fresh || signal.aborted || !lease.isReused || !isSafe || !isClosedSocket(sent.thrown)) throw sent.thrown;
    } catch (thrown) {
      return stopOrRethrow(thrown, target.url.href, "reply", signal);
    }
  }
}

async function send(
  lease: Lease,
  hop: Hop,
  run: { readonly limits: RequestLimits; readonly deadline: Deadline },
): Promise<Answer | { readonly kind: "broken"; readonly thrown: unknown }> {
  const { limits, deadline } = run;
  const { signal } = deadline;
  deadline.enter("headers", limits.headersMs);
  signal.addEventListener("abort", lease.drop, { once: true }); // ends the request at whatever stage it is
  const forget = (): void => signal.removeEventListener("abort", lease.drop);
  try {
    signal.throwIfAborted();
    const response = await lease.client.request({
      path: hop.url.pathname + hop.url.search,
      method: hop.method,
      headers: hop.headers,
      body: hop.body ?? null,
    });
    const raw = response.body;
    raw.on("error", () => undefined); // the reader of the body sees it; without a reader nobody needs it
    raw.once("close", () => {
      forget();
      if (raw.readableEnded) lease.release();
      else lease.drop();
    });
    const headers = readableLocation(response.headers);
    return { kind: "answer", status: response.statusCode, headers, raw, address: lease.address };
  } catch (thrown) {
    forget();
    lease.drop();
    return { kind: "broken", thrown };
  } finally {
    deadline.leave();
  }
}

/** Headers come as Latin-1. Many servers write addresses in UTF-8 there, which browsers understand as that. */
function readableLocation(headers: ReplyHeaders): ReplyHeaders {
  const { location } = headers;
  if (typeof location !== "string" || !/[\x80-\xff]/.test(location)) return headers;
  const bytes = Buffer.from(location, "latin1");
  return isUtf8(bytes) ? { ...headers, location: bytes.toString("utf8") } : headers;
}

/** A request that may be sent twice without harm. */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function isClosedSocket(thrown: unknown): boolean {
  if (thrown instanceof ConnectionGoneError) return true;
  if (!(thrown instanceof Error) || !("code" in thrown)) return false;
  return thrown.code === "UND_ERR_SOCKET" || thrown.code === "ECONNRESET" || thrown.code === "EPIPE";
}
