import { AppError, sleep } from "@quarry/base";
import { headerOf, readBody, type Dialer, type DialReply } from "@quarry/net";

/** An OpenAI-compatible server that the operator configured. */
export interface ModelEndpoint {
  /** The base address, as in `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  readonly key?: string | undefined;
}

/** What a call needs from outside. */
export interface PostDeps {
  readonly fetch: Dialer["fetch"];
  /** Replaced in tests, so that they need not wait. */
  readonly wait?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** One call: where to, what, and how long it may take in all. */
export interface ModelCall {
  readonly endpoint: ModelEndpoint;
  readonly path: string;
  readonly body: unknown;
  readonly timeoutMs: number;
}

/** How often a call is tried in all; a model server that is still loading answers 503 for a while. */
const MAX_TRIES = 4;
const FIRST_WAIT_MS = 500;
/** A server may ask for a longer wait than we have patience for. */
const MAX_WAIT_MS = 20_000;
const MAX_SHOWN_CHARACTERS = 200;

/**
 * Posts to the endpoint and reads the JSON reply. Tries again when the server says it is busy, the connection fails or the
 * reply is no JSON, after the time the server names. Throws an AppError whose sentence names the address but never the key;
 * rejects with the signal's reason on abort.
 */
export function postJson(deps: PostDeps, call: ModelCall, signal: AbortSignal): Promise<unknown> {
  return tryAgain(deps, signal, async () => {
    const url = addressOf(call);
    const read = await readBody(await openReply(deps, call, signal));
    if (read.kind === "failed") throw read.error;
    if (read.kind === "refused") throw new AppError("upstream_failed", `${url}: ${read.message}`);
    const text = new TextDecoder().decode(read.bytes);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new AppError("upstream_failed", `${url} answered something that is not JSON: ${shorten(text)}`, {
        retryable: true,
      });
    }
  });
}

/** Posts to the endpoint and hands over the reply once its status is 200, with the same retries; the body is yet to come. */
export function postForStream(deps: PostDeps, call: ModelCall, signal: AbortSignal): Promise<DialReply> {
  return tryAgain(deps, signal, () => openReply(deps, call, signal));
}

async function tryAgain<T>(deps: PostDeps, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  const wait = deps.wait ?? sleep;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (!error.retryable || tries === MAX_TRIES) throw error;
      await wait(Math.min(error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS), signal);
    }
  }
}

async function openReply(deps: PostDeps, call: ModelCall, signal: AbortSignal): Promise<DialReply> {
  const { endpoint, body, timeoutMs } = call;
  const url = addressOf(call);
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
  if (reply.kind === "refused") throw new AppError("upstream_failed", `${url}: ${reply.message}`);
  if (reply.kind === "failed") throw reply.error;
  if (reply.status === 200) return reply;
  const read = await readBody(reply);
  throw toError(url, reply, read.kind === "read" ? new TextDecoder().decode(read.bytes) : "");
}

function addressOf({ endpoint, path }: ModelCall): string {
  return `${endpoint.url.replace(/(?<!\/)\/+$/, "")}/${path}`;
}

function toError(url: string, reply: DialReply, text: string): AppError {
  const seconds = Number(headerOf(reply, "retry-after"));
  return new AppError(
    reply.status === 429 || reply.status === 503 ? "unavailable" : "upstream_failed",
    `${url} answered ${reply.status}: ${shorten(text)}`,
    {
      retryable: reply.status === 408 || reply.status === 429 || reply.status >= 500,
      ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {}),
    },
  );
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line;
}
