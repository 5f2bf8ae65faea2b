import { AppError, type Clock } from "@quarry/base";
import type { FastifyReply, FastifyRequest } from "fastify";
import { describeError } from "./error-body.ts";
import { familyOfPath } from "./error-family.ts";
import { ERROR_TABLE } from "./error-table.ts";
import { SECURITY_HEADERS } from "./response-headers.ts";
import { JSON_HEADERS } from "./send-reply.ts";

/** Answers with an error in the shape of the path's family; what is ours to mend is logged with its cause. */
export function sendError(clock: Clock, request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = toAppError(thrown, request);
  const path = request.url.split("?", 1)[0] ?? "/";
  const described = describeError(familyOfPath(path), error, { requestId: request.id, path, now: clock.now() });
  if (ERROR_TABLE[error.code].status >= 500) request.log.error({ err: thrown }, error.message);
  return reply
    .code(described.status)
    .headers({
      ...SECURITY_HEADERS,
      ...JSON_HEADERS,
      "x-request-id": request.id,
      ...headersOf(error),
      ...described.headers,
    })
    .send(JSON.stringify(described.body));
}

/** Fastify's own refusals in our words; anything unknown becomes `internal`. */
function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return isUnstorable(thrown) ? unstorable(thrown) : thrown;
  const code = codeOf(thrown);
  // Node's word for a body that stops in the middle: nobody is there to read the answer, and nothing of ours is at fault.
  if (code === "ECONNRESET" && !request.raw.complete) {
    return new AppError("canceled", "the client left before its request was whole", { cause: thrown });
  }
  const known = FRAMEWORK_ERRORS[code];
  if (known !== undefined) return known(request);
  if (code.startsWith("FST_") && statusOf(thrown) >= 400 && statusOf(thrown) < 500) {
    return new AppError("invalid_request", "the request is malformed; see /docs for what this route takes");
  }
  return AppError.from(thrown);
}

/** character_not_in_repertoire, untranslatable_character: the store's word for U+0000 in a text or in JSON. */
const UNSTORABLE_TEXT: ReadonlySet<unknown> = new Set(["22021", "22P05"]);

function isUnstorable(error: AppError): boolean {
  return error.code === "internal" && UNSTORABLE_TEXT.has(error.details["sqlState"]);
}

function unstorable(cause: AppError): AppError {
  const message = "Invalid request body | a text holds the character U+0000, which cannot be stored; leave it out";
  return new AppError("invalid_request", message, { cause, details: { tag: "INVALID_REQUEST_BODY" } });
}

const FRAMEWORK_ERRORS: Readonly<Record<string, (request: FastifyRequest) => AppError>> = {
  FST_ERR_BAD_URL: () =>
    new AppError("invalid_request", "the path has a malformed percent-encoding; encode a percent sign as %25"),
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) =>
    new AppError(
      "too_large",
      `the request body is larger than the ${routeOptions.bodyLimit} bytes allowed here; send less at once`,
    ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError("invalid_request", "the request body is not as long as its Content-Length says"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new AppError("invalid_request", "Invalid request body | Content-Type: expected application/json", {
      details: { status: 415, tag: "INVALID_REQUEST_BODY" },
    }),
};

function headersOf(error: AppError): Readonly<Record<string, string>> {
  const headers: unknown = error.details["headers"];
  return typeof headers === "object" && headers !== null ? Object.fromEntries(Object.entries(headers)) : {};
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

function statusOf(thrown: unknown): number {
  return thrown instanceof Error && "statusCode" in thrown && typeof thrown.statusCode === "number"
    ? thrown.statusCode
    : 500;
}
