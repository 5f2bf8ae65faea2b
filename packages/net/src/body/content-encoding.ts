/** A coding we can undo. */
export type Coding = "gzip" | "deflate" | "br" | "zstd";

/** What we ask servers for. */
export const ACCEPT_ENCODING = "gzip, br, zstd, deflate";

/** A body wrapped more often than this is an attack. */
const MAX_CODINGS = 2;

/**
 * The codings of a Content-Encoding header in the order to undo them; undefined
 * when one is unknown or there are too many. Charsets and other words that
 * servers put there by mistake change nothing and are passed over.
 */
export function parseContentEncoding(header: string | undefined): readonly Coding[] | undefined {
  const names = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => !MEANINGLESS.has(name));
  const codings: Coding[] = [];
  for (const name of names.reverse()) {
    const coding = CODINGS.get(name);
    if (coding === undefined) return undefined;
    codings.push(coding);
  }
  return codings.length > MAX_CODINGS ? undefined : codings;
}

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "br"],
  ["zstd", "zstd"],
]);

const MEANINGLESS: ReadonlySet<string> = new Set([
  "",
  "identity",
  "none",
  "binary",
  "7bit",
  "8bit",
  "utf-8",
  "utf8",
  "iso-8859-1",
]);
