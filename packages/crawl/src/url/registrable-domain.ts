import { isUrl } from "@quarry/base";
import { getDomain } from "tldts";

/**
 * The part of a host name that someone registered: `bbc.co.uk` for `news.bbc.co.uk`, `me.github.io` for
 * `me.github.io`, as the Public Suffix List has it (private suffixes count: their tenants are strangers to each
 * other). Undefined for an IP address, a single label or a bare suffix.
 */
export function registrableDomain(hostname: string): string | undefined {
  if (hostname.startsWith(".")) return undefined; // tldts would overlook the empty label
  return getDomain(hostname, { allowPrivateDomains: true }) ?? undefined;
}

/** Whether two URLs belong to one owner: the same registrable domain or, where there is none, the same host. */
export function isSameSite(left: string, right: string): boolean {
  if (!isUrl(left) || !isUrl(right)) return false;
  return siteOf(new URL(left).hostname) === siteOf(new URL(right).hostname);
}

/** The registrable domain, or the host itself where there is none (an IP address, `localhost`). */
export function siteOf(hostname: string): string {
  return registrableDomain(hostname) ?? hostname;
}
