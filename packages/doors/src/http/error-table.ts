import type { AppErrorCode } from "@quarry/base";
import type { AgentErrorType } from "@quarry/contract";

/** How an error code looks on the wire: the one place that says so. */
export interface ErrorWire {
  readonly status: number;
  /** The search family's tag, unless the error's `details.tag` names a closer one. */
  readonly tag: string;
  readonly agentType: AgentErrorType;
  /** The agent family's code, unless the error's `details.agentCode` names a closer one. */
  readonly agentCode: string;
}

/** Every AppError code on HTTP. */
export const ERROR_TABLE: Readonly<Record<AppErrorCode, ErrorWire>> = {
  invalid_request: wire(400, "INVALID_REQUEST", "INVALID_REQUEST"),
  unauthenticated: wire(401, "INVALID_API_KEY", "AUTHENTICATION_ERROR", "INVALID_API_KEY"),
  budget_exceeded: wire(402, "API_KEY_BUDGET_EXCEEDED", "AUTHENTICATION_ERROR", "API_KEY_BUDGET_EXCEEDED"),
  forbidden: wire(403, "FORBIDDEN", "AUTHENTICATION_ERROR", "FORBIDDEN"),
  not_found: wire(404, "NOT_FOUND", "NOT_FOUND"),
  conflict: wire(409, "CONFLICT", "CONFLICT"),
  gone: wire(410, "GONE", "NOT_FOUND", "GONE"),
  too_large: wire(413, "REQUEST_TOO_LARGE", "INVALID_REQUEST"),
  unprocessable: wire(422, "UNPROCESSABLE_REQUEST", "INVALID_REQUEST"),
  rate_limited: wire(429, "RATE_LIMIT_EXCEEDED", "RATE_LIMIT_ERROR", "CONCURRENCY_LIMIT_REACHED"),
  canceled: wire(499, "CLIENT_CLOSED_REQUEST", "SERVER_ERROR"),
  internal: wire(500, "INTERNAL_ERROR", "SERVER_ERROR"),
  upstream_failed: wire(502, "UPSTREAM_FAILED", "SERVER_ERROR"),
  unavailable: wire(503, "SERVICE_OVERLOADED", "SERVER_ERROR"),
  timeout: wire(504, "TIMEOUT", "SERVER_ERROR", "TIMEOUT"),
};

function wire(status: number, tag: string, agentType: AgentErrorType, agentCode: string = agentType): ErrorWire {
  return { status, tag, agentType, agentCode };
}
