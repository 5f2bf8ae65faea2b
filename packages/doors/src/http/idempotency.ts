import { createHash } from "node:crypto";
import { AppError, sleep } from "@quarry/base";
import {
  CLAIM_LEASE_MS,
  claimRequest,
  giveUpClaim,
  renewClaim,
  storeReply,
  type Database,
  type IdempotentRequest,
  type RequestClaim,
} from "@quarry/store";
import type { FastifyBaseLogger } from "fastify";
import { openSealed, seal } from "./seal.ts";

/** A whole reply, as it is sent and kept. */
export interface KeptReply {
  readonly status: number;
  readonly body: Buffer;
}

/** One request with an Idempotency-Key. */
export interface KeyedRequest {
  readonly teamId: string;
  readonly route: string;
  readonly key: string;
  /** Everything that makes two requests the same: the address and the body. */
  readonly content: string | Buffer;
  /** The caller's secret, when the reply must be kept sealed. */
  readonly sealWith: string | undefined;
}

/** What became of one attempt; `not-kept` when the work made no reply that can be kept. */
export type OnceOutcome =
  { readonly kind: "first" | "replayed"; readonly reply: KeptReply } | { readonly kind: "not-kept" };

/** How long a second request waits for the first before it is told to come back. */
const WAIT_LIMIT_MS = 20_000;
const FIRST_POLL_MS = 25;
const LAST_POLL_MS = 500;
const RETRY_AFTER_MS = 1_000;
const MAX_KEY_CHARACTERS = 255;

/** The Idempotency-Key header's value; throws `invalid_request` for one that is not usable. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined || header === "") return undefined;
  if (typeof header === "string" && header.length <= MAX_KEY_CHARACTERS && /^[\x21-\x7e]+$/.test(header)) return header;
  throw new AppError(
    "invalid_request",
    `Idempotency-Key: expected at most ${MAX_KEY_CHARACTERS} visible ASCII characters, once`,
  );
}

/**
 * Carries a request out once per key and team, and answers the kept reply to every
 * other attempt with the same content; other content is a `conflict`. An attempt
 * that comes while another runs waits for it, up to WAIT_LIMIT_MS, then gets a
 * `conflict` with a time to come back. A claim whose process died is taken over
 * when its lease has run out; the work then sees the same operationId. Work that
 * resolves to undefined (a stream) is not kept: every attempt runs, with that id.
 */
export function createIdempotency(db: Database, log: Pick<FastifyBaseLogger, "warn">) {
  /** Requests that this process carries out: those who wait here need not poll the store. */
  const running = new Map<string, Promise<void>>();

  return async function answerOnce(
    keyed: KeyedRequest,
    work: (operationId: string) => Promise<KeptReply | undefined>,
    signal: AbortSignal,
  ): Promise<OnceOutcome> {
    const request = toIdempotentRequest(keyed);
    const id = JSON.stringify([keyed.teamId, keyed.route, keyed.key]);
    const giveUpAt = performance.now() + WAIT_LIMIT_MS;
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LAST_POLL_MS)) {
      await running.get(id);
      signal.throwIfAborted();
      const outcome = await claimRequest(db, request);
      switch (outcome.kind) {
        case "claimed": {
          const attempt = carryOut(request, outcome.claim, { keyed, work });
          running.set(id, attempt.then(noop, noop)); // those who wait look at the store for what became of it
          const reply = await attempt.finally(() => running.delete(id));
          return reply === undefined ? { kind: "not-kept" } : { kind: "first", reply };
        }
        case "answered":
          return { kind: "replayed", reply: { status: outcome.status, body: unseal(keyed, outcome.body) } };
        case "mismatch":
          throw new AppError(
            "conflict",
            "this Idempotency-Key was used before with another request; use a new key for a new request",
            { details: { tag: "IDEMPOTENCY_KEY_REUSED" } },
          );
        case "running":
          if (performance.now() > giveUpAt) {
            throw new AppError(
              "conflict",
              "the first request with this Idempotency-Key is still running; try again with the same key",
              { retryable: true, retryAfterMs: RETRY_AFTER_MS, details: { tag: "IDEMPOTENT_REQUEST_RUNNING" } },
            );
          }
          if (!running.has(id)) await sleep(pollMs, signal);
      }
    }
  };

  async function carryOut(
    request: IdempotentRequest,
    claim: RequestClaim,
    task: { readonly keyed: KeyedRequest; readonly work: (operationId: string) => Promise<KeptReply | undefined> },
  ): Promise<KeptReply | undefined> {
    const heartbeat = setInterval(() => {
      renewClaim(db, request, claim).catch((error: unknown) => {
        log.warn({ err: error }, "the lease of an idempotent request could not be renewed");
      });
    }, CLAIM_LEASE_MS / 3);
    try {
      const reply = await task.work(claim.operationId);
      if (reply === undefined) {
        await giveUp(request, claim, true);
        return undefined;
      }
      const { sealWith } = task.keyed;
      const body = sealWith === undefined ? reply.body : seal(reply.body, sealWith, request.keyHash);
      await storeReply(db, request, claim, { status: reply.status, body });
      return reply;
    } catch (thrown) {
      const error = AppError.from(thrown);
      await giveUp(request, claim, MAY_HAVE_ACTED.has(error.code));
      throw error;
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** The caller must see the work's failure, not this one's; the lease runs out by itself. */
  async function giveUp(request: IdempotentRequest, claim: RequestClaim, mayHaveActed: boolean): Promise<void> {
    try {
      await giveUpClaim(db, request, claim, { mayHaveActed });
    } catch (error) {
      log.warn({ err: error }, "the claim of a failed idempotent request stays until its lease runs out");
    }
  }
}

/** After these nobody knows how far the work came. */
const MAY_HAVE_ACTED: ReadonlySet<string> = new Set([
  "internal",
  "unavailable",
  "timeout",
  "canceled",
  "upstream_failed",
]);

/** Answers each keyed request once; see `createIdempotency`. */
export type AnswerOnce = ReturnType<typeof createIdempotency>;

function noop(): void {
  // nothing to do: the settled promise is the message
}

function toIdempotentRequest(keyed: KeyedRequest): IdempotentRequest {
  return {
    teamId: keyed.teamId,
    route: keyed.route,
    keyHash: createHash("sha256").update(keyed.key).digest(),
    requestHash: createHash("sha256").update(keyed.content).digest(),
  };
}

function unseal(keyed: KeyedRequest, body: Buffer): Buffer {
  if (keyed.sealWith === undefined) return body;
  const opened = openSealed(body, keyed.sealWith, createHash("sha256").update(keyed.key).digest());
  if (opened !== undefined) return opened;
  throw new AppError(
    "conflict",
    "the reply to this Idempotency-Key holds a secret and is shown again only to the key that asked first",
    { details: { tag: "IDEMPOTENCY_KEY_REUSED" } },
  );
}
