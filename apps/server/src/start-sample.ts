import { sleep } from "@quarry/base";
import { loadSample, type IndexedQuestion, type LoadSampleDeps } from "@quarry/ingest";
import { SHARED_TEAM } from "@quarry/store";
import type { Logger } from "pino";

/** The sample's pages on their way into a store. */
export interface SampleStart {
  /** Whether all pages are in the store, or none were needed. */
  readonly isDone: () => boolean;
  /** Resolves once searches find them by their words; at once when there are none to load, and after `waitMs` anyway. */
  readonly searchable: (waitMs: number) => Promise<void>;
  /** Leaves the rest to the next start. */
  readonly close: () => Promise<void>;
}

/** What giving a new store its first pages needs. */
export interface SampleStartDeps extends LoadSampleDeps {
  readonly isIndexed: (question: IndexedQuestion, signal: AbortSignal) => Promise<boolean>;
  readonly logger: Logger;
}

/** The indexer needs seconds; a machine that is busy otherwise gets minutes. */
const INDEX_WAIT_MS = 120_000;

/** Begins to load the sample if this store has yet to get it, or its owner wants it. A sample that cannot be loaded is logged: Quarry works without. */
export function startSample(deps: SampleStartDeps, directory: string): SampleStart {
  const stop = new AbortController();
  let isDone = false;
  const done = load(deps, directory, stop.signal)
    .then(() => {
      isDone = true;
    })
    .catch((error: unknown) => {
      if (!stop.signal.aborted) deps.logger.error({ err: error }, "the sample's pages could not be loaded");
    });
  return {
    isDone: () => isDone,
    searchable: async (waitMs) => {
      const enough = new AbortController();
      await Promise.race([done, sleep(waitMs, enough.signal).catch(() => undefined)]); // cut short: that is its end
      enough.abort();
    },
    close: async () => {
      stop.abort();
      await done;
    },
  };
}

async function load(deps: SampleStartDeps, directory: string, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  const outcome = await loadSample(deps, directory, signal);
  if (outcome.kind === "not-needed") return;
  const { urls } = outcome;
  await deps.isIndexed({ teamId: SHARED_TEAM, urls, waitMs: INDEX_WAIT_MS }, signal);
  deps.logger.info({ pages: urls.length, ms: Math.round(performance.now() - began) }, "the sample's pages are there");
}
