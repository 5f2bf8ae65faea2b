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
  return (clean.startsWith("/") ? clean : `/${clean}`) + (query === "?" ? "" : query);
}
