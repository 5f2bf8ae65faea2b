/** Characters that may stand bare in a path (RFC 3986 pchar and `/`), `%` aside. */
const BARE_IN_PATH = /[A-Za-z0-9\-._~!$&'()*+,;=:@/]/;
/** A query may hold `?` as well. */
const BARE_IN_QUERY = /[A-Za-z0-9\-._~!$&'()*+,;=:@/?]/;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * One spelling for what RFC 3986 calls one path or query: escapes of unreserved characters are undone, the rest are
 * written in upper case, a `%` that begins no escape becomes `%25`, and characters that may not stand bare are escaped.
 */
export function normalizeEscapes(text: string, part: "path" | "query"): string {
  const bare = part === "path" ? BARE_IN_PATH : BARE_IN_QUERY;
  return text.replace(/%[0-9A-Fa-f]{2}|[\s\S]/gu, (token) => {
    if (token.length === 3 && token.startsWith("%")) {
      const character = String.fromCharCode(Number.parseInt(token.slice(1), 16));
      return UNRESERVED.test(character) ? character : token.toUpperCase();
    }
    return bare.test(token) ? token : escapeCharacter(token);
  });
}

/** The UTF-8 octets of `text`, each as `%XX`; a lone surrogate counts as U+FFFD. */
export function escapeCharacter(text: string): string {
  let escaped = "";
  for (const octet of Buffer.from(text, "utf8")) escaped += `%${octet.toString(16).toUpperCase().padStart(2, "0")}`;
  return escaped;
}
