import { AppError, isUrl } from "@quarry/base";
import { isInBlock, parseAddressBlock, type AddressBlock } from "./special-address.ts";

/** What the operator opened although it is private. */
export interface AllowList {
  /** Whether any block of addresses is open, so that resolving a local name can be of use. */
  readonly opensBlocks: boolean;
  readonly opensHost: (host: string, port: number) => boolean;
  readonly opensAddress: (address: string, port: number) => boolean;
  /** Whether an entry names this very port, which then counts as wanted even if it is a barred one. */
  readonly opensPort: (host: string, port: number) => boolean;
}

/**
 * Reads the operator's list: `host`, `host:port`, an address, `address:port`
 * (IPv6 in brackets) or a CIDR. A host entry opens that exact name on private,
 * loopback and link-local addresses; an address or a CIDR opens what it covers,
 * by whatever name it is reached. Throws `invalid_request` naming a bad entry.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const parsed = entries.map(parseEntry);
  const blocks = parsed.filter((entry) => entry.kind === "block");
  const hosts = parsed.filter((entry) => entry.kind === "host");
  const opensHost = (host: string, port: number): boolean =>
    hosts.some((entry) => entry.host === withoutFinalDot(host) && isFor(entry, port));
  const opensAddress = (address: string, port: number): boolean =>
    blocks.some((entry) => isInBlock(address, entry.block) && isFor(entry, port));
  const named = (entry: Entry): boolean => entry.port !== undefined;
  return {
    opensBlocks: blocks.length > 0,
    opensHost,
    opensAddress,
    opensPort: (host, port) =>
      hosts.some((entry) => named(entry) && entry.host === withoutFinalDot(host) && entry.port === port) ||
      blocks.some((entry) => named(entry) && isInBlock(withoutBrackets(host), entry.block) && entry.port === port),
  };
}

type Entry =
  | { readonly kind: "host"; readonly host: string; readonly port: number | undefined }
  | { readonly kind: "block"; readonly block: AddressBlock; readonly port: number | undefined };

function parseEntry(text: string): Entry {
  const entry = text.trim();
  const bare = parseAddressBlock(withoutBrackets(entry));
  if (bare !== undefined) return { kind: "block", block: bare, port: undefined };
  if (!/^[^/?#@\\\s*]+$/.test(entry) || !isUrl(`http://${entry}`)) throw badEntry(text);
  const url = new URL(`http://${entry}`);
  const port = /:\d+$/.test(entry) ? Number(url.port === "" ? 80 : url.port) : undefined;
  const block = parseAddressBlock(withoutBrackets(url.hostname));
  if (block !== undefined) return { kind: "block", block, port };
  return { kind: "host", host: withoutFinalDot(url.hostname), port };
}

function badEntry(text: string): AppError {
  const expected = "a host, host:port, an address or a CIDR such as 10.0.0.0/8";
  return new AppError("invalid_request", `allowed private hosts: "${text}" is not ${expected}`, {
    details: { field: "allowPrivateHosts", value: text, expected },
  });
}

function isFor(entry: Entry, port: number): boolean {
  return entry.port === undefined || entry.port === port;
}

function withoutFinalDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

function withoutBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
