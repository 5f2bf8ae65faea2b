import { normalizeEscapes } from "../url/percent-encoding.ts";

/** What is read of a robots.txt; RFC 9309 asks for at least 500 KiB, and what lies beyond is ignored. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** Lines are cut here, as Google does: eight times the longest URL in use. */
const MAX_LINE_LENGTH = 2083 * 8;

/** One allow or disallow line. Both spellings of its pattern are kept; see `robots-match.ts` for why. */
export interface RobotsRule {
  readonly allow: boolean;
  /** As written, escapes upper-cased, octets beyond ASCII escaped. */
  readonly literal: string;
  /** Escapes undone where RFC 9309 calls both spellings one. */
  readonly unescaped: string;
}

/**
 * Everything the file says to one product token: groups of the same name are merged. Rules come in the blocks they
 * were written in, each shared by all names above it, so that many names times many rules cost no memory.
 */
export interface RobotsGroup {
  readonly blocks: readonly (readonly RobotsRule[])[];
  readonly crawlDelayMs?: number;
}

/** A robots.txt that was read. Tokens are lower case; `*` stands for everyone else. */
export interface RobotsTxt {
  readonly groups: ReadonlyMap<string, RobotsGroup>;
  /** In order, without repeats; relative ones as written. */
  readonly sitemaps: readonly string[];
}

/** A file that says nothing, and so allows all. */
export const EMPTY_ROBOTS_TXT: RobotsTxt = { groups: new Map(), sitemaps: [] };

interface OpenGroup {
  readonly blocks: RobotsRule[][];
  crawlDelayMs?: number;
}

/**
 * Reads a robots.txt as RFC 9309 has it, forgivingly: any line ends, a BOM, UTF-16, a missing colon, the misspellings
 * that are common. What is not understood is passed over and ends no group. Never throws.
 */
export function parseRobotsTxt(file: Uint8Array | string): RobotsTxt {
  const groups = new Map<string, OpenGroup>();
  const sitemaps = new Set<string>();
  let current = new Set<OpenGroup>(); // whom the next rule binds
  let named = new Set<OpenGroup>(); // whom the next delay binds: the names since the last one
  let block: RobotsRule[] | undefined;
  let groupHasDelay = false;

  for (const { key, value } of directivesOf(octetsOf(file))) {
    switch (key) {
      case "user-agent": {
        if (block !== undefined || groupHasDelay) named = new Set();
        if (block !== undefined) current = new Set();
        block = undefined;
        groupHasDelay = false;
        const token = tokenOf(value);
        if (token === undefined) break;
        const group = groups.get(token) ?? { blocks: [] };
        groups.set(token, group);
        current.add(group);
        named.add(group);
        break;
      }
      case "allow":
      case "disallow": {
        if (current.size === 0) break; // a rule before any user-agent line binds nobody
        if (block === undefined) {
          block = [];
          for (const group of current) group.blocks.push(block);
        }
        // An empty rule matches nothing, but it does end the list of names.
        if (value !== "") block.push(...rulesOf(key === "allow", value));
        break;
      }
      case "crawl-delay": {
        const delayMs = groupHasDelay ? undefined : crawlDelayOf(value); // the first counts
        groupHasDelay = true;
        if (delayMs === undefined) break;
        for (const group of named) group.crawlDelayMs = Math.max(group.crawlDelayMs ?? 0, delayMs);
        break;
      }
      case "sitemap": {
        if (value !== "") sitemaps.add(Buffer.from(value, "latin1").toString("utf8"));
        break;
      }
      case undefined:
        break;
    }
  }
  return { groups, sitemaps: [...sitemaps] };
}

/**
 * The file as a string of octets, one per character: rules are compared as octets, so that a file in some old
 * encoding still matches the URLs its author meant.
 */
function octetsOf(file: Uint8Array | string): string {
  const bytes =
    typeof file === "string" ? Buffer.from(file, "utf8") : Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const octets = withoutByteOrderMark(bytes.subarray(0, MAX_ROBOTS_BYTES)).toString("latin1");
  if (bytes.byteLength <= MAX_ROBOTS_BYTES) return octets;
  return octets.slice(0, Math.max(octets.lastIndexOf("\n"), octets.lastIndexOf("\r")) + 1); // no rule cut in half
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return Buffer.from(new TextDecoder("utf-16le").decode(bytes), "utf8");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(new TextDecoder("utf-16be").decode(bytes), "utf8");
  return bytes;
}

