import { isUrl } from "@quarry/base";
import { parse } from "tldts";
import type { FoundValue } from "./found-value.ts";

const URLS =
  /(?<![\p{L}\p{N}@./_-])(?:(?:https?|ftp):\/\/[^\s<>"“”'’`\\^{}|\u3000-\u303f\uff00-\uffef]+|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?::\d{2,5})?(?:[/?#][^\s<>"“”'’`\\^{}|]*)?)/giu;
const MAX_URLS = 500;

/** The web addresses of a text as they stand there: with their scheme, or hosts that can only be meant as one. */
export function readUrls(text: string): readonly FoundValue[] {
  const found: FoundValue[] = [];
  for (const match of text.matchAll(URLS)) {
    if (found.length >= MAX_URLS) break;
    const written = trimEnd(match[0]);
    const after = text.charAt(match.index + written.length);
    if (!isAddress(written) || after === "@") continue;
    found.push({ value: written, start: match.index, end: match.index + written.length });
  }
  return found;
}

/** An address as cells show it: absolute, https where none is given. */
export function toAbsolute(written: string): string | undefined {
  const whole = /^[a-z]+:\/\//i.test(written) ? written : `https://${written}`;
  return isUrl(whole) ? new URL(whole).href : undefined;
}

/** Signs that end a sentence, not an address; a bracket belongs to it only when it was opened there. */
function trimEnd(written: string): string {
  let url = written;
  for (;;) {
    const last = url.at(-1) ?? "";
    const isOpened = (open: string): boolean => url.split(open).length >= url.split(last).length;
    if (/[.,;:!?'"*…]/.test(last) || (last === ")" && !isOpened("(")) || (last === "]" && !isOpened("[")))
      url = url.slice(0, -1);
    else return url;
  }
}

function isAddress(written: string): boolean {
  const hasScheme = /^(?:https?|ftp):\/\//i.test(written);
  const whole = hasScheme ? written : `https://${written}`;
  if (!isUrl(whole)) return false;
  const { hostname } = new URL(whole);
  if (hostname === "localhost") return true;
  const { isIp, isIcann, isPrivate, domain } = parse(hostname);
  if (isIp === true) return hasScheme;
  if (domain === null || /[^a-z0-9.-]/i.test(decodeHost(hostname))) return false;
  // "e.g" and "report.pdf" are no hosts; a scheme or "www." says that one is meant
  return hasScheme || isIcann === true || isPrivate === true;
}

function decodeHost(host: string): string {
  return host.replace(/^xn--/, "");
}
