import type { Validators } from "@quarry/crawl";
import { findSnapshot, type StoredDocument } from "@quarry/store";
import type { IngestDeps } from "../ingest-pages.ts";
import { isDamagedSnapshot } from "../snapshot-store.ts";
import type { StoredCopy } from "./settle-visits.ts";

/** What the server may compare a stored page by. */
export function validatorsOf({ etag, lastModified }: StoredDocument): Validators {
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}

/**
 * The bytes of a document as they were read; undefined when they are gone, or damaged: then the next reading of the
 * page puts whole ones in their place.
 */
export async function readStoredCopy(
  deps: Pick<IngestDeps, "database" | "snapshots">,
  known: StoredDocument,
): Promise<StoredCopy | undefined> {
  const facts = await findSnapshot(deps.database, [known.teamId], known.snapshotId);
  if (facts === undefined) return undefined;
  const { mediaType, charset } = facts;
  try {
    const bytes = await deps.snapshots.get(known.snapshotId);
    if (bytes === undefined) return undefined;
    const contentType = charset === null ? mediaType : `${mediaType}; charset=${charset}`;
    return { bytes, contentType, etag: known.etag, lastModified: known.lastModified };
  } catch (thrown) {
    if (isDamagedSnapshot(thrown)) return undefined;
    throw thrown;
  }
}
