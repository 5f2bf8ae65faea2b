import { AppError } from "@quarry/base";
import { isRedirect, redirectTarget, type HttpGet, type HttpReply, type HttpStop } from "../page/http-exchange.ts";
import { parseRetryAfter } from "../schedule/retry-after.ts";
import { robotsAllow, robotsGroupFor } from "./robots-match.ts";
import { EMPTY_ROBOTS_TXT, MAX_ROBOTS_BYTES, parseRobotsTxt, type RobotsTxt } from "./robots-txt.ts";

/** Why there is no robots.txt to go by; `stop` when it was never even answered for. */
interface Unreachable<Kind extends string> {
  readonly kind: Kind;
  readonly error: AppError;
  readonly stop?: HttpStop;
}

/** What an origin's robots.txt came to. */
export type RobotsPolicy =
  | { readonly kind: "rules"; readonly file: RobotsTxt }
  /** There is no such file, or none that five redirects lead to, which allows all (RFC 9309, 2.3.1.2 and 2.3.1.3). */
  | { readonly kind: "allow-all"; readonly reason: "missing" | "redirects" }
  /** It could not be had, which forbids all (2.3.1.4). */
  | Unreachable<"disallow-all">;

/** A policy and how long it holds. */
export interface RobotsRecord {
  readonly origin: string;
  readonly policy: RobotsPolicy;
  readonly fetchedAt: Date;
  readonly expiresAt: Date;
}

/** The answer for one URL. `unreachable` forbids too, but for a reason that may pass. */
export type RobotsVerdict = { readonly kind: "allowed" } | { readonly kind: "disallowed" } | Unreachable<"unreachable">;

/** What reading robots.txt needs from outside. */
export interface RobotsDeps {
  readonly get: HttpGet;
  readonly now: () => Date;
}

/** Robots rules of many origins, kept for a while. */
export interface RobotsCache {
  /** The origin's record, read when there is none that still holds. Rejects only when `signal` aborts. */
  readonly recordFor: (url: string, signal: AbortSignal) => Promise<RobotsRecord>;
  /** Whether `url` may be read by our agent. Rejects only when `signal` aborts. */
  readonly allows: (url: string, signal: AbortSignal) => Promise<RobotsVerdict>;
}

/** How many origins are kept; the one not asked for longest goes first. */
const MAX_ORIGINS = 10_000;
const MAX_AGE_MS = 24 * 60 * 60 * 1000;
const MIN_AGE_MS = 5 * 60 * 1000;
/**
 * How soon a file that could not be had is asked for again: at first before the pages that wait for it are tried
 * again, or one lost packet would cost all of them; then ever more seldom.
 */
const FIRST_RETRY_MS = 4_000;
const LAST_RETRY_MS = 10 * 60 * 1000;
const MAX_REDIRECTS = 5;

/** Keeps robots.txt files for `agent`; one origin is read once however many ask for it at a time. */
export function createRobotsCache(deps: RobotsDeps, agent: string): RobotsCache {
  const records = new Map<string, RobotsRecord>();
  const reads = new Map<string, SharedRead>();

  const sharedRead = (origin: string, before: RobotsRecord | undefined): SharedRead => {
    const going = reads.get(origin);
    if (going !== undefined && !going.stop.signal.aborted) return going;
    const stop = new AbortController();
    const record = readRobots(deps, origin, stop.signal, before).finally(() => {
      if (reads.get(origin) === read) reads.delete(origin);
    });
    const read: SharedRead = { record, stop, waiting: 0 };
    reads.set(origin, read);
    return read;
  };

  const recordFor = async (url: string, signal: AbortSignal): Promise<RobotsRecord> => {
    signal.throwIfAborted();
    const { origin } = new URL(url);
    const known = records.get(origin);
    if (known !== undefined && known.expiresAt > deps.now()) {
      records.delete(origin); // put in again below: the order of a Map is that of insertion
      records.set(origin, known);
      return known;
    }
    const record = await joinRead(sharedRead(origin, known), signal);
    records.set(origin, record);
    const oldest = records.keys().next();
    if (records.size > MAX_ORIGINS && oldest.done !== true) records.delete(oldest.value);
    return record;
  };

  return {
    recordFor,
    allows: async (url, signal) => robotsVerdict((await recordFor(url, signal)).policy, agent, url),
  };
}

/** What a policy says of one URL to one agent. */
export function robotsVerdict(policy: RobotsPolicy, agent: string, url: string): RobotsVerdict {
  switch (policy.kind) {
    case "rules":
      return { kind: robotsAllow(policy.file, agent, url) ? "allowed" : "disallowed" };
    case "allow-all":
      return { kind: "allowed" };
    case "disallow-all":
      return { ...policy, kind: "unreachable" };
  }
}

