import { AppError } from "@quarry/base";

/** How much of our time and memory one request may take; a request can name its own. */
export interface RequestLimits {
  /** Name lookup, TCP and TLS together, for each new connection. */
  readonly connectMs: number;
  /** From the request being handed over to the end of the reply's headers, for each hop. */
  readonly headersMs: number;
  /** The longest silence inside a body. */
  readonly idleBodyMs: number;
  /** Everything, redirects and the reading of the body included. */
  readonly totalMs: number;
  /** Body bytes as they come over the wire. */
  readonly maxWireBytes: number;
  /** Body bytes after decompression. */
  readonly maxBytes: number;
  /** Decoded bytes per wire byte; see `RATIO_GRACE_BYTES` for where it starts to count. */
  readonly maxDecompressionRatio: number;
  readonly maxRedirects: number;
}

/** Limits of the connections themselves, shared by all requests of a dialer. */
export interface ConnectionLimits {
  /** Status line and headers of one reply. */
  readonly maxHeaderBytes: number;
  readonly maxConnectionsPerOrigin: number;
  readonly maxConnections: number;
  /** How long an idle connection is kept for the next request. */
  readonly keepAliveMs: number;
}

/** All limits of a dialer. */
export type DialLimits = RequestLimits & ConnectionLimits;

/** The limits of a dialer that names none: right for pages of the open web. */
export const DEFAULT_LIMITS: DialLimits = {
  connectMs: 10_000,
  headersMs: 20_000,
  idleBodyMs: 10_000,
  totalMs: 60_000,
  maxWireBytes: 20 * 1024 * 1024,
  maxBytes: 20 * 1024 * 1024,
  maxDecompressionRatio: 200,
  maxRedirects: 10,
  maxHeaderBytes: 32 * 1024,
  maxConnectionsPerOrigin: 16,
  maxConnections: 256,
  keepAliveMs: 4_000,
};

/** The part of the limits that a request may change. */
export function toRequestLimits(limits: DialLimits): RequestLimits {
  const { connectMs, headersMs, idleBodyMs, totalMs, maxWireBytes, maxBytes, maxDecompressionRatio, maxRedirects } =
    limits;
  return { connectMs, headersMs, idleBodyMs, totalMs, maxWireBytes, maxBytes, maxDecompressionRatio, maxRedirects };
}

/** A small page may shrink a thousandfold and harm nobody: the ratio counts from here on. */
export const RATIO_GRACE_BYTES = 1024 * 1024;

/** Lays `changes` over `limits`; throws `invalid_request` for one that is not a whole number in range. */
export function withLimits<T extends object>(limits: T, changes: Partial<T> | undefined): T {
  if (changes === undefined) return limits;
  for (const [name, value] of Object.entries(changes)) {
    if (!(name in limits)) throw badLimit(name, "is not a limit of the dialer");
    const least = name === "maxRedirects" ? 0 : 1;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || isTooLong(name, value)) {
      throw badLimit(name, `must be a whole number from ${least}, and milliseconds at most ${MAX_TIMER_MS}`);
    }
  }
  return { ...limits, ...changes };
}

/** What a timer can hold; beyond it Node fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

function isTooLong(name: string, value: number): boolean {
  return name.endsWith("Ms") && value > MAX_TIMER_MS;
}

function badLimit(name: string, why: string): AppError {
  return new AppError("invalid_request", `${name} ${why}`, { details: { field: name } });
}
