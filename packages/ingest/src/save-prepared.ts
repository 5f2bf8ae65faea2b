import type { AppError } from "@quarry/base";
import { chooseCanonical, NEAR_DUPLICATE_BITS, simhashDistance } from "@quarry/crawl";
import {
  findDocuments,
  findDuplicates,
  keepBlobs,
  saveDocuments,
  saveExtractedTexts,
  saveSnapshots,
  type DocumentToSave,
  type SavedDocument,
  type Transaction,
} from "@quarry/store";
import type { PreparedPage } from "./prepare-page.ts";
import type { PageReading } from "./read-page.ts";
import { snapshotKey } from "./snapshot-store.ts";
import type { UnplacedDocument } from "./to-document.ts";

/** What became of one page. A page that cannot be read is an answer, not an exception. */
export type IngestOutcome =
  | {
      readonly kind: "saved";
      readonly url: string;
      readonly saved: SavedDocument;
      readonly snapshotId: string;
      readonly canonicalUrl: string | null;
      readonly reading: PageReading;
    }
  /** Read, and not to be kept: the page asks for that. */
  | { readonly kind: "passed-over"; readonly url: string; readonly reading: PageReading }
  | { readonly kind: "unreadable"; readonly url: string; readonly error: AppError };

type PageToKeep = Extract<PreparedPage, { kind: "to-keep" }>;

/** Writes the rows of pages whose snapshots are kept: text, facts and the note to the index. Outcomes follow the pages. */
export async function savePrepared(
  tx: Transaction,
  prepared: readonly PreparedPage[],
  /** Snapshots whose bytes were written again, since they were on their way out. */
  rewritten: ReadonlySet<string> = new Set(),
): Promise<readonly IngestOutcome[]> {
  const kept = prepared.filter((one) => one.kind === "to-keep");
  const saved = kept.length === 0 ? [] : await saveKept(tx, kept, rewritten);
  let next = 0;
  return prepared.map((one) => {
    if (one.kind === "passed-over") return { kind: one.kind, url: one.page.url, reading: one.reading };
    if (one.kind === "unreadable") return { kind: one.kind, url: one.page.url, error: one.error };
    const outcome = saved[next];
    next += 1;
    if (outcome === undefined) throw new Error("a page was kept and nothing became of it");
    return outcome;
  });
}

async function saveKept(
  tx: Transaction,
  kept: readonly PageToKeep[],
  rewritten: ReadonlySet<string>,
): Promise<readonly IngestOutcome[]> {
  await saveSnapshots(
    tx,
    kept.map(({ page, snapshotId, byteLength, reading }) => ({
      id: snapshotId,
      mediaType: reading.mediaType,
      charset: reading.charset ?? null,
      byteLength,
      createdAt: page.fetchedAt,
    })),
  );
  await keepBlobs(
    tx,
    kept.map(({ snapshotId }) => snapshotKey(snapshotId)),
    new Set([...rewritten].map(snapshotKey)),
  );
  await saveExtractedTexts(
    tx,
    kept.map(({ snapshotId, reading: { extractorVersion, text, markdown, sourceMap } }) => ({
      snapshotId,
      extractorVersion,
      text,
      markdown,
      sourceMap,
    })),
    new Date(),
  );
  const documents = await placeAll(tx, kept);
  const saved = await saveDocuments(tx, documents);
  return kept.map(({ page, snapshotId, reading }, index) => {
    const result = saved[index];
    if (result === undefined) throw new Error("saveDocuments answered fewer documents than it was given");
    const canonicalUrl = documents[index]?.canonicalUrl ?? null;
    return { kind: "saved", url: page.url, saved: result, snapshotId, canonicalUrl, reading };
  });
}

/**
 * Finds the page that stands for each: what it declares itself, where we have that page or it comes with this batch;
 * else an older one alike, or an earlier one of the batch.
 */
async function placeAll(tx: Transaction, kept: readonly PageToKeep[]): Promise<readonly DocumentToSave[]> {
  const declared = kept.map(declaredCanonicalOf);
  const twins = await findStoredTwins(tx, kept, declared);
  const known = await findDeclared(tx, kept, { declared, twins });
  const placed: DocumentToSave[] = [];
  kept.forEach(({ document }, index) => {
    const claim = declared[index];
    const canonicalUrl =
      claim !== undefined && known.has(keyOf(document.teamId, claim))
        ? claim
        : (twins[index] ?? findTwin(placed, document) ?? null);
    placed.push({ ...document, canonicalUrl });
  });
  return placed;
}

function declaredCanonicalOf({ page, reading }: PageToKeep): string | undefined {
  if (reading.declaredCanonical === undefined) return undefined;
  const choice = chooseCanonical({ url: page.url, links: [reading.declaredCanonical] });
  return choice.kind === "declared" ? choice.url : undefined;
}

/** The older page alike of each, unless that comes with this batch and declares the page itself. */
async function findStoredTwins(
  tx: Transaction,
  kept: readonly PageToKeep[],
  declared: readonly (string | undefined)[],
): Promise<readonly (string | undefined)[]> {
  const claims = new Map(kept.map(({ document: { teamId, url } }, index) => [keyOf(teamId, url), declared[index]]));
  const twins = await findDuplicates(
    tx,
    kept.map(({ document }) => document),
    NEAR_DUPLICATE_BITS,
  );
  return twins.map((twin, index) => {
    const document = kept[index]?.document;
    if (twin === undefined || document === undefined) return undefined;
    return claims.get(keyOf(document.teamId, twin)) === document.url ? undefined : twin;
  });
}

/** Those declared pages that stand for themselves, in the store or in this batch, by team and URL. */
async function findDeclared(
  tx: Transaction,
  kept: readonly PageToKeep[],
  {
    declared,
    twins,
  }: { readonly declared: readonly (string | undefined)[]; readonly twins: readonly (string | undefined)[] },
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const teamId of new Set(kept.map(({ document }) => document.teamId))) {
    const urls = kept.flatMap(({ document }, index) => (document.teamId === teamId ? (declared[index] ?? []) : []));
    if (urls.length === 0) continue;
    for (const [url, { canonicalUrl }] of await findDocuments(tx, [teamId], urls)) {
      if (canonicalUrl === null) known.add(keyOf(teamId, url));
    }
  }
  kept.forEach(({ document }, index) => {
    if (declared[index] === undefined && twins[index] === undefined) known.add(keyOf(document.teamId, document.url));
  });
  return known;
}

/** The first page of the batch that is alike and stands for itself. */
function findTwin(placed: readonly DocumentToSave[], document: UnplacedDocument): string | undefined {
  return placed.find(
    (other) =>
      other.canonicalUrl === null &&
      other.teamId === document.teamId &&
      other.url !== document.url &&
      (Buffer.compare(other.contentHash, document.contentHash) === 0 ||
        (other.simhash !== null &&
          document.simhash !== null &&
          simhashDistance(other.simhash.hash, document.simhash.hash) <= NEAR_DUPLICATE_BITS)),
  )?.url;
}

function keyOf(teamId: string, url: string): string {
  return `${teamId}\n${url}`;
}
