import { AppError, isUrl } from "@quarry/base";
import { createConnectionPool } from "./connection/connection-pool.ts";
import { openChecked, type CheckedSocket } from "./connection/open-checked.ts";
import { openTcp, type OpenSocket } from "./connection/open-socket.ts";
import { resolveBySystem, type ResolveHost } from "./connection/resolve-host.ts";
import { startDeadline, type Deadline } from "./deadline.ts";
import type { ExchangeDeps } from "./exchange.ts";
import { DialerClosedError } from "./failure.ts";
import { followHops } from "./follow-hops.ts";
import { parseAllowList } from "./guard/allow-list.ts";
import { createGuard, type Guard } from "./guard/guard.ts";
import { DEFAULT_LIMITS, toRequestLimits, withLimits, type DialLimits } from "./limits.ts";
import { failed, refused, type DialStop } from "./outcome.ts";
import type { DialOutcome } from "./reply.ts";
import { toHop, type DialRequest } from "./request.ts";

/** How a dialer is made; every part has a default that is right for the open web. */
export interface DialerOptions {
  /** Hosts, host:port, addresses and CIDRs that may be dialled although private: the operator's words, never a user's. */
  readonly allowPrivateHosts?: readonly string[];
  readonly limits?: Partial<DialLimits>;
  readonly userAgent?: string;
  readonly resolve?: ResolveHost;
  /** For tests: opens the TCP connection, after the guard's yes. */
  readonly openSocket?: OpenSocket;
  /** PEM certificates to trust instead of the built-in ones. */
  readonly certificateAuthorities?: readonly string[];
}

/** What became of a wish for a bare connection. */
export type ConnectOutcome = CheckedSocket | DialStop;

/** The only way out of the process. */
export interface Dialer {
  /**
   * Sends a request. Refusals and failures are outcomes; it rejects only when
   * `signal` aborts, or with `invalid_request` for limits that make no sense.
   */
  readonly fetch: (request: DialRequest, signal: AbortSignal) => Promise<DialOutcome>;
  /** A bare TCP connection under the same guard, for tunnels; the caller owns and closes it. */
  readonly connect: (
    peer: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ) => Promise<ConnectOutcome>;
  /** Connections open now, in use or kept; tunnels not counted. */
  readonly openConnections: () => number;
  /** Ends what is running (as failures) and closes every connection. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the guarded dialer. Each URL, and each redirect, is judged; a host is
 * resolved once for each connection, every address must be global unicast or
 * opened by the operator, and the connection goes to one of exactly those.
 * Throws `invalid_request` for an option that cannot be read.
 */
export function createDialer(options: DialerOptions = {}): Dialer {
  return assembleDialer(createGuard(parseAllowList(options.allowPrivateHosts ?? [])), options);
}

/**
 * A dialer for endpoints that the operator configured (a model server, a
 * database's HTTP door): their hosts and ports may be private. Every other URL,
 * and whatever an endpoint redirects to elsewhere, is guarded as always.
 */
export function createTrustedDialer(endpoints: readonly string[], options: DialerOptions = {}): Dialer {
  const opened = endpoints.map(toAllowEntry);
  return createDialer({ ...options, allowPrivateHosts: [...(options.allowPrivateHosts ?? []), ...opened] });
}

/** Builds a dialer on a given guard. Not a door of the package: tests use it to show what happens without one. */
export function assembleDialer(guard: Guard, options: DialerOptions): Dialer {
  const limits = withLimits(DEFAULT_LIMITS, options.limits);
  const requestLimits = toRequestLimits(limits);
  const userAgent = options.userAgent ?? "Quarry";
  const deps: ExchangeDeps = {
    guard,
    pool: createConnectionPool(limits),
    resolve: options.resolve ?? resolveBySystem,
    openSocket: options.openSocket ?? openTcp,
    certificateAuthorities: options.certificateAuthorities,
  };
  const running = new Set<Deadline>();
  let isClosed = false;

  const start = (totalMs: number, signal: AbortSignal): Deadline => {
    const deadline = startDeadline(totalMs, signal, (ended) => running.delete(ended));
    running.add(deadline);
    return deadline;
  };

  const fetch: Dialer["fetch"] = async (request, signal) => {
    signal.throwIfAborted();
    const asked = withLimits(requestLimits, request.limits);
    const target = guard.judgeUrl(request.url);
    if (target.kind === "refused") return target;
    const first = toHop(request, target.url, userAgent);
    if (first.kind === "refused") return first;
    if (isClosed) return failed("closed", target.url.href, "the dialer is closed");
    const deadline = start(asked.totalMs, signal);
    let outcome: DialOutcome | undefined;
    try {
      const { redirects = "follow", decoding = "decode" } = request;
      const course = { redirects, decoding, limits: asked, deadline };
      outcome = await followHops(deps, { target, hop: first.hop }, course);
      return outcome;
    } finally {
      if (outcome?.kind !== "reply") deadline.end();
    }
  };

  const connect: Dialer["connect"] = async ({ host, port }, signal) => {
    signal.throwIfAborted();
    const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
    if (/[/?#@\\\s]/.test(host)) return refused("invalid-url", url, "a host name and a port are needed");
    const target = guard.judgeUrl(url);
    if (target.kind === "refused") return target;
    if (isClosed) return failed("closed", url, "the dialer is closed");
    const deadline = start(limits.connectMs, signal);
    try {
      return await openChecked(deps, target, { tls: false, signal: deadline.signal });
    } finally {
      deadline.end();
    }
  };

  return {
    fetch,
    connect,
    openConnections: () => deps.pool.openCount(),
    close: async () => {
      isClosed = true;
      for (const deadline of running) deadline.abort(new DialerClosedError());
      await deps.pool.close();
    },
  };
}

function toAllowEntry(endpoint: string): string {
  if (!isUrl(endpoint)) {
    throw new AppError("invalid_request", `"${endpoint}" is not a URL; write it whole, as http://host:port/path`);
  }
  const url = new URL(endpoint);
  return `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port}`;
}
