/**
 * Why a host name is never a public one, or undefined when it may be. The name
 * comes as a URL parser leaves it: lower case, in ASCII, perhaps with a final dot.
 */
export function specialNameOf(host: string): string | undefined {
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  if (METADATA_NAMES.has(name)) return "it names a cloud's metadata service";
  if (!name.includes(".")) return "it has no dot, so only a local network can know it";
  const suffix = LOCAL_SUFFIXES.find((local) => name === local || name.endsWith(`.${local}`));
  return suffix === undefined ? undefined : `names under .${suffix} are for local networks`;
}

/** RFC 6761, 6762, 7686, 8375, ICANN's .internal, and what routers and companies use without asking. */
const LOCAL_SUFFIXES: readonly string[] = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "onion",
];

/** Metadata services under names that look public; those under .internal and without a dot need no line. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata.goog",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
]);
