/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The text of a `jsonb` parameter. PostgreSQL cannot hold U+0000 or half of a
 * surrogate pair, which text from outside may contain: each becomes U+FFFD.
 */
export function toJsonb(value: Json): string {
  // JSON.stringify escapes just these; an escaped backslash is matched first so that it is never taken for their start.
  return JSON.stringify(value).replace(/\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g, (match) =>
    match === "\\\\" ? match : "\\ufffd",
  );
}
