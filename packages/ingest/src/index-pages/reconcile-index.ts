import { sleep } from "@quarry/base";
import type { IndexedVersion, SearchIndex } from "@quarry/retrieval";
import {
  findExpectedVersions,
  listExpectedVersions,
  requeueAbove,
  requeueVectors,
  requeueWords,
  type Database,
  type DocumentPlace,
  type ExpectedVersion,
} from "@quarry/store";

/** What comparing needs. */
export interface ReconcileDeps {
  readonly database: Database;
  /** The writer's own end: it sees every write at once. */
  readonly index: Pick<SearchIndex, "findVersions" | "listVersions" | "remove">;
  /** The model whose vectors the index holds. */
  readonly model: string;
}

/** What a comparison found, by kind; everything found is mended, or queued to be. */
export interface ReconcileReport {
  /** Documents of the store, and how many of them wait for the indexer anyway. */
  readonly documents: number;
  readonly waiting: number;
  /** Pages of the index. */
  readonly pages: number;
  /** Documents the index has not. */
  readonly missing: number;
  /** Documents it has in an older version. */
  readonly outdated: number;
  /** Documents it has in a version the store has not come to. */
  readonly ahead: number;
  /** Pages of documents that are gone. */
  readonly orphaned: number;
  /** Documents whose vectors are not all there. */
  readonly withoutVectors: number;
}

const PART = 500;
/** Between parts, so that searches and writes go first. */
const PAUSE_MS = 10;

/**
 * Compares store and index, part by part, while both are at work; queues what the index lacks and removes what the
 * store has not. The store is read before the index, and whatever differs is read again: a change on its way is none.
 */
export async function reconcileIndex(deps: ReconcileDeps, signal: AbortSignal): Promise<ReconcileReport> {
  const total = {
    documents: 0,
    waiting: 0,
    pages: 0,
    missing: 0,
    outdated: 0,
    ahead: 0,
    orphaned: 0,
    withoutVectors: 0,
  };
  for (let after: DocumentPlace | undefined, isLast = false; !isLast;) {
    await sleep(PAUSE_MS, signal);
    const expected = await listExpectedVersions(deps.database, deps.model, { after, limit: PART });
    isLast = expected.length < PART;
    after = expected.at(-1);
    total.documents += expected.filter(({ isDeleted }) => !isDeleted).length;
    total.waiting += expected.filter(({ isQueued }) => isQueued).length;
    const differences = await compare(deps, expected);
    total.missing += differences.missing.length;
    total.outdated += differences.outdated.length;
    total.ahead += differences.ahead.length;
    total.withoutVectors += differences.withoutVectors.length;
    await mend(deps, differences);
  }
  for (let after: string | undefined, isLast = false; !isLast;) {
    await sleep(PAUSE_MS, signal);
    const { versions, next } = await deps.index.listVersions({ after, limit: PART });
    isLast = next === null;
    after = next ?? undefined;
    total.pages += versions.length;
    const orphans = await findOrphans(deps, versions);
    total.orphaned += orphans.length;
    // One above what is there; the document is gone, so no version of it can be on its way.
    if (orphans.length > 0) await deps.index.remove(orphans.map((page) => ({ ...page, version: page.version + 1 })));
  }
  return total;
}

/** How many differences a comparison found. */
export function countDifferences(report: ReconcileReport): number {
  return report.missing + report.outdated + report.ahead + report.orphaned + report.withoutVectors;
}

interface Differences {
  readonly missing: readonly ExpectedVersion[];
  readonly outdated: readonly ExpectedVersion[];
  readonly ahead: readonly (ExpectedVersion & { readonly indexedVersion: number })[];
  readonly withoutVectors: readonly ExpectedVersion[];
}

async function compare(deps: ReconcileDeps, given: readonly ExpectedVersion[]): Promise<Differences> {
  const first = await sortOut(deps, given);
  const suspects = [...first.missing, ...first.outdated, ...first.ahead, ...first.withoutVectors];
  if (suspects.length === 0) return first;
  const now = await findExpectedVersions(deps.database, deps.model, suspects);
  const versions = new Map(suspects.map((one) => [keyOf(one), one.version]));
  return sortOut(
    deps,
    now.filter((one) => one.version === versions.get(keyOf(one))),
  );
}

async function sortOut({ index }: ReconcileDeps, given: readonly ExpectedVersion[]): Promise<Differences> {
  const settled = given.filter(({ isQueued }) => !isQueued);
  const indexed = new Map((await index.findVersions(settled)).map((one) => [keyOf(one), one]));
  const found: { [Kind in keyof Differences]: Differences[Kind][number][] } = {
    missing: [],
    outdated: [],
    ahead: [],
    withoutVectors: [],
  };
  for (const one of settled) {
    const there = indexed.get(keyOf(one));
    if (one.isDeleted || there === undefined) found.missing.push(one);
    else if (there.version < one.version) found.outdated.push(one);
    else if (there.version > one.version) found.ahead.push({ ...one, indexedVersion: there.version });
    else if (!one.isEmbeddingQueued && there.chunkCount !== one.passageCount) found.withoutVectors.push(one);
  }
  return found;
}

async function mend({ database }: ReconcileDeps, differences: Differences): Promise<void> {
  const { missing, outdated, ahead, withoutVectors } = differences;
  if (missing.length + outdated.length > 0) await requeueWords(database, [...missing, ...outdated]);
  if (withoutVectors.length > 0) await requeueVectors(database, withoutVectors);
  if (ahead.length > 0) {
    await requeueAbove(database, ahead, Math.max(...ahead.map(({ indexedVersion }) => indexedVersion)));
  }
}

/** Pages whose document is gone, and which are still there when looked at again. */
async function findOrphans(
  { database, index, model }: ReconcileDeps,
  pages: readonly IndexedVersion[],
): Promise<readonly IndexedVersion[]> {
  const known = new Set((await findExpectedVersions(database, model, pages)).map(keyOf));
  const suspects = pages.filter((page) => !known.has(keyOf(page)));
  return suspects.length === 0 ? [] : index.findVersions(suspects);
}

function keyOf({ teamId, url }: DocumentPlace): string {
  return `${teamId}\n${url}`;
}
