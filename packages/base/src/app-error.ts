import { STORAGE_FAULT_SENTENCES, storageFaultOf, type StorageFault } from "./storage-fault.ts";

/**
 * Every way a call can fail that crosses a door. The doors own the table that
 * turns a code into an HTTP status, a Connect code or an MCP error.
 */
export type AppErrorCode =
  | "invalid_request"
  | "unauthenticated"
  | "budget_exceeded"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "unprocessable"
  | "rate_limited"
  | "unavailable"
  | "timeout"
  | "canceled"
  | "upstream_failed"
  | "internal";

/** What an AppError may carry beside its code and message. */
export interface AppErrorOptions {
  /** Whether the same call may succeed later without change. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
  /** How long to wait before a retry, when the thrower knows. */
  readonly retryAfterMs?: number;
  /** Facts for the caller: the field, what was expected, a wire tag. Never a stack, a path or a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The only error class that crosses a door. Its message is written for the caller and says what to do. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: AppErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.details = options.details ?? {};
  }

  /** The disk, or the table of open files, is at fault: nothing is wrong with the call, which may succeed later. */
  static ofStorage(fault: StorageFault, options: Pick<AppErrorOptions, "cause" | "details"> = {}): AppError {
    return new AppError("unavailable", STORAGE_FAULT_SENTENCES[fault], {
      retryable: true,
      cause: options.cause,
      details: { tag: "STORAGE_UNAVAILABLE", ...options.details },
    });
  }

  /**
   * Normalises whatever was thrown; what is not ours becomes `internal` and keeps its cause for the log. A fault of the
   * disk is none of ours either, yet it passes: it becomes `unavailable`, to be tried again.
   */
  static from(thrown: unknown): AppError {
    if (thrown instanceof AppError) return thrown;
    const fault = storageFaultOf(thrown);
    if (fault !== undefined) return AppError.ofStorage(fault, { cause: thrown });
    if (thrown instanceof Error && thrown.name === "AbortError") {
      return new AppError("canceled", "the call was cancelled", { cause: thrown });
    }
    return new AppError("internal", "something went wrong on the server", { cause: thrown });
  }
}