/** The delay a policy asks of an agent between two requests, where it asks for one. */
export function robotsCrawlDelayMs(policy: RobotsPolicy, agent: string): number | undefined {
  return policy.kind === "rules" ? robotsGroupFor(policy.file, agent)?.crawlDelayMs : undefined;
}

/**
 * Reads the robots.txt of an origin, whatever comes of it; rejects only when `signal` aborts. A missing file (4xx)
 * and one behind more than five redirects allow all. A server error, 429 and no answer forbid all, and are tried
 * again soon: RFC 9309 would let a crawler go in after 30 days of that, or go on with an older copy, but a site that
 * cannot say what it wants is left alone for as long as it cannot. `before` is the record that no longer holds: after
 * one failure the next is waited out twice as long.
 */
export async function readRobots(
  deps: RobotsDeps,
  origin: string,
  signal: AbortSignal,
  before?: RobotsRecord,
): Promise<RobotsRecord> {
  let url = `${origin}/robots.txt`;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const request = { url, headers: { accept: "text/plain,*/*;q=0.5" }, maxBytes: MAX_ROBOTS_BYTES + 1 };
    const reply = await deps.get(request, signal);
    if (reply.kind !== "reply") {
      const error = reply.kind === "failed" ? reply.error : unreachable(origin, `cannot be read: ${reply.message}`);
      return recordOf(deps, origin, { kind: "disallow-all", error, stop: reply }, retryMs(before));
    }
    if (!isRedirect(reply.status)) return recordOfReply(deps, origin, reply, before);
    const target = redirectTarget(reply);
    if (target === undefined) break;
    url = target;
  }
  return recordOf(deps, origin, { kind: "allow-all", reason: "redirects" }, MAX_AGE_MS);
}

function retryMs(before: RobotsRecord | undefined): number {
  if (before?.policy.kind !== "disallow-all") return FIRST_RETRY_MS;
  return Math.min(LAST_RETRY_MS, 2 * (before.expiresAt.getTime() - before.fetchedAt.getTime()));
}

function recordOfReply(
  deps: RobotsDeps,
  origin: string,
  reply: HttpReply,
  before: RobotsRecord | undefined,
): RobotsRecord {
  const { status } = reply;
  if (status >= 200 && status < 300) {
    const file = status === 200 ? parseRobotsTxt(reply.body) : EMPTY_ROBOTS_TXT;
    return recordOf(deps, origin, { kind: "rules", file }, heldMs(reply));
  }
  if (status >= 400 && status < 500 && status !== 429) {
    return recordOf(deps, origin, { kind: "allow-all", reason: "missing" }, heldMs(reply));
  }
  const retryAfterMs = parseRetryAfter(reply.headers["retry-after"], deps.now());
  const error = unreachable(origin, `answered ${status}`, retryAfterMs);
  return recordOf(deps, origin, { kind: "disallow-all", error }, Math.min(retryAfterMs ?? retryMs(before), MAX_AGE_MS));
}

function recordOf(deps: RobotsDeps, origin: string, policy: RobotsPolicy, ageMs: number): RobotsRecord {
  const fetchedAt = deps.now();
  return { origin, policy, fetchedAt, expiresAt: new Date(fetchedAt.getTime() + ageMs) };
}

/** What the server's own Cache-Control allows; some minutes at least, and a day at most, as the RFC has it. */
function heldMs(reply: HttpReply): number {
  const seconds = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(reply.headers["cache-control"] ?? "")?.[1];
  return seconds === undefined ? MAX_AGE_MS : Math.min(Math.max(Number(seconds) * 1000, MIN_AGE_MS), MAX_AGE_MS);
}

function unreachable(origin: string, what: string, retryAfterMs?: number): AppError {
  return new AppError("upstream_failed", `${origin}/robots.txt ${what}, so nothing there may be read for now`, {
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** A read that several callers wait for; it is given up when the last of them has gone. */
interface SharedRead {
  readonly record: Promise<RobotsRecord>;
  readonly stop: AbortController;
  waiting: number;
}

async function joinRead(read: SharedRead, signal: AbortSignal): Promise<RobotsRecord> {
  read.waiting += 1;
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    };
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([read.record, aborted]);
  } finally {
    if (leave !== undefined) signal.removeEventListener("abort", leave);
    read.waiting -= 1;
    if (read.waiting === 0) read.stop.abort();
  }
}
