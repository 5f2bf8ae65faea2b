import { isUrl } from "@quarry/base";
import { isIP } from "node:net";
import { failed, refused, type DialFailure, type DialRefusal } from "../outcome.ts";
import type { AllowList } from "./allow-list.ts";
import { isBlockedPort } from "./blocked-port.ts";
import { canonicalAddress, specialRangeOf, type SpecialRange } from "./special-address.ts";
import { specialNameOf } from "./special-name.ts";

/** A URL that may be resolved; whether it may be dialled its addresses decide. */
export interface Target {
  readonly kind: "target";
  readonly url: URL;
  /** The host without brackets and final dot: what is resolved, and what a certificate must name. */
  readonly host: string;
  readonly port: number;
}

/** Addresses that were all found good, in the resolver's order. */
export interface Cleared {
  readonly kind: "cleared";
  readonly addresses: readonly string[];
}

/** The two questions of the guard. No connection is made without a yes to both. */
export interface Guard {
  readonly judgeUrl: (url: string) => Target | DialRefusal;
  readonly judgeAddresses: (target: Target, addresses: readonly string[]) => Cleared | DialRefusal | DialFailure;
}

/** Longer ones are refused: no page needs them, and every log line would carry them. */
const MAX_URL_CHARACTERS = 16_384;

/**
 * The guard of every dialer: http and https only, no credentials in the URL,
 * none of the barred ports, and nothing but global unicast addresses, save for
 * what the operator opened.
 */
export function createGuard(allow: AllowList): Guard {
  return {
    judgeUrl: (url) => judgeUrl(allow, url),
    judgeAddresses: (target, addresses) => judgeAddresses(allow, target, addresses),
  };
}

/** Reads a URL as every browser would; refuses what is no http(s) URL with a host. Shared with tests of an open guard. */
export function parseTarget(text: string): Target | DialRefusal {
  const shown = shorten(text);
  if (text.length > MAX_URL_CHARACTERS) {
    return refused("invalid-url", shown, `the URL is longer than ${MAX_URL_CHARACTERS} characters`);
  }
  if (!isUrl(text)) {
    return refused("invalid-url", shown, `${shown} is not a URL; write it whole, as https://host/path`);
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refused("scheme", shown, `${url.protocol} URLs are not fetched; only http: and https: are`);
  }
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  if (host === "" || host.split(".").includes("")) {
    return refused("invalid-url", shown, `${shown} has an empty label in its host name`);
  }
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { kind: "target", url, host, port };
}

function judgeUrl(allow: AllowList, text: string): Target | DialRefusal {
  const target = parseTarget(text);
  if (target.kind === "refused") return target;
  const { url, host, port } = target;
  if (url.username !== "" || url.password !== "") {
    return refused("credentials", originOf(url), "URLs with a user name or password are not fetched; remove them");
  }
  if (isBlockedPort(port) && !allow.opensPort(host, port)) {
    return refused("blocked-port", url.href, `port ${port} is not one for web pages and is never dialled`);
  }
  if (isIP(host) !== 0) {
    const verdict = judgeAddresses(allow, target, [host]);
    return verdict.kind === "refused" ? verdict : target;
  }
  const why = specialNameOf(host);
  if (why !== undefined && !allow.opensHost(host, port) && !allow.opensBlocks) {
    return refused("private-host", url.href, `${host} is not a public host: ${why}. ${HOW_TO_OPEN}`);
  }
  return target;
}

function judgeAddresses(
  allow: AllowList,
  target: Target,
  addresses: readonly string[],
): Cleared | DialRefusal | DialFailure {
  const { url, host, port } = target;
  if (addresses.length === 0) return failed("dns", url.href, `${host} has no address`, { retryable: false });
  const isOpenHost = isIP(host) === 0 && allow.opensHost(host, port);
  const isLocalName = isIP(host) === 0 && specialNameOf(host) !== undefined;
  for (const address of addresses) {
    const range = specialRangeOf(address);
    if (range === undefined && (!isLocalName || isOpenHost)) continue;
    if (range !== undefined && isOpenHost && OPENED_BY_NAME.has(range)) continue;
    if (allow.opensAddress(address, port)) continue;
    const what = range === undefined ? "is reached by a local name" : `is ${range}, not a public address`;
    const message = `${host} ${isIP(host) === 0 ? `leads to ${address}, which ` : ""}${what}. ${HOW_TO_OPEN}`;
    return refused("private-address", url.href, message);
  }
  return { kind: "cleared", addresses: addresses.map(canonicalAddress) };
}

/** What the name of a host opens. Metadata services, multicast and the like need their address in the list. */
const OPENED_BY_NAME: ReadonlySet<SpecialRange> = new Set<SpecialRange>([
  "private",
  "loopback",
  "link-local",
  "shared",
  "unique-local",
  "site-local",
]);

const HOW_TO_OPEN = "An operator can open it in QUARRY_ALLOW_PRIVATE_HOSTS.";

/** Credentials must not come back in a message or a log. */
function originOf(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

function shorten(text: string): string {
  const withoutUser = text.replace(/^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*)(?!\s)[^/\\?#]*@/i, "$1");
  return withoutUser.length > 200 ? `${withoutUser.slice(0, 200)}…` : withoutUser;
}
