import { createHash } from "node:crypto";
import { chooseCanonical, simhashKeys, simhashOf } from "@quarry/crawl";
import type { DocumentToSave, Fingerprint } from "@quarry/store";
import type { PageToIngest } from "./page-to-ingest.ts";
import type { PageReading } from "./read-page.ts";

/** A document ready to be saved, but for its place among others. */
export type UnplacedDocument = Omit<DocumentToSave, "canonicalUrl">;

/** What extraction found, as the store keeps it; what the giver knows goes before what the page says. */
export function toDocument(page: PageToIngest, snapshotId: string, reading: PageReading): UnplacedDocument {
  const given = page.given ?? {};
  const shown = {
    title: given.title ?? reading.title ?? null,
    author: given.author ?? reading.author ?? null,
    publishedAt: given.publishedAt ?? reading.publishedAt ?? null,
    language: given.language ?? reading.language ?? null,
    category: given.category ?? null,
    siteName: reading.siteName ?? null,
    description: reading.description ?? null,
    favicon: reading.favicon ?? null,
    image: reading.image ?? null,
  };
  return {
    ...shown,
    teamId: page.teamId,
    url: page.url,
    snapshotId,
    extractorVersion: reading.extractorVersion,
    wordCount: countWords(reading.text),
    details: page.isRendered === true ? { ...reading.details, rendered: true } : reading.details,
    contentHash: createHash("sha256")
      .update(JSON.stringify([shown, reading.text]))
      .digest(),
    simhash: fingerprintOf(reading.text),
    declaredUrl: declaredUrlOf(page.url, reading),
    source: page.source,
    crawledAt: page.fetchedAt,
    etag: page.etag ?? null,
    lastModified: page.lastModified ?? null,
  };
}

function declaredUrlOf(url: string, { declaredCanonical }: PageReading): string | null {
  if (declaredCanonical === undefined) return null;
  const choice = chooseCanonical({ url, links: [declaredCanonical] });
  return choice.kind === "declared" ? choice.url : null;
}

function fingerprintOf(text: string): Fingerprint | null {
  const hash = simhashOf(text);
  return hash === undefined ? null : { hash, keys: simhashKeys(hash) };
}

function countWords(text: string): number {
  return text.match(WORD_STARTS)?.length ?? 0;
}

/** Where words begin: a pattern of whole words remembers each letter, and a word of millions leaves it no room. */
const WORD_STARTS = /(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu;
