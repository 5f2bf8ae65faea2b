import { isIP } from "node:net";
import { AppError, isUrl } from "@quarry/base";

/** Where this server may be addressed, and from which pages. */
export interface OriginPolicy {
  /** Host names or addresses, without port, beside the loopback names. */
  readonly allowedHosts: readonly string[];
  /** Under which address others reach the server, when that differs. */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may call; "*" for any. */
  readonly corsOrigins: readonly string[];
}

/** What the guard looks at. */
export interface OriginFacts {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The address the connection came in at. */
  readonly localAddress: string | undefined;
}

/** Where a request comes from: no page, a page of ours, or a page of an allowed other origin. */
export type OriginKind = "none" | "same" | "cross";

/**
 * Refuses DNS rebinding and foreign pages: the Host must be one of ours, and the
 * Origin, when there is one, ours or an allowed one. Throws `forbidden`.
 */
export function createOriginGuard(policy: OriginPolicy): (facts: OriginFacts) => OriginKind {
  const publicUrl = policy.publicUrl === undefined ? undefined : new URL(policy.publicUrl);
  const hosts = new Set(policy.allowedHosts.map(normalizeHost));
  if (publicUrl !== undefined) hosts.add(normalizeHost(publicUrl.hostname));

  return ({ host, origin, localAddress }) => {
    const parsedHost = parseHost(host);
    if (parsedHost === undefined) {
      throw new AppError("invalid_request", "the Host header is missing or malformed; send the server's own host name");
    }
    const isOurs =
      isLoopbackName(parsedHost.name) ||
      hosts.has(parsedHost.name) ||
      (isIP(parsedHost.name) !== 0 && localAddress !== undefined && normalizeAddress(localAddress) === parsedHost.name);
    if (!isOurs) {
      throw new AppError(
        "forbidden",
        `this server does not answer to the host name ${JSON.stringify(parsedHost.name)}; use its address, or set QUARRY_PUBLIC_URL to the name it is reached by`,
        { details: { tag: "HOST_NOT_ALLOWED" } },
      );
    }
    if (origin === undefined) return "none";
    if (isSameOrigin(origin, parsedHost) || origin === publicUrl?.origin) return "same";
    if (policy.corsOrigins.includes("*") || policy.corsOrigins.includes(origin)) return "cross";
    throw new AppError(
      "forbidden",
      `pages of ${JSON.stringify(origin.slice(0, 200))} may not call this server; name the origin in QUARRY_CORS_ORIGINS to allow it`,
      { details: { tag: "ORIGIN_NOT_ALLOWED" } },
    );
  };
}

/** Names that only this machine gives itself: localhost, names below it, 127.0.0.0/8 and ::1. */
function isLoopbackName(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

interface ParsedHost {
  readonly name: string;
  readonly port: string;
}

/** Only what a Host header may hold; anything a URL parser would repair is refused. */
function parseHost(host: string | undefined): ParsedHost | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(host ?? "");
  if (match === null) return undefined;
  const [, ipv6, name = ipv6 ?? "", port = ""] = match;
  return { name: normalizeHost(name), port };
}

/** Origins carry a scheme that a server behind a proxy cannot know of itself, so host and port decide. */
function isSameOrigin(origin: string, host: ParsedHost): boolean {
  if (!isUrl(origin)) return false;
  const url = new URL(origin);
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  const defaultPort = url.protocol === "https:" ? "443" : "80";
  return normalizeHost(url.hostname) === host.name && (url.port || defaultPort) === (host.port || defaultPort);
}

function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

/** An IPv4 address that came in on a dual-stack socket is written ::ffff:a.b.c.d there. */
function normalizeAddress(address: string): string {
  return address
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, "")
    .replace(/%.*$/s, "");
}
