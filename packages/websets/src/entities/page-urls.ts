import { isUrl } from "@quarry/base";

/** An address as identities compare it: no fragment, no tracking, no trailing slash, no "www."; lower case host. */
export function canonicalAddress(url: string): string {
  const parsed = isUrl(url) ? new URL(url) : undefined;
  if (parsed === undefined) return url;
  for (const name of [...parsed.searchParams.keys()]) {
    if (/^(?:utm_\w+|fbclid|gclid|mc_[ce]id|ref|source)$/i.test(name)) parsed.searchParams.delete(name);
  }
  const query = parsed.search;
  const path = parsed.pathname.replace(/\/(?:index\.\w+)?$/, "");
  return `${parsed.hostname.replace(/^www\./, "")}${path}${query}`.toLowerCase();
}

/** The home page of the site an address is on. */
export function homePage(url: string): string {
  return isUrl(url) ? `${new URL(url).origin}/` : url;
}

/** An absolute http(s) address from what a page wrote; null for anything else. */
export function absoluteUrl(written: string | null | undefined, base: string): string | null {
  if (written === null || written === undefined || written.trim() === "" || !isUrl(written.trim(), base)) return null;
  const url = new URL(written.trim(), base);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
}
