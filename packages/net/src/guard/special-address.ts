import ipaddr from "ipaddr.js";
import { isIP } from "node:net";

/** What an address is for when it is not a plain place on the public internet. */
export type SpecialRange =
  | "metadata"
  | "unspecified"
  | "private"
  | "loopback"
  | "link-local"
  | "shared"
  | "unique-local"
  | "site-local"
  | "multicast"
  | "broadcast"
  | "documentation"
  | "benchmarking"
  | "protocol-assignment"
  | "translated"
  | "reserved";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Names the special range an address lies in, or undefined for global unicast.
 * The text must be a strict address as a resolver gives it; one with a zone id
 * is link-local by meaning, and what is no address at all is "reserved".
 */
export function specialRangeOf(text: string): SpecialRange | undefined {
  if (isIP(text) === 0) return "reserved";
  if (text.includes("%")) return "link-local";
  const address = ipaddr.parse(text);
  const ranges = address.kind() === "ipv4" ? IPV4_RANGES : IPV6_RANGES;
  for (const range of ranges) {
    if (address.match(range.base, range.bits)) return range.name;
  }
  if (address instanceof ipaddr.IPv6) {
    if (!address.match(GLOBAL_UNICAST_IPV6.base, GLOBAL_UNICAST_IPV6.bits)) return "reserved";
    if (embedsIsatap(address)) return "translated";
  }
  // The library's own table is the second opinion: what it learns to call special later is special.
  return address.range() === "unicast" ? undefined : "reserved";
}

/** The canonical spelling of a strict address, so that what was checked is what is dialled. */
export function canonicalAddress(text: string): string {
  return ipaddr.parse(text).toString();
}

/** One block of addresses, from a strict address or a CIDR. */
export interface AddressBlock {
  readonly base: Address;
  readonly bits: number;
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single strict address; undefined for anything else. */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || address.includes("%") || rest.length > 0) return undefined;
  const widest = family === 4 ? 32 : 128;
  if (bits === undefined) return { base: ipaddr.parse(address), bits: widest };
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > widest) return undefined;
  return { base: ipaddr.parse(address), bits: Number(bits) };
}

/** Whether a strict address lies in the block; addresses of the other family never do. */
export function isInBlock(text: string, block: AddressBlock): boolean {
  if (isIP(text) === 0 || text.includes("%")) return false;
  const address = ipaddr.parse(text);
  return address.kind() === block.base.kind() && address.match(block.base, block.bits);
}

interface NamedBlock extends AddressBlock {
  readonly name: SpecialRange;
}

/** IANA's IPv4 special-purpose registry, and the places where clouds keep their credentials. First match names it. */
const IPV4_RANGES = toBlocks({
  "169.254.169.254/32": "metadata", // AWS, Azure, Google, DigitalOcean, OpenStack and others
  "169.254.170.2/32": "metadata", // AWS ECS task credentials
  "169.254.170.23/32": "metadata", // AWS EKS pod identity
  "169.254.42.42/32": "metadata", // Scaleway
  "169.254.0.23/32": "metadata", // Tencent
  "100.100.100.200/32": "metadata", // Alibaba
  "192.0.0.192/32": "metadata", // Oracle
  "168.63.129.16/32": "metadata", // Azure's wire server: looks public, is not
  "0.0.0.0/8": "unspecified",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "shared",
  "127.0.0.0/8": "loopback",
  "169.254.0.0/16": "link-local",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "protocol-assignment",
  "192.0.2.0/24": "documentation",
  "192.31.196.0/24": "protocol-assignment", // AS112
  "192.52.193.0/24": "protocol-assignment", // AMT
  "192.88.99.0/24": "translated", // 6to4 relay
  "192.168.0.0/16": "private",
  "192.175.48.0/24": "protocol-assignment", // AS112
  "198.18.0.0/15": "benchmarking",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "255.255.255.255/32": "broadcast",
  "240.0.0.0/4": "reserved",
});

/** IANA's IPv6 special-purpose registry; every form that can carry an IPv4 address is refused whole. */
const IPV6_RANGES = toBlocks({
  "fd00:ec2::254/128": "metadata", // AWS
  "fd00:ec2::23/128": "metadata", // AWS EKS pod identity
  "fd20:ce::254/128": "metadata", // Google
  "fd00:42::42/128": "metadata", // Scaleway
  "fd00:c1::a9fe:a9fe/128": "metadata", // Oracle
  "::/128": "unspecified",
  "::1/128": "loopback",
  "::ffff:0:0/96": "translated", // IPv4-mapped
  "::ffff:0:0:0/96": "translated", // SIIT
  "::/96": "translated", // IPv4-compatible
  "64:ff9b::/96": "translated", // NAT64
  "64:ff9b:1::/48": "translated", // NAT64, local use
  "100::/64": "reserved", // discard
  "100:0:0:1::/64": "reserved", // dummy prefix
  "2001::/32": "translated", // Teredo
  "2001:2::/48": "benchmarking",
  "2001::/23": "protocol-assignment", // ORCHID, ORCHIDv2, AMT, AS112 and the rest
  "2001:db8::/32": "documentation",
  "2002::/16": "translated", // 6to4
  "2620:4f:8000::/48": "protocol-assignment", // AS112
  "3fff::/20": "documentation",
  "5f00::/16": "reserved", // segment routing
  "fc00::/7": "unique-local",
  "fe80::/10": "link-local",
  "fec0::/10": "site-local",
  "ff00::/8": "multicast",
});

const GLOBAL_UNICAST_IPV6: AddressBlock = { base: ipaddr.IPv6.parse("2000::"), bits: 3 };

/** ISATAP (RFC 5214) hides an IPv4 address in the last half of an otherwise global one. */
function embedsIsatap(address: ipaddr.IPv6): boolean {
  return (address.parts[4] === 0 || address.parts[4] === 0x200) && address.parts[5] === 0x5efe;
}

function toBlocks(table: Readonly<Record<string, SpecialRange>>): readonly NamedBlock[] {
  return Object.entries(table).map(([cidr, name]) => {
    const [base, bits] = ipaddr.parseCIDR(cidr);
    return { base, bits, name };
  });
}
