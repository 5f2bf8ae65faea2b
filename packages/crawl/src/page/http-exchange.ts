/** One GET. */
export interface HttpRequest {
  readonly url: string;
  /** Lower-case names; the dialer adds its own (host, accept-encoding, user-agent). */
  readonly headers: Readonly<Record<string, string>>;
  /** How much of the body, decompressed, is worth having. */
  readonly maxBytes: number;
}

/** One finished exchange. */
export interface HttpReply {
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

/**
 * Asks once; a redirect is an answer like any other, for the caller must ask robots.txt before it goes there.
 * Rejects with an AppError when there is no whole answer: `forbidden` where the address may not be reached,
 * `invalid_request` where the URL cannot be used, `timeout`, `too_large` where the body defies its limits, anything
 * else for a server that could not be talked to.
 */
export type HttpGet = (request: HttpRequest, signal: AbortSignal) => Promise<HttpReply>;

/** The target of a redirect, resolved; undefined when the reply is none. `""` stands for one that names no place. */
export function redirectTarget(reply: HttpReply): string | undefined {
  if (![301, 302, 303, 307, 308].includes(reply.status)) return undefined;
  const location = reply.headers["location"] ?? "";
  if (location === "" || !URL.canParse(location, reply.url)) return "";
  return new URL(location, reply.url).href;
}
