import { isUrl, type AppError } from "@quarry/base";

/** One GET. */
export interface HttpRequest {
  readonly url: string;
  /** Lower-case names; the dialer adds its own (host, accept-encoding, user-agent). */
  readonly headers: Readonly<Record<string, string>>;
  /** How much of the body, decompressed, is worth having; it is cut there. */
  readonly maxBytes: number;
}

/** One finished exchange. */
export interface HttpReply {
  readonly kind: "reply";
  /** Where the answer came from: the URL asked for, unless redirects were followed below us. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names; the values of a repeated header joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Content codings undone; at most `maxBytes` of it. */
  readonly body: Uint8Array;
  /** The body went on past `maxBytes`. */
  readonly truncated: boolean;
}

/** The dialer's own no: asking again will not help. */
export interface HttpRefusal {
  readonly kind: "refused";
  readonly reason:
    | "invalid-url"
    | "scheme"
    | "credentials"
    | "blocked-port"
    | "private-host"
    | "private-address"
    | "invalid-header"
    | "too-many-redirects"
    | "redirect-loop"
    | "invalid-redirect"
    | "insecure-redirect"
    | "headers-too-large"
    | "body-too-large"
    | "decompression-bomb"
    | "unsupported-encoding";
  readonly message: string;
}

/** No answer, or only part of one; `error.retryable` says whether another try may fare better. */
export interface HttpFailure {
  readonly kind: "failed";
  readonly reason: "dns" | "connect" | "tls" | "timeout" | "protocol" | "reset" | "decode" | "closed";
  readonly error: AppError;
}

/** An exchange that came to no reply. */
export type HttpStop = HttpRefusal | HttpFailure;

/**
 * Asks once; a redirect is a reply like any other, for the caller must ask robots.txt before it goes there. Rejects
 * only when `signal` aborts.
 */
export type HttpGet = (request: HttpRequest, signal: AbortSignal) => Promise<HttpReply | HttpStop>;

/** Whether a status asks to go elsewhere. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/** The target of a redirect as a whole URL; undefined when it names no place. */
export function redirectTarget(reply: HttpReply): string | undefined {
  const location = reply.headers["location"] ?? "";
  if (location === "" || !isUrl(location, reply.url)) return undefined;
  return new URL(location, reply.url).href;
}
