/**
 * The request target as the router should see it: an absolute form loses its
 * scheme and host, runs of slashes in the path become one (a base URL with a slash
 * at its end gives `//search`), and a bare `?` at the end goes. The slashes of an
 * unencoded URL inside the path (`https://…` as an external id) stay.
 */
export function rewriteUrl(target: string): string {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
  const queryAt = local.indexOf("?");
  const path = queryAt === -1 ? local : local.slice(0, queryAt);
  const query = queryAt === -1 ? "" : local.slice(queryAt);
  const clean = path.includes("//") ? path.replace(/(^|[^:/])\/{2,}/g, "$1/") : path;
  return encodeWebset(clean.startsWith("/") ? clean : `/${clean}`) + (query === "?" ? "" : query);
}

const WEBSET_PATH = /^((?:\/websets)?\/v0\/websets\/|\/quarry\/v1\/websets\/)(.+)$/;
/** What may follow a webset in a path; ids have the form of ours, so that an external id may hold such words. */
const BELOW_WEBSET =
  /^(.+?)(\/(?:cancel|pause|resume|explain|items|searches|enrichments|exports)|\/(?:items|searches|enrichments|exports)\/[a-z]+_[0-9a-z]{26}(?:\/.*)?)?$/s;
/** Paths that the router takes as they are: one part for the webset. */
const PLAIN_WEBSET_PATH = /^[^/]+(?:\/[a-z]+(?:\/[^/]+(?:\/[a-z]+(?:\/[^/]+(?:\/[a-z]+)?)?)?)?)?$/;

/** An external id with slashes, as exa-js sends it unencoded, becomes one part of the path. */
function encodeWebset(path: string): string {
  const [, base, rest] = WEBSET_PATH.exec(path) ?? [];
  if (base === undefined || rest === undefined || !rest.includes("/")) return path;
  const [first = "", second] = rest.split("/");
  const isPlain = PLAIN_WEBSET_PATH.test(rest) && (second === undefined || KNOWN_PARTS.has(second));
  if (isPlain && first !== "") return path;
  const [, webset = rest, below = ""] = BELOW_WEBSET.exec(rest) ?? [];
  return base + webset.replaceAll("/", "%2F") + below;
}

const KNOWN_PARTS: ReadonlySet<string> = new Set([
  "cancel",
  "pause",
  "resume",
  "explain",
  "items",
  "searches",
  "enrichments",
  "exports",
]);
