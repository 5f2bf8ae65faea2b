import type { FetchOutcome } from "@quarry/crawl";

/** Why a page could not be had, in the words of the wire; the status is the page's own, where it has one. */
export interface FetchFailure {
  readonly kind: "failed";
  readonly tag: string;
  readonly httpStatusCode: number | null;
  /** Where it wanted to send us on another host, when we were not to follow. */
  readonly redirectedTo?: string;
}

/** The page is not stored, and was not to be fetched; or its server says that it is not there. */
export const NOT_FOUND: FetchFailure = { kind: "failed", tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 };
/** What was asked for is no address that can be read. */
export const UNSUPPORTED_URL: FetchFailure = { kind: "failed", tag: "UNSUPPORTED_URL", httpStatusCode: null };
/** The time that the caller gave is over. */
export const OUT_OF_TIME: FetchFailure = { kind: "failed", tag: "CRAWL_LIVECRAWL_TIMEOUT", httpStatusCode: 408 };
/** Something else went wrong. */
export const UNKNOWN_FAILURE: FetchFailure = { kind: "failed", tag: "CRAWL_UNKNOWN_ERROR", httpStatusCode: 500 };

/** What a visit that gave no page is called. */
export function failureOf(outcome: Exclude<FetchOutcome, { kind: "fetched" }>): FetchFailure {
  if (outcome.kind === "not-modified") return UNKNOWN_FAILURE; // we did not ask whether it was modified
  const { reason, httpStatus } = outcome;
  switch (reason) {
    case "not-there":
      return NOT_FOUND;
    case "robots":
    case "private-address":
      return { kind: "failed", tag: "SOURCE_NOT_AVAILABLE", httpStatusCode: 403 };
    case "bad-url":
    case "unsupported-type":
      return UNSUPPORTED_URL;
    case "timeout":
      return { kind: "failed", tag: "CRAWL_TIMEOUT", httpStatusCode: 408 };
    case "gone":
    case "access-denied":
    case "payment-required":
    case "http-error":
    case "rate-limited":
    case "server-error":
      return httpStatus === undefined
        ? UNKNOWN_FAILURE
        : { kind: "failed", tag: `CRAWL_HTTP_${httpStatus}`, httpStatusCode: httpStatus };
    case "redirected-away": {
      const to = outcome.redirects.at(-1)?.to;
      return to === undefined ? UNKNOWN_FAILURE : { ...UNKNOWN_FAILURE, redirectedTo: to };
    }
    case "empty":
    case "too-large":
    case "redirect-loop":
    case "too-many-redirects":
    case "bad-redirect":
    case "unreachable":
    case "robots-unreachable":
      return UNKNOWN_FAILURE;
  }
}
