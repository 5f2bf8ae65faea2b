/**
 * Whether a query parameter only carries a visitor's session, so that two URLs which differ in it are one page.
 * `sid` and its like are common words: they count only with a value that no person chose.
 */
export function isSessionParameter(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (
    /^(?:jsessionid|phpsessid|cfid|cftoken|cfclient_\w+|aspsessionid[a-z]{8}|asp\.net_sessionid|sessid|session_id|sessionid|zenid|oscsid|xtc?sid)$/.test(
      lower,
    )
  ) {
    return value !== "";
  }
  return /^(?:sid|s|sess|session)$/.test(lower) && /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value);
}

/** `path` without `;jsessionid=…` and its like, and without ASP.NET's `/(S(…))/` segment. */
export function withoutSessionPath(path: string): string {
  return path
    .replace(/;(?:jsessionid|phpsessid|sid|sessionid)=[^/;?]*/gi, "")
    .replace(/\/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=\/)/gi, "")
    .replace(/\/\([0-9a-z]{24}\)(?=\/)/gi, "");
}
