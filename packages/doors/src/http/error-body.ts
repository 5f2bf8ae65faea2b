import { STATUS_CODES } from "node:http";
import type { AppError } from "@quarry/base";
import type { AgentError, ErrorFamily, SearchError, WebsetsError } from "@quarry/contract";
import { ERROR_TABLE } from "./error-table.ts";

/** What an error's body tells of the request. */
export interface ErrorRequest {
  readonly requestId: string;
  readonly path: string;
  readonly now: Date;
}

/** A refused part of the input, in `details.issues` of an AppError. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
}

/** The status, headers and body with which `family` tells of `error`. */
export function describeError(family: ErrorFamily, error: AppError, request: ErrorRequest) {
  const { status: usualStatus } = ERROR_TABLE[error.code];
  const status = typeof error.details["status"] === "number" ? error.details["status"] : usualStatus;
  const headers: Record<string, string> =
    error.retryAfterMs === undefined
      ? {}
      : { "retry-after": String(Math.max(1, Math.ceil(error.retryAfterMs / 1000))) };
  return { status, headers, body: SHAPES[family](error, request, status) };
}

const SHAPES: Readonly<
  Record<
    ErrorFamily,
    (error: AppError, request: ErrorRequest, status: number) => SearchError | WebsetsError | AgentError
  >
> = {
  search: (error, request) => ({
    requestId: request.requestId,
    error: error.message,
    tag: textOf(error.details["tag"]) ?? ERROR_TABLE[error.code].tag,
  }),

  websets: (error, request, status) => ({
    statusCode: status,
    timestamp: request.now.toISOString(),
    path: request.path.replace(/^\/websets(?=\/)/, ""), // upstream names it without its host's prefix
    error: STATUS_CODES[status] ?? "Client Closed Request",
    message: error.message,
    ...(issuesOf(error).length === 0 ? {} : { details: issuesOf(error) }),
  }),

  agent: (error, request) => ({
    error: {
      type: ERROR_TABLE[error.code].agentType,
      code: textOf(error.details["agentCode"]) ?? ERROR_TABLE[error.code].agentCode,
      message: error.message,
      detail: issuesOf(error).length === 0 ? {} : { issues: issuesOf(error) },
    },
    requestId: request.requestId,
  }),
};

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function issuesOf(error: AppError): InputIssue[] {
  const issues: unknown = error.details["issues"];
  return Array.isArray(issues) ? issues.filter(isIssue) : [];
}

function isIssue(value: unknown): value is InputIssue {
  return typeof value === "object" && value !== null && "path" in value && "message" in value;
}
