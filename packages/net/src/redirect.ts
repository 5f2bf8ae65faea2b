import { isUrl } from "@quarry/base";
import { refused, type DialRefusal } from "./outcome.ts";

/** One step on the way to the reply. */
export interface Redirect {
  readonly status: number;
  readonly from: string;
  readonly to: string;
}

/** One request of the way, as it is sent. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Where a reply sends us on to, not yet checked by the guard. */
export interface NextHop {
  readonly kind: "next";
  readonly hop: Hop;
}

/** Whether a status with a Location asks for another request. */
export function isRedirect(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * The request that follows a redirect, by the Fetch standard's rules, and ours:
 * another origin gets none but the harmless headers (never Authorization,
 * Cookie or a key), and from https to http goes nothing but a GET or HEAD.
 */
export function followRedirect(hop: Hop, status: number, location: string): NextHop | DialRefusal {
  if (!isUrl(location, hop.url.href)) {
    const message = `${hop.url.host} redirects to something that is not a URL`;
    return refused("invalid-redirect", hop.url.href, message);
  }
  const url = new URL(location, hop.url);
  url.hash = "";
  const isDropped = becomesGet(hop.method, status);
  const method = isDropped ? "GET" : hop.method;
  const body = isDropped ? undefined : hop.body;
  if (hop.url.protocol === "https:" && url.protocol === "http:" && method !== "GET" && method !== "HEAD") {
    const message = `${hop.url.host} redirects a ${method} from https to http; it is not sent in the clear`;
    return refused("insecure-redirect", hop.url.href, message);
  }
  const isSameOrigin = url.origin === hop.url.origin;
  const headers = Object.fromEntries(
    Object.entries(hop.headers).filter(([name]) => {
      if (name.startsWith("content-")) return body !== undefined;
      return isSameOrigin || CARRIED_HEADERS.has(name);
    }),
  );
  return { kind: "next", hop: { url, method, headers, body } };
}

/** What another origin may see of a request. A list of what stays, since nobody can list every key's header. */
const CARRIED_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "pragma",
  "user-agent",
]);

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}
