import http from "node:http";
import https from "node:https";
import { AppError } from "@quarry/base";
import type { z } from "zod";
import { toErrorCode } from "./exit-code.ts";

/** The server the operator runs, and the key to use there. */
export interface ApiTarget {
  readonly url: string;
  readonly key: string | undefined;
}

/** One call; `path` starts with a slash, `query` leaves out what is undefined. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** A body that is not JSON, instead of `body`. */
  readonly file?: { readonly bytes: Uint8Array; readonly mediaType: string };
  /** How long the server may stay silent. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Calls the server and checks its reply against `schema`. Every failure is an
 * AppError in words for the person at the terminal. Goes out by `node:http`
 * rather than the guarded dialer: the address is the operator's own word.
 */
export async function callApi<Schema extends z.ZodType>(
  target: ApiTarget,
  request: ApiRequest,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  const reply = await openReply(target, request, signal);
  const text = await readText(reply, MAX_JSON_BYTES, signal);
  const parsed = schema.safeParse(text === "" ? undefined : parseJson(text, target.url));
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new AppError(
    "upstream_failed",
    `${request.method} ${request.path} answered in a form this CLI does not know (${field === "" ? "whole reply" : field}); ` +
      "is the server of the same version? See quarry status",
    { cause: parsed.error },
  );
}

/** Opens a reply with status 2xx for reading as it comes; other statuses become an AppError. The caller reads it to its end. */
export async function openReply(
  target: ApiTarget,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const reply = await send(target, request, signal);
  const status = reply.statusCode ?? 0;
  if (status >= 200 && status < 300) return reply;
  throw toAppError(status, reply.headers, await readText(reply, MAX_ERROR_BYTES, signal), target);
}

/** The status with which `url` answers a GET, or undefined when nothing answers in time. Aborting rejects. */
export async function probe(url: string, timeoutMs: number, signal: AbortSignal): Promise<number | undefined> {
  const { origin, pathname } = new URL(url);
  try {
    const request = { method: "GET", path: pathname, timeoutMs } as const;
    const reply = await send({ url: origin, key: undefined }, request, signal);
    reply.resume();
    return reply.statusCode;
  } catch {
    signal.throwIfAborted();
    return undefined; // nobody there, or not in time: that is the answer
  }
}

function send(target: ApiTarget, request: ApiRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
  const url = new URL(target.url.replace(/(?<!\/)\/+$/, "") + request.path);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const body = request.body === undefined ? request.file?.bytes : JSON.stringify(request.body);
  const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    const call = (url.protocol === "https:" ? https : http).request(
      url,
      {
        method: request.method,
        signal,
        timeout: timeoutMs,
        agent: false,
        headers: {
          accept: "application/json",
          ...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
          ...(body === undefined
            ? {}
            : {
                "content-type": request.body === undefined ? request.file?.mediaType : "application/json",
                "content-length": Buffer.byteLength(body),
              }),
        },
      },
      resolve,
    );
    call.on("timeout", () => call.destroy(new TimeoutError(timeoutMs)));
    call.on("error", (cause) => reject(toConnectionError(target.url, cause)));
    call.end(body);
  });
}

class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`);
  }
}

function toConnectionError(url: string, cause: Error): Error {
  if (cause.name === "AbortError") return cause;
  const code = cause instanceof TimeoutError ? "timeout" : "unavailable";
  const reason = "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
  return new AppError(code, `${url} cannot be reached (${reason}); is a server running there? See quarry status`, {
    cause,
    retryable: true,
  });
}

async function readText(reply: http.IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of reply) {
      const buffer = part as Buffer;
      bytes += buffer.length;
      if (bytes > maxBytes) throw new AppError("too_large", `the reply is larger than ${maxBytes} bytes`);
      parts.push(buffer);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError("upstream_failed", "the server broke off in the middle of its reply", { cause: error });
  }
  return Buffer.concat(parts).toString("utf8");
}

function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("upstream_failed", `${url} did not answer with JSON; is it a Quarry server?`, { cause });
  }
}

function toAppError(status: number, headers: http.IncomingHttpHeaders, text: string, target: ApiTarget): AppError {
  const { message, requestId } = readErrorBody(text);
  const code = toErrorCode(status);
  const retryAfterSeconds = Number(headers["retry-after"] ?? Number.NaN);
  const hints = [
    code === "unauthenticated" && target.key === undefined ? "pass --key or set QUARRY_API_KEY" : "",
    Number.isFinite(retryAfterSeconds) ? `try again in ${retryAfterSeconds} s` : "",
    status >= 500 && requestId !== undefined ? `request ${requestId} in the server's log says more` : "",
  ].filter((hint) => hint !== "");
  const sentence = message ?? `${target.url} answered with status ${status}`;
  return new AppError(code, [sentence, ...hints].join("; "), {
    details: { status, ...(requestId === undefined ? {} : { requestId }) },
    ...(Number.isFinite(retryAfterSeconds) ? { retryAfterMs: retryAfterSeconds * 1000 } : {}),
  });
}

/** The error bodies of the API families differ: `error` or `message` as text, or `error` as an object with one. */
function readErrorBody(text: string): { readonly message: string | undefined; readonly requestId: string | undefined } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { message: undefined, requestId: undefined }; // a proxy's page, say: the status has to do
  }
  const error = fieldOf(body, "error");
  const candidates = [fieldOf(body, "message"), error, fieldOf(error, "message")];
  const requestId = fieldOf(body, "requestId");
  return {
    message: candidates.find((candidate) => typeof candidate === "string"),
    requestId: typeof requestId === "string" ? requestId : undefined,
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
