import { AppError } from "@quarry/base";
import type { RobotsVerdict } from "../robots/robots-cache.ts";
import { conditionalHeaders, readValidators, type Validators } from "../schedule/conditional-request.ts";
import { parseRetryAfter } from "../schedule/retry-after.ts";
import { canonicalizeUrl, canonicalUrl } from "../url/canonical-url.ts";
import { isRedirect, redirectTarget, type HttpGet, type HttpReply, type HttpStop } from "./http-exchange.ts";
import { parseMediaType, readMediaType, type PageFormat } from "./media-type.ts";

/** A page as it came. */
export interface FetchedPage {
  /** Its canonical URL, redirects followed. */
  readonly url: string;
  readonly fetchedAt: Date;
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly format: PageFormat;
  /** The bytes belie the content type, and were believed. */
  readonly mislabelled: boolean;
  /** The content type without its parameters, when there was one. */
  readonly mediaType?: string;
  /** The charset that the server named; `decodeText` decides. */
  readonly charset?: string;
  readonly validators: Validators;
  /** All headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One step on the way to a page. */
export interface PageRedirect {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

/** Our no, or the server's: the page is not to be had, and asking again soon will not help. */
export type PageRefusal =
  | "bad-url"
  | "robots"
  | "private-address"
  | "not-there"
  | "gone"
  | "access-denied"
  | "payment-required"
  | "http-error"
  | "empty"
  | "unsupported-type"
  | "too-large"
  | "redirect-loop"
  | "too-many-redirects"
  | "bad-redirect"
  | "redirected-away";

/** Something that may pass. */
export type PageFailure = "rate-limited" | "server-error" | "timeout" | "unreachable" | "robots-unreachable";

/** The word that a page's row keeps of its last visit. */
export type PageStatus = "fetched" | "not-modified" | PageRefusal | PageFailure;

/** What became of one visit. A refusal is an answer, not an exception. */
export type FetchOutcome = { readonly redirects: readonly PageRedirect[] } & (
  | { readonly kind: "fetched"; readonly page: FetchedPage }
  | { readonly kind: "not-modified"; readonly url: string; readonly fetchedAt: Date; readonly validators: Validators }
  | {
      readonly kind: "refused";
      readonly reason: PageRefusal;
      readonly message: string;
      readonly httpStatus?: number;
      /** How much of a body that is too large was read before it was let go. */
      readonly readBytes?: number;
    }
  | { readonly kind: "failed"; readonly reason: PageFailure; readonly error: AppError; readonly httpStatus?: number }
);

/** What a visit needs from outside; apps wire the real ones, tests wire fakes. */
export interface FetchPageDeps {
  /** Rejects only on abort. */
  readonly allows: (url: string, signal: AbortSignal) => Promise<RobotsVerdict>;
  readonly get: HttpGet;
  readonly now: () => Date;
}

/** What may differ from visit to visit. */
export interface FetchPageOptions {
  readonly maxBytes?: number;
  /** What we know of the page from the last visit; the server is asked for news only. */
  readonly validators?: Validators;
  /** Whether a redirect may be followed to this canonical URL; without it, to anywhere. */
  readonly mayFollow?: (url: string) => boolean;
}

export const DEFAULT_MAX_PAGE_BYTES = 20 * 1024 * 1024;
const MAX_REDIRECTS = 10;
const ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,application/xml;q=0.8,text/plain;q=0.8,*/*;q=0.5";

/** The word for an outcome. */
export function pageStatusOf(outcome: FetchOutcome): PageStatus {
  return outcome.kind === "fetched" || outcome.kind === "not-modified" ? outcome.kind : outcome.reason;
}

/**
 * Visits one URL, once, asking robots.txt before every hop of a redirect too. Whatever a web server can do to us comes
 * back as an outcome; the promise rejects only when `signal` aborts. Waiting and retrying belong to the frontier, which
 * alone knows the host's pace.
 */
export async function fetchPage(
  deps: FetchPageDeps,
  url: string,
  signal: AbortSignal,
  options: FetchPageOptions = {},
): Promise<FetchOutcome> {
  const redirects: PageRedirect[] = [];
  const ended = (ending: Ending): FetchOutcome => ({ ...ending, redirects });
  const start = canonicalizeUrl(url);
  if (start.kind === "refused") return ended(refused("bad-url", BAD_URLS[start.reason]));

  const visited = new Set<string>();
  let next = start.url;
  while (redirects.length <= MAX_REDIRECTS) {
    if (visited.has(next)) return ended(refused("redirect-loop", `${url} redirects back to ${next}`));
    visited.add(next);
    const verdict = await deps.allows(next, signal);
    if (verdict.kind !== "allowed") return ended(endingOfVerdict(verdict, next));

    const headers = { accept: ACCEPT, ...conditionalHeaders(options.validators ?? {}) };
    const reply = await deps.get({ url: next, headers, maxBytes: options.maxBytes ?? DEFAULT_MAX_PAGE_BYTES }, signal);
    if (reply.kind !== "reply") return ended(endingOfStop(reply));
    if (!isRedirect(reply.status)) return ended(endingOfReply(deps, reply, next));

    const target = canonicalUrl(redirectTarget(reply) ?? "", next);
    if (target === undefined || redirectTarget(reply) === undefined) {
      return ended(refused("bad-redirect", `${next} redirects to no page of the web`, reply.status));
    }
    redirects.push({ from: next, to: target, status: reply.status });
    if (options.mayFollow?.(target) === false) {
      return ended(
        refused("redirected-away", `${next} redirects to ${target}, which this crawl does not read`, reply.status),
      );
    }
    next = target;
  }
  return ended(refused("too-many-redirects", `${url} redirects more than ${MAX_REDIRECTS} times`));
}

/** `Omit` would melt the union into one record. */
type WithoutRedirects<T> = T extends unknown ? Omit<T, "redirects"> : never;
type Ending = WithoutRedirects<FetchOutcome>;

const BAD_URLS = {
  "not-a-url": "this is not a URL; write it like https://example.com/page",
  scheme: "only http and https URLs can be read",
  "too-long": "the URL is longer than 2048 characters",
} as const;

function endingOfVerdict(verdict: Exclude<RobotsVerdict, { kind: "allowed" }>, url: string): Ending {
  if (verdict.kind === "disallowed") return refused("robots", `robots.txt does not let us read ${url}`);
  // An address that may not be dialled and a host that is down are that, and not the fault of its robots.txt.
  if (verdict.stop !== undefined) return endingOfStop(verdict.stop);
  return { kind: "failed", reason: "robots-unreachable", error: verdict.error };
}

function endingOfStop(stop: HttpStop): Ending {
  if (stop.kind === "failed") {
    return { kind: "failed", reason: stop.reason === "timeout" ? "timeout" : "unreachable", error: stop.error };
  }
  return refused(REFUSALS[stop.reason], stop.message);
}

const REFUSALS: Readonly<Record<Extract<HttpStop, { kind: "refused" }>["reason"], PageRefusal>> = {
  "invalid-url": "bad-url",
  scheme: "bad-url",
  credentials: "bad-url",
  "blocked-port": "bad-url",
  "invalid-header": "bad-url",
  "private-host": "private-address",
  "private-address": "private-address",
  "too-many-redirects": "too-many-redirects",
  "redirect-loop": "redirect-loop",
  "invalid-redirect": "bad-redirect",
  "insecure-redirect": "bad-redirect",
  "headers-too-large": "too-large",
  "body-too-large": "too-large",
  "decompression-bomb": "too-large",
  "unsupported-encoding": "unsupported-type",
};

function endingOfReply(deps: FetchPageDeps, reply: HttpReply, askedFor: string): Ending {
  const url = canonicalUrl(reply.url) ?? askedFor;
  const { status } = reply;
  if (status === 200 || status === 203) return endingOfPage(deps, reply, url);
  if (status === 304) {
    return { kind: "not-modified", url, fetchedAt: deps.now(), validators: readValidators(reply.headers) };
  }
  const answered = `${url} answered ${status}`;
  if (status >= 500 || status === 429 || status === 408 || status === 425) {
    const retryAfterMs = parseRetryAfter(reply.headers["retry-after"], deps.now());
    const reason = status === 429 ? "rate-limited" : status >= 500 ? "server-error" : "timeout";
    const code = status === 429 ? "rate_limited" : status >= 500 ? "upstream_failed" : "timeout";
    const error = new AppError(code, answered, {
      retryable: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    return { kind: "failed", reason, error, httpStatus: status };
  }
  if (status === 404) return refused("not-there", answered, status);
  if (status === 410) return refused("gone", answered, status);
  if (status === 402) return refused("payment-required", `${url} asks for payment (402)`, status);
  if ([401, 403, 407, 451].includes(status)) return refused("access-denied", answered, status);
  if (status >= 300 && status < 400) return refused("bad-redirect", answered, status);
  if (status >= 200 && status < 300) return refused("empty", answered, status);
  return refused("http-error", answered, status);
}

function endingOfPage(deps: FetchPageDeps, reply: HttpReply, url: string): Ending {
  if (reply.truncated) {
    const readBytes = reply.body.byteLength;
    return { ...refused("too-large", `${url} is larger than ${readBytes} bytes`, reply.status), readBytes };
  }
  const header = reply.headers["content-type"];
  const media = readMediaType(header, reply.body);
  if (media.kind === "unsupported") {
    return refused("unsupported-type", `${url} is ${media.found}, which holds no text we can read`, reply.status);
  }
  const declared = parseMediaType(header);
  const page: FetchedPage = {
    url,
    fetchedAt: deps.now(),
    status: reply.status,
    bytes: reply.body,
    format: media.format,
    mislabelled: media.mismatch,
    ...(declared === undefined ? {} : { mediaType: declared.essence }),
    ...(declared?.charset === undefined ? {} : { charset: declared.charset }),
    validators: readValidators(reply.headers),
    headers: reply.headers,
  };
  return { kind: "fetched", page };
}

function refused(reason: PageRefusal, message: string, httpStatus?: number): Extract<Ending, { kind: "refused" }> {
  return { kind: "refused", reason, message, ...(httpStatus === undefined ? {} : { httpStatus }) };
}
