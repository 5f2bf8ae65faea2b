import path from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@quarry/base";
import type { Config } from "@quarry/config";
import {
  backupRoutes,
  crawlHostRoutes,
  crawlRoutes,
  documentRoutes,
  extractRoutes,
  indexAdminRoutes,
  indexTransferRoutes,
  retentionRoutes,
  snapshotRoutes,
  type Route,
} from "@quarry/doors";
import {
  createCrawlJobHandler,
  createPageReader,
  createRecrawlJobHandler,
  createRetentionJobHandler,
  createSnapshotStore,
  ingestPages,
  makeIngestTurns,
  mapSite,
  RECRAWL_JOB,
  RETENTION_JOB,
  scheduleRecrawls,
  scheduleRetention,
  type IngestDeps,
  type PageToIngest,
} from "@quarry/ingest";
import { CRAWL_JOB, type BlobStore, type Database, type JobHandler } from "@quarry/store";
import type { Indexing } from "./indexing/open-indexing.ts";
import { openBlobs } from "./open-blobs.ts";
import { wireVisits, type Visiting } from "./wire-visits.ts";

/** Threads that read pages; two keep both cores of a small machine busy during a bulk load, and none otherwise. */
const READING_THREADS = 2;

/** The write path up to stored pages. */
export interface WiredIngest extends IngestDeps {
  readonly blobs: BlobStore;
  readonly visiting: Visiting;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly schedule: () => Promise<void>;
  /** Crawls, documents, snapshots, and the care of what is stored. */
  readonly routes: (serving: { readonly indexing: Indexing; readonly operatorTeamId: string }) => readonly Route[];
  readonly close: () => Promise<void>;
}

/** Puts fetching, reading and storing pages together. */
export function wireIngest(parts: {
  readonly config: Config;
  readonly database: Database;
  readonly version: string;
  readonly searchPath: readonly string[];
  readonly objectStorage: Readonly<Record<string, string>>;
  readonly bundleDirectory: string;
}): WiredIngest {
  const { config, database, version, searchPath } = parts;
  const clock = systemClock;
  const { readPage, close: closeReader } = createPageReader({
    entry: pathToFileURL(path.join(parts.bundleDirectory, "read-page-thread.js")),
    threads: READING_THREADS,
  });
  const { store: blobs, close: closeBlobs } = openBlobs(config, parts.objectStorage);
  const snapshots = createSnapshotStore(blobs);
  const visiting = wireVisits({ config, version, searchPath });
  const { visits, renderer } = visiting;
  const storing = { database, snapshots, readPage };
  const policy = {
    versions: config.retainVersions,
    versionDays: config.retainVersionDays,
    usageDays: config.retainUsageDays,
  };
  return {
    ...storing,
    blobs,
    visiting,
    handlers: {
      [CRAWL_JOB]: createCrawlJobHandler({ ...storing, renderer, ...visits }),
      [RECRAWL_JOB]: createRecrawlJobHandler({ database, now: clock.now }),
      [RETENTION_JOB]: createRetentionJobHandler({ database, blobs, policy, now: clock.now }),
    },
    schedule: async () => {
      await scheduleRecrawls(database);
      await scheduleRetention(database);
    },
    routes: ({ indexing, operatorTeamId }) => {
      const operating = { db: database, operatorTeamId };
      const takeTurn = makeIngestTurns(indexing.isSearched);
      const documents = {
        ...operating,
        clock,
        isIndexed: indexing.isIndexed,
        ingest: async (pages: readonly PageToIngest[], signal: AbortSignal) => {
          await indexing.waitForRoom(signal);
          return ingestPages(storing, pages, { signal, takeTurn });
        },
      };
      return [
        ...documentRoutes(documents),
        ...indexAdminRoutes({ ...documents, searchIndexStats: indexing.stats }),
        ...indexTransferRoutes({ ...documents, snapshots, software: `Quarry/${version}` }),
        ...crawlRoutes({
          db: database,
          clock,
          isOpenedHost: visiting.isOpenedHost,
          mapSite: (wish, signal) => mapSite({ ...visits, readPage }, wish, signal),
        }),
        ...crawlHostRoutes({ ...visits.robots, ...visits.paces, agent: visits.agent }),
        ...extractRoutes({ readPage, clock }),
        ...snapshotRoutes({ db: database, snapshots }),
        ...backupRoutes({ ...operating, blobs }),
        ...retentionRoutes({ ...operating, clock, policy }),
      ];
    },
    close: async () => {
      await visiting.close();
      await closeBlobs();
      await closeReader();
    },
  };
}
