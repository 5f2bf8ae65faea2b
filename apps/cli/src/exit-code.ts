import type { AppErrorCode } from "@quarry/base";

/** What the shell is told; scripts rely on these numbers. */
export const EXIT_CODES = {
  ok: 0,
  error: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  rateLimit: 5,
  partial: 6,
  interrupted: 130,
} as const;

/** One of the numbers above. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** The exit code of a failure. */
export function toExitCode(code: AppErrorCode): ExitCode {
  switch (code) {
    case "invalid_request":
    case "unprocessable":
      return EXIT_CODES.usage;
    case "unauthenticated":
    case "forbidden":
      return EXIT_CODES.auth;
    case "not_found":
    case "gone":
      return EXIT_CODES.notFound;
    case "rate_limited":
    case "budget_exceeded":
      return EXIT_CODES.rateLimit;
    case "canceled":
      return EXIT_CODES.interrupted;
    default:
      return EXIT_CODES.error;
  }
}

/** The failure that an HTTP status stands for. */
export function toErrorCode(status: number): AppErrorCode {
  switch (status) {
    case 400:
      return "invalid_request";
    case 401:
      return "unauthenticated";
    case 402:
      return "budget_exceeded";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 410:
      return "gone";
    case 413:
      return "too_large";
    case 422:
      return "unprocessable";
    case 429:
      return "rate_limited";
    case 503:
      return "unavailable";
    case 504:
      return "timeout";
    default:
      return "upstream_failed";
  }
}

/** Sets the code a command ends with when it did its work but the answer is no. */
export type EndWith = (code: number) => void;
