import type { OriginKind } from "./guard-origin.ts";

/** Sent with every reply. An API reply needs no page rights at all; pages replace the policy with their own. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "cache-control": "no-store",
};

/** The policy of our own pages: everything from this server, no inline script. */
export const PAGE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/** Headers that browser clients of Exa send. */
const CORS_REQUEST_HEADERS = [
  "authorization",
  "content-type",
  "exa-beta",
  "idempotency-key",
  "last-event-id",
  "x-api-key",
  "x-exa-integration",
  "x-exa-websets-priority",
].join(", ");

const CORS_EXPOSED_HEADERS = [
  "idempotent-replayed",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
  "x-request-id",
].join(", ");

/**
 * What lets an allowed foreign page read the reply. Never with credentials: a
 * browser session belongs to our own pages.
 */
export function corsHeaders(kind: OriginKind, origin: string | undefined): Readonly<Record<string, string>> {
  if (kind !== "cross" || origin === undefined) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": CORS_EXPOSED_HEADERS,
    "cross-origin-resource-policy": "cross-origin",
    vary: "Origin",
  };
}

/** The answer to a browser's question before a cross-origin request. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": CORS_REQUEST_HEADERS,
  "access-control-max-age": "600",
};
