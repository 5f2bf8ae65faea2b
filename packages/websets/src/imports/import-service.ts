import { createHash, randomBytes } from "node:crypto";
import { AppError, makeId, type Clock } from "@quarry/base";
import { exaEvent, type CreateImport } from "@quarry/contract";
import {
  appendEvent,
  claimUpload,
  createImport,
  deleteImport,
  giveUpUpload,
  startImport,
  type BlobStore,
  type Database,
  type Import,
} from "@quarry/store";
import { showImport } from "./show-import.ts";

/** What imports need. */
export interface ImportDeps {
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** How long an upload address works. */
export const UPLOAD_VALID_MS = 60 * 60 * 1000;
const TOKEN_BYTES = 24;

/** A new import, and the token that lets its file in. */
export interface BegunImport {
  readonly begun: Import;
  readonly uploadToken: string;
}

/** Makes an import that waits for its file, and tells of it. A retry with the same id gets an address that works. */
export async function beginImport(
  deps: ImportDeps,
  wish: CreateImport,
  owner: { readonly id: string; readonly teamId: string },
): Promise<BegunImport> {
  const uploadToken = randomBytes(TOKEN_BYTES).toString("base64url");
  const now = deps.clock.now();
  const begun = await deps.database.transaction(async (tx) => {
    const { made, isNew } = await createImport(tx, {
      ...owner,
      title: wish.title ?? "Untitled import",
      entity: wish.entity,
      metadata: wish.metadata ?? {},
      sizeBytes: wish.size,
      count: wish.count,
      identifierColumn: wish.csv?.identifier ?? null,
      uploadTokenHash: hashToken(uploadToken),
      uploadValidUntil: new Date(now.getTime() + UPLOAD_VALID_MS),
      now,
    });
    if (isNew) await appendEvent(tx, exaEvent(made.teamId, "import.created", showImport(made)), now);
    return made;
  });
  return { begun, uploadToken };
}

/**
 * Takes the file of an import, once. It is kept before the import says so, and whatever is refused (a wrong, used or
 * expired address, a file larger than announced) leaves the import as it was.
 */
export async function receiveUpload(
  deps: ImportDeps,
  id: string,
  upload: { readonly token: string; readonly bytes: Uint8Array },
): Promise<Import> {
  const by = makeId("upload", deps.clock.now());
  const claim = { tokenHash: hashToken(upload.token), by, now: deps.clock.now() };
  const waiting = await claimUpload(deps.database, id, claim);
  try {
    if (upload.bytes.length > waiting.sizeBytes) {
      throw new AppError(
        "too_large",
        `the file has ${upload.bytes.length} bytes, and the import announced ${waiting.sizeBytes}: create one with the real size`,
      );
    }
    const blobKey = `imports/${id}/${by}.csv`;
    await deps.blobs.put(blobKey, upload.bytes);
    try {
      return await deps.database.transaction((tx) => startImport(tx, id, blobKey, deps.clock.now()));
    } catch (error) {
      await deps.blobs.delete(blobKey);
      throw error;
    }
  } catch (error) {
    await giveUpUpload(deps.database, id, by);
    throw error;
  }
}

/** Takes an import away, its rows and its file with it. */
export async function removeImport(deps: ImportDeps, teamId: string, id: string): Promise<Import> {
  const removed = await deps.database.transaction((tx) => deleteImport(tx, teamId, id));
  if (removed.blobKey !== null) await deps.blobs.delete(removed.blobKey);
  return removed;
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
