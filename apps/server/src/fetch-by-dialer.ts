import { AppError } from "@quarry/base";
import type { Dialer } from "@quarry/net";

/** What a library that brings its own HTTP calls asks of a fetch. */
export type DialedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Streams of events may be silent for long, and last: whoever asked ends them. */
const STREAM_LIMITS = { headersMs: 600_000, idleBodyMs: 3_600_000, totalMs: 24 * 3_600_000 };
/** A reply of one of these has no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** A fetch that goes out by a dialer, for libraries that take one. Redirects are handed back as they are. */
export function fetchByDialer(dialer: Pick<Dialer, "fetch">): DialedFetch {
  return async (url, init = {}) => {
    const outcome = await dialer.fetch(
      {
        url: String(url),
        method: methodOf(init.method),
        headers: Object.fromEntries(new Headers(init.headers)),
        redirects: "manual",
        limits: STREAM_LIMITS,
        ...(init.body === undefined || init.body === null ? {} : { body: bodyOf(init.body) }),
      },
      init.signal ?? new AbortController().signal,
    );
    if (outcome.kind === "refused") throw new AppError("forbidden", outcome.message);
    if (outcome.kind === "failed") throw outcome.error;
    const headers = new Headers();
    for (const [name, value] of Object.entries(outcome.headers)) {
      if (value === undefined || name === "content-encoding" || name === "content-length") continue;
      headers.set(name, typeof value === "string" ? value : value.join(", "));
    }
    if (WITHOUT_BODY.includes(outcome.status)) {
      outcome.discard();
      return new Response(null, { status: outcome.status, headers });
    }
    return new Response(ReadableStream.from(outcome.body), { status: outcome.status, headers });
  };
}

function methodOf(method = "GET"): "GET" | "POST" | "DELETE" {
  if (method === "GET" || method === "POST" || method === "DELETE") return method;
  throw new AppError("invalid_request", `${method} is not a method that is sent here`);
}

function bodyOf(body: NonNullable<RequestInit["body"]>): string | Uint8Array {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  throw new AppError("invalid_request", "only texts and bytes are sent");
}
