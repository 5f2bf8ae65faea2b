import { withoutSessionPath } from "./session-id.ts";
import { canonicalQuery } from "./canonical-query.ts";
import { normalizeEscapes } from "./percent-encoding.ts";

/** Longest canonical URL we keep: the sitemap protocol's own limit, and what fits an index row of PostgreSQL. */
export const MAX_URL_LENGTH = 2048;

/** Input longer than this is not even parsed. */
const MAX_INPUT_LENGTH = 16_384;

/** A URL in its one spelling, or why there is none. */
export type CanonicalUrl =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "refused"; readonly reason: "not-a-url" | "scheme" | "too-long" };

/**
 * The one spelling under which a page is known, asked for and stored. Never throws, and giving it its own answer
 * gives the same answer.
 *
 * On top of the WHATWG parser (case, default port, dot segments, IDN): credentials, the fragment (`#!` too: what it
 * selects is drawn by a script, from the same bytes), tracking parameters and session ids are dropped; escapes are
 * unescaped where RFC 3986 calls both spellings one, upper-cased elsewhere; repeated slashes become one, but for the
 * `://` of a URL inside a path; the query is sorted by name, values of one name keeping their order. Kept apart, as
 * servers do tell them apart: http and https, www, a trailing slash, `index.html`.
 *
 * Without a `base`, `example.com/page` is read as someone typed it: over http.
 */
export function canonicalizeUrl(input: string, base?: string): CanonicalUrl {
  if (input.length > MAX_INPUT_LENGTH) return { kind: "refused", reason: "too-long" };
  const url = parse(input, base);
  if (url?.protocol === "http:" || url?.protocol === "https:") return finish(url);
  const typed = base === undefined && LOOKS_TYPED.test(input) ? parse(`http://${input.trim()}`, undefined) : undefined;
  if (typed !== undefined) return finish(typed);
  return { kind: "refused", reason: url === undefined ? "not-a-url" : "scheme" };
}

/** The canonical URL alone; undefined where `canonicalizeUrl` refuses. */
export function canonicalUrl(input: string, base?: string): string | undefined {
  const reading = canonicalizeUrl(input, base);
  return reading.kind === "url" ? reading.url : undefined;
}

/** A name with a dot, or localhost, with a port or not: `localhost:3000/x` would else be the scheme `localhost:`. */
const LOOKS_TYPED = /^\s*(?:localhost|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+)\.?(?::\d{1,5})?(?:[/?#]|\s*$)/iu;

function parse(input: string, base: string | undefined): URL | undefined {
  try {
    return new URL(input, base); // URL.canParse says yes to some hosts that the constructor then refuses
  } catch {
    return undefined; // not a URL: the caller says so in its answer
  }
}

function finish(url: URL): CanonicalUrl {
  const host = url.hostname.replace(/(?<!\.)\.+$/, "");
  if (host === "") return { kind: "refused", reason: "not-a-url" };
  const port = url.port === "" ? "" : `:${url.port}`;
  const query = canonicalQuery(url.search);
  const text = `${url.protocol}//${host}${port}${canonicalPath(url.pathname)}${query === "" ? "" : `?${query}`}`;
  if (text.length > MAX_URL_LENGTH) return { kind: "refused", reason: "too-long" };
  return { kind: "url", url: text };
}

function canonicalPath(path: string): string {
  const kept = withoutSessionPath(normalizeEscapes(path, "path"));
  const single = kept.replace(/(:?)\/{2,}/g, (_run, colon: string) => (colon === "" ? "/" : "://"));
  // A dropped session id may leave `.` or `..` as a segment of its own.
  const url = new URL("http://host/");
  url.pathname = single;
  return url.pathname;
}
