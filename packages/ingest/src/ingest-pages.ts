import type { Database, Transaction } from "@quarry/store";
import { makeIngestTurns, type TakeTurn } from "./ingest-turns.ts";
import type { PageToIngest } from "./page-to-ingest.ts";
import { preparePage, type PrepareDeps, type PreparedPage } from "./prepare-page.ts";
import type { PageReading } from "./read-page.ts";
import { savePrepared, type IngestOutcome } from "./save-prepared.ts";
import { withWholeSnapshots } from "./whole-snapshots.ts";

/** What the write path needs from outside. */
export interface IngestDeps extends PrepareDeps {
  readonly database: Database;
}

/** How a batch is ingested. */
export interface IngestOptions {
  readonly signal?: AbortSignal;
  /** Whether a page that was read is also kept; all are unless told. */
  readonly mayKeep?: (page: PageToIngest, reading: PageReading) => boolean;
  /** Taken before each page; unless told, only so that everything else of this process has its turn too. */
  readonly takeTurn?: TakeTurn;
  /** Writes what belongs to the batch in its transaction. */
  readonly alongside?: (tx: Transaction, outcomes: readonly IngestOutcome[]) => Promise<void>;
}

/**
 * Keeps pages: bytes as snapshots, then text, facts and the note to the index in one transaction, whose commit is the
 * acknowledgement. Outcomes follow the order of the pages.
 */
export async function ingestPages(
  deps: IngestDeps,
  pages: readonly PageToIngest[],
  options: IngestOptions = {},
): Promise<readonly IngestOutcome[]> {
  const prepared = await prepareAll(deps, pages, options);
  options.signal?.throwIfAborted();
  return withWholeSnapshots(deps, prepared, (rewritten) =>
    deps.database.transaction(async (tx) => {
      const outcomes = await savePrepared(tx, prepared, rewritten);
      await options.alongside?.(tx, outcomes);
      return outcomes;
    }),
  );
}

/** So many pages of a batch are prepared at once: enough to keep the disk and the reading threads busy. */
const AT_ONCE = 4;

const takeAnyTurn = makeIngestTurns(() => false);

/** Prepares pages a few at once, each in its turn: a search must not wait for a batch. */
async function prepareAll(
  deps: IngestDeps,
  pages: readonly PageToIngest[],
  options: IngestOptions,
): Promise<readonly PreparedPage[]> {
  const { takeTurn = takeAnyTurn } = options;
  const prepared: PreparedPage[] = [];
  const queue = pages.entries();
  const work = async (): Promise<void> => {
    for (const [place, page] of queue) {
      await takeTurn();
      prepared[place] = await preparePage(deps, page, options);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return prepared;
}
