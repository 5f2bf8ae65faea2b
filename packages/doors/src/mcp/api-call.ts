import { AppError, type AppErrorCode } from "@quarry/base";
import { z } from "zod";

/** One call on the REST API of this server, made for the caller of a tool: with their key, scopes, limits and usage. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Starts with a slash; ids in it are encoded already. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** A body that is not JSON, with its type, instead of `body`. */
  readonly text?: string;
  readonly mediaType?: string;
  /** Names what the call makes, so that the same call again makes nothing new. */
  readonly idempotencyKey?: string | undefined;
}

/** What came back. */
export interface ApiReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Reaches the API; the app's own routes by default, without a socket between. */
export type ApiCall = (request: ApiRequest, signal: AbortSignal) => Promise<ApiReply>;

/** Calls and reads the reply as `schema`; a refusal becomes an AppError in the words of the API. */
export async function callApi<Schema extends z.ZodType>(
  api: ApiCall,
  request: ApiRequest,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const reply = await api(request, signal);
  if (reply.status >= 300) throw toAppError(reply);
  const parsed = schema.safeParse(reply.body);
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new AppError("internal", `${request.method} ${request.path} answered in an unknown form at ${field}`, {
    cause: parsed.error,
  });
}

/** A reply that is no success, as the error it tells of. */
export function toAppError({ status, body }: ApiReply): AppError {
  const message = messageOf(body) ?? `the server answered with status ${status}`;
  return new AppError(
    CODES.find(([known]) => known === status)?.[1] ?? (status >= 500 ? "internal" : "invalid_request"),
    message,
  );
}

const CODES: readonly (readonly [number, AppErrorCode])[] = [
  [400, "invalid_request"],
  [401, "unauthenticated"],
  [402, "budget_exceeded"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "conflict"],
  [410, "gone"],
  [413, "too_large"],
  [422, "unprocessable"],
  [429, "rate_limited"],
  [499, "canceled"],
  [502, "upstream_failed"],
  [503, "unavailable"],
  [504, "timeout"],
];

const errorBodies = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ error: z.string() }).transform(({ error }) => error),
]);

function messageOf(body: unknown): string | undefined {
  const parsed = errorBodies.safeParse(body);
  return parsed.success ? parsed.data : undefined;
}