type DirectiveKey = "user-agent" | "allow" | "disallow" | "crawl-delay" | "sitemap";

interface Directive {
  readonly key: DirectiveKey | undefined;
  readonly value: string;
}

function* directivesOf(text: string): Generator<Directive> {
  for (const whole of text.split(/\r\n|\r|\n/)) {
    const line = whole.slice(0, MAX_LINE_LENGTH).split("#", 1)[0]?.trim() ?? "";
    if (line === "") continue;
    const colon = line.indexOf(":");
    if (colon !== -1) {
      yield { key: keyOf(line.slice(0, colon)), value: line.slice(colon + 1).trim() };
      continue;
    }
    const words = line.split(/[ \t]+/);
    if (words.length === 2) yield { key: keyOf(words[0] ?? ""), value: words[1] ?? "" };
  }
}

/** Misspellings found in the wild (Google's list and crawler-commons'); a slip of the pen still means no. */
const KEYS: ReadonlyMap<string, DirectiveKey> = new Map<string, DirectiveKey>([
  ["user-agent", "user-agent"],
  ["useragent", "user-agent"],
  ["user agent", "user-agent"],
  ["user_agent", "user-agent"],
  ["useg-agent", "user-agent"],
  ["ser-agent", "user-agent"],
  ["users-agent", "user-agent"],
  ["user-agents", "user-agent"],
  ["useer-agent", "user-agent"],
  ["user-agernt", "user-agent"],
  ["user-agnet", "user-agent"],
  ["disallow", "disallow"],
  ["dissallow", "disallow"],
  ["dissalow", "disallow"],
  ["disalow", "disallow"],
  ["diasllow", "disallow"],
  ["disallaw", "disallow"],
  ["desallow", "disallow"],
  ["diallow", "disallow"],
  ["disalllow", "disallow"],
  ["disaloow", "disallow"],
  ["dsallow", "disallow"],
  ["dsiallow", "disallow"],
  ["diisallow", "disallow"],
  ["allow", "allow"],
  ["crawl-delay", "crawl-delay"],
  ["crawldelay", "crawl-delay"],
  ["crawl delay", "crawl-delay"],
  ["crawl_delay", "crawl-delay"],
  ["sitemap", "sitemap"],
  ["site-map", "sitemap"],
  ["sitemaps", "sitemap"],
]);

function keyOf(written: string): DirectiveKey | undefined {
  return KEYS.get(written.trim().toLowerCase());
}

/** The product token of a user-agent line: what stands before the first character that none may hold. */
function tokenOf(value: string): string | undefined {
  if (/^\*(?:\s|$)/.test(value)) return "*";
  const token = /^[A-Za-z_-]+/.exec(value)?.[0];
  return token?.toLowerCase();
}

function rulesOf(allow: boolean, value: string): RobotsRule[] {
  const literal = value.replace(/%[0-9a-fA-F]{2}|[\x80-\xff]/g, (found) =>
    found.length === 3 ? found.toUpperCase() : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const rule = { allow, literal, unescaped: unescapePattern(literal) };
  // Google: what is allowed as `/dir/index.html` is allowed as `/dir/` as well.
  const directory = allow ? /^(.*\/)index\.htm[^/]*$/.exec(literal)?.[1] : undefined;
  if (directory === undefined) return [rule];
  return [rule, { allow, literal: `${directory}$`, unescaped: `${unescapePattern(directory)}$` }];
}

/** `*` and a last `$` are signs of the pattern and stay; an escaped one stays escaped, being reserved. */
function unescapePattern(pattern: string): string {
  return normalizeEscapes(pattern, "query");
}

/** Longer waits than this are read as this: a day between two pages is a refusal that nobody meant. */
const MAX_CRAWL_DELAY_MS = 10 * 60 * 1000;

function crawlDelayOf(value: string): number | undefined {
  const seconds = /^\d{1,9}(?:\.\d{1,9})?/.exec(value)?.[0];
  return seconds === undefined ? undefined : Math.min(Math.round(Number(seconds) * 1000), MAX_CRAWL_DELAY_MS);
}
