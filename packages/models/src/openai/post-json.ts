import { AppError, sleep } from "@quarry/base";
import { headerOf, readBody, type Dialer, type DialReply } from "@quarry/net";

/** An OpenAI-compatible server that the operator configured. */
export interface ModelEndpoint {
  /** The base address, as in `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly key?: string | undefined;
}

/** What a call needs from outside. */
export interface PostJsonDeps {
  readonly fetch: Dialer["fetch"];
  /** Replaced in tests, so that they need not wait. */
  readonly wait?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** How often a call is tried in all; a model server that is still loading answers 503 for a while. */
const MAX_TRIES = 4;
const FIRST_WAIT_MS = 500;
/** A server may ask for a longer wait than we have patience for. */
const MAX_WAIT_MS = 20_000;
const MAX_SHOWN_CHARACTERS = 200;

/**
 * Posts `body` to `path` below the endpoint and reads the JSON reply. Tries again when the server says it is busy or the
 * connection fails, after the time the server names. Throws `upstream_failed`, `timeout` or `unavailable` with a sentence that names
 * the address but never the key; rejects with the signal's reason on abort.
 */
export async function postJson(
  deps: PostJsonDeps,
  call: { readonly endpoint: ModelEndpoint; readonly path: string; readonly body: unknown; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<unknown> {
  const wait = deps.wait ?? sleep;
  for (let tries = 1; ; tries += 1) {
    const failure = await tryOnce(deps, call, signal);
    if (failure.kind === "answered") return failure.value;
    if (!failure.error.retryable || tries === MAX_TRIES) throw failure.error;
    await wait(Math.min(failure.error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS), signal);
  }
}

type Attempt =
  { readonly kind: "answered"; readonly value: unknown } | { readonly kind: "failed"; readonly error: AppError };

async function tryOnce(
  deps: PostJsonDeps,
  { endpoint, path, body, timeoutMs }: Parameters<typeof postJson>[1],
  signal: AbortSignal,
): Promise<Attempt> {
  const url = `${endpoint.url.replace(/\/+$/, "")}/${path}`;
  const reply = await deps.fetch(
    {
      url,
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` }),
      },
      body: JSON.stringify(body),
      redirects: "manual", // a redirect would carry the key elsewhere
      limits: { totalMs: timeoutMs, headersMs: timeoutMs, idleBodyMs: timeoutMs },
    },
    signal,
  );
  if (reply.kind === "refused") return failed(new AppError("upstream_failed", `${url}: ${reply.message}`));
  if (reply.kind === "failed") return failed(reply.error);
  const read = await readBody(reply);
  if (read.kind === "failed") return failed(read.error);
  if (read.kind === "refused") return failed(new AppError("upstream_failed", `${url}: ${read.message}`));
  const text = new TextDecoder().decode(read.bytes);
  if (reply.status !== 200) return failed(toError(url, reply, text));
  try {
    return { kind: "answered", value: JSON.parse(text) as unknown };
  } catch {
    return failed(
      new AppError("upstream_failed", `${url} answered something that is not JSON: ${shorten(text)}`, {
        retryable: true,
      }),
    );
  }
}

function toError(url: string, reply: DialReply, text: string): AppError {
  const retryable = reply.status === 408 || reply.status === 429 || reply.status >= 500;
  const seconds = Number(headerOf(reply, "retry-after"));
  return new AppError(
    reply.status === 429 || reply.status === 503 ? "unavailable" : "upstream_failed",
    `${url} answered ${reply.status}: ${shorten(text)}`,
    { retryable, ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {}) },
  );
}

function failed(error: AppError): Attempt {
  return { kind: "failed", error };
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line;
}
