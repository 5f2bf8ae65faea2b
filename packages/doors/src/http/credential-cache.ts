import { createHash } from "node:crypto";
import type { Clock } from "@quarry/base";
import type { Credential } from "@quarry/store";

/** How long a checked secret is trusted without a look at the store: other processes' revocations take this long. */
const CACHE_LIFETIME_MS = 5_000;
const MAX_ENTRIES = 10_000;

/**
 * Remembers for a few seconds what secrets stand for, unknown ones too, so that a
 * busy key costs no query. `forgetAll` after every change made in this process.
 * Entries are promises: callers that come at once share one query.
 */
export function createCredentialCache(clock: Clock, find: (secret: string) => Promise<Credential | undefined>) {
  const entries = new Map<
    string,
    { readonly loadedAt: number; readonly credential: Promise<Credential | undefined> }
  >();

  return {
    /** What the secret stands for now; undefined for an unknown, revoked or expired one. */
    async get(secret: string): Promise<Credential | undefined> {
      const now = clock.now();
      // By digest: the time a lookup takes then tells nothing about the secret.
      const id = createHash("sha256").update(secret).digest("base64");
      const known = entries.get(id);
      const isFresh = known !== undefined && Math.abs(now.getTime() - known.loadedAt) < CACHE_LIFETIME_MS;
      const credential = await (isFresh ? known.credential : load(id, secret, now));
      const hasEnded = credential?.validUntil != null && credential.validUntil <= now;
      return hasEnded ? undefined : credential;
    },

    forgetAll(): void {
      entries.clear();
    },
  };

  function load(id: string, secret: string, now: Date): Promise<Credential | undefined> {
    const entry = { loadedAt: now.getTime(), credential: find(secret) };
    entries.delete(id);
    entries.set(id, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_ENTRIES) break;
      entries.delete(oldest);
    }
    entry.credential.catch(() => {
      // Whoever asked gets the failure; only the entry must not stay.
      if (entries.get(id) === entry) entries.delete(id);
    });
    return entry.credential;
  }
}

/** Remembers what secrets stand for; see `createCredentialCache`. */
export type CredentialCache = ReturnType<typeof createCredentialCache>;
