import { createHash } from "node:crypto";
import type { Database } from "../database.ts";
import { saveExtractedTexts, saveSnapshots } from "./extracted-texts.ts";
import { saveDocuments, type DocumentToSave, type Fingerprint, type SavedDocument } from "./save-documents.ts";

/** When documents were read, unless told. */
export const now = new Date("2026-03-01T10:00:00.123Z");

/** A document whose snapshot, text and hash follow from `text`. */
export function documentOf(
  url: string,
  text: string,
  change: Partial<DocumentToSave> = {},
): DocumentToSave & { text: string } {
  return {
    teamId: "one",
    url,
    snapshotId: createHash("sha256").update(text).digest("hex"),
    extractorVersion: "test-1",
    title: `Title of ${url}`,
    author: null,
    publishedAt: null,
    language: "en",
    category: null,
    siteName: null,
    description: null,
    favicon: null,
    image: null,
    wordCount: 2,
    details: { links: [{ url: "https://e.org/x", text: "x" }] },
    contentHash: createHash("sha256").update(`content ${text}`).digest(),
    simhash: null,
    canonicalUrl: null,
    declaredUrl: null,
    source: "api",
    crawledAt: now,
    etag: null,
    lastModified: null,
    ...change,
    text,
  };
}

/** Saves documents with their snapshots and texts, in one transaction. */
export function save(
  db: Database,
  ...documents: (DocumentToSave & { text: string })[]
): Promise<readonly SavedDocument[]> {
  return db.transaction(async (tx) => {
    await saveSnapshots(
      tx,
      documents.map(({ snapshotId, text }) => ({
        id: snapshotId,
        mediaType: "text/plain",
        charset: "utf-8",
        byteLength: text.length,
        createdAt: now,
      })),
    );
    await saveExtractedTexts(
      tx,
      documents.map(({ snapshotId, text }) => ({
        snapshotId,
        extractorVersion: "test-1",
        text,
        markdown: text,
        sourceMap: null,
      })),
      now,
    );
    return saveDocuments(tx, documents);
  });
}

/** So long after `now`. */
export function later(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000);
}

/** A fingerprint whose keys are its bytes: enough for hashes that differ in few of them. */
export function fingerprint(bits: bigint): Fingerprint {
  const hash = BigInt.asUintN(64, bits).toString(16).padStart(16, "0");
  return { hash, keys: [...Buffer.from(hash, "hex")].map((byte, place) => place * 256 + byte) };
}
