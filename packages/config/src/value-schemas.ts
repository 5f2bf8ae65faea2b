import { isUrl } from "@quarry/base";
import { isIP, isIPv4 } from "node:net";
import { z } from "zod";

/** A TCP port; 0 lets the system pick a free one. */
export const portSchema = z.int().min(0).max(65_535);

/** An address or a host name to listen on, without scheme or port. */
export const hostSchema = z.string().refine((text) => isIP(text) !== 0 || isHostName(text));

/** A key as it travels in a header: visible ASCII, no spaces. */
export const secretSchema = z.string().regex(/^[\x21-\x7e]{1,512}$/);

/** An absolute http or https address, its trailing slashes dropped. */
export const httpUrlSchema = z
  .string()
  .refine((text) => ["http:", "https:"].includes(schemeOf(text)))
  .transform((text) => text.replace(/(?<!\/)\/+$/, ""));

/** An absolute http or https address that others are shown: no credentials, query or fragment. */
export const publicUrlSchema = httpUrlSchema.refine((text) => {
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
});

/** A PostgreSQL connection address. */
export const postgresUrlSchema = z.string().refine((text) => ["postgres:", "postgresql:"].includes(schemeOf(text)));

const PLACE_SCHEMES: readonly string[] = ["s3:", "gs:", "az:", "db:", "http:", "https:"];

/** Where bulk data lies: a directory, object storage, or a cluster. */
export const placeSchema = z.string().refine((text) => !hasScheme(text) || PLACE_SCHEMES.includes(schemeOf(text)));

/** Whether a place is a directory of this machine rather than an address. */
export function isDirectoryPlace(place: string): boolean {
  return !hasScheme(place);
}

/** One host name, address or CIDR range; the fetcher may reach it although it is private. */
export const privateHostSchema = z
  .string()
  .transform((text) => text.toLowerCase().replace(/^\[(.*)\]$/, "$1"))
  .refine((text) => isIP(text) !== 0 || isCidr(text) || isHostName(text));

/** One origin that browsers may call from: scheme, host and port, nothing after; `*` for any. */
export const originSchema = z
  .string()
  .transform((text) => text.replace(/\/$/, ""))
  .refine((text) => text === "*" || (["http:", "https:"].includes(schemeOf(text)) && new URL(text).origin === text));

/** Whether a server that listens on `host` can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function schemeOf(text: string): string {
  return hasScheme(text) && isUrl(text) ? new URL(text).protocol : "";
}

function isCidr(text: string): boolean {
  const match = /^(.+)\/(\d{1,3})$/.exec(text);
  if (match === null) return false;
  const [, address = "", bits = ""] = match;
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, "").split(".");
  // A last label of digits alone is a mistyped IPv4 address, never a name (RFC 1123).
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}
