import { ACCEPT_ENCODING } from "./body/content-encoding.ts";
import type { RequestLimits } from "./limits.ts";
import { refused, type DialRefusal } from "./outcome.ts";
import type { Hop } from "./redirect.ts";

/** One request. Only `url` is needed. */
export interface DialRequest {
  readonly url: string;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** "manual" returns a redirect as the reply it is; its `location` is resolved but not yet judged. */
  readonly redirects?: "follow" | "manual";
  /** "raw" hands out the body as it came, with its Content-Encoding. */
  readonly decoding?: "decode" | "raw";
  readonly limits?: Partial<RequestLimits>;
}

/** The first hop of a request, with the headers we add; refuses headers that are ours to set or could split the request. */
export function toHop(request: DialRequest, url: URL, userAgent: string): { kind: "hop"; hop: Hop } | DialRefusal {
  const headers: Record<string, string> = {
    accept: "*/*",
    "accept-encoding": ACCEPT_ENCODING,
    "user-agent": userAgent,
  };
  for (const [givenName, value] of Object.entries(request.headers ?? {})) {
    const name = givenName.toLowerCase();
    if (OUR_HEADERS.has(name)) return badHeader(url, givenName, "is set by the dialer; leave it out");
    if (!HEADER_NAME.test(name)) return badHeader(url, givenName, "is not a header name");
    if (!HEADER_VALUE.test(value)) return badHeader(url, givenName, "has a value with control characters");
    headers[name] = value;
  }
  return { kind: "hop", hop: { url, method: request.method ?? "GET", headers, body: request.body } };
}

/** They say where the message goes and where it ends. */
const OUR_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function badHeader(url: URL, name: string, why: string): DialRefusal {
  return refused("invalid-header", url.href, `header ${JSON.stringify(name.slice(0, 60))} ${why}`);
}
