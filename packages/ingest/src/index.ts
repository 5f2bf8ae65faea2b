export { compareTexts } from "./compare-versions.ts";
export type { TextChange } from "./compare-versions.ts";
export { ingestPages } from "./ingest-pages.ts";
export type { IngestDeps, IngestOutcome } from "./ingest-pages.ts";
export { packOffsets, unpackOffsets } from "./pack-offsets.ts";
export type { GivenFacts, PageToIngest } from "./page-to-ingest.ts";
export type { PageInput, PageReading, ReadOutcome, ReadPage } from "./read-page.ts";
export { createSnapshotStore } from "./snapshot-store.ts";
export type { SnapshotStore } from "./snapshot-store.ts";
