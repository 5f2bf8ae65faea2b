import { AppError } from "@quarry/base";
import type { AppErrorCode } from "@quarry/base";

/** Every rule by which the dialer itself says no. */
export type RefusalReason =
  | "invalid-url"
  | "scheme"
  | "credentials"
  | "blocked-port"
  | "private-host"
  | "private-address"
  | "invalid-header"
  | "too-many-redirects"
  | "redirect-loop"
  | "invalid-redirect"
  | "insecure-redirect"
  | "headers-too-large"
  | "body-too-large"
  | "decompression-bomb"
  | "unsupported-encoding";

/** Every way the other side, or the way to it, can fail us. */
export type FailureReason = "dns" | "connect" | "tls" | "timeout" | "protocol" | "reset" | "decode" | "closed";

/** Our no: asking again will not help, another URL or another limit may. `url` is the hop it was said at. */
export interface DialRefusal {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  readonly url: string;
  readonly message: string;
}

/** No answer, or only part of one. `error.retryable` says whether another try may fare better. */
export interface DialFailure {
  readonly kind: "failed";
  readonly reason: FailureReason;
  readonly url: string;
  readonly error: AppError;
}

/** A finished dial without a reply. */
export type DialStop = DialRefusal | DialFailure;

/** Makes a refusal. */
export function refused(reason: RefusalReason, url: string, message: string): DialRefusal {
  return { kind: "refused", reason, url, message };
}

/** Makes a failure; the code and whether to retry follow from the reason unless `retryable` is given. */
export function failed(
  reason: FailureReason,
  url: string,
  message: string,
  options: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): DialFailure {
  const [code, retryable] = FAILURES[reason];
  const error = new AppError(code, message, {
    retryable: options.retryable ?? retryable,
    cause: options.cause,
    details: { reason, url },
  });
  return { kind: "failed", reason, url, error };
}

/** Carries a stop out of a body that is being iterated; `stopOf` reads it back. */
export class BodyStopError extends AppError {
  readonly stop: DialStop;

  constructor(stop: DialStop) {
    super(...toAppError(stop));
    this.name = "BodyStopError";
    this.stop = stop;
  }
}

function toAppError(stop: DialStop): ConstructorParameters<typeof AppError> {
  if (stop.kind === "failed") {
    const { code, message, retryable, details } = stop.error;
    return [code, message, { retryable, details, cause: stop.error.cause }];
  }
  const code = stop.reason === "body-too-large" || stop.reason === "decompression-bomb" ? "too_large" : "unprocessable";
  return [code, stop.message, { details: { reason: stop.reason, url: stop.url } }];
}

const FAILURES: Readonly<Record<FailureReason, readonly [AppErrorCode, boolean]>> = {
  dns: ["upstream_failed", true],
  connect: ["upstream_failed", true],
  tls: ["upstream_failed", false],
  timeout: ["timeout", true],
  protocol: ["upstream_failed", false],
  reset: ["upstream_failed", true],
  decode: ["upstream_failed", false],
  closed: ["unavailable", false],
};
