import { Code, ConnectError } from "@connectrpc/connect";
import { AppError, type AppErrorCode } from "@quarry/base";

/** Every AppError code on Connect and gRPC. */
const CODES: Readonly<Record<AppErrorCode, Code>> = {
  invalid_request: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  budget_exceeded: Code.ResourceExhausted,
  forbidden: Code.PermissionDenied,
  not_found: Code.NotFound,
  conflict: Code.FailedPrecondition,
  gone: Code.NotFound,
  too_large: Code.ResourceExhausted,
  unprocessable: Code.InvalidArgument,
  rate_limited: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  timeout: Code.DeadlineExceeded,
  canceled: Code.Canceled,
  upstream_failed: Code.Unavailable,
  internal: Code.Internal,
};

/** What the client gets to know of something thrown: a code and a sentence, never a cause. */
export function toConnectError(thrown: unknown): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const error = AppError.from(thrown);
  return new ConnectError(error.message, CODES[error.code]);
}

/** Runs a unary handler; what it throws reaches the client in the form above. */
export async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toConnectError(error);
  }
}

/** As `answered`, for a stream. */
export async function* streamed<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw toConnectError(error);
  }
}
