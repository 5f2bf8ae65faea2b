import type { Connection, Session as LanceSession } from "@lancedb/lancedb";
import { AppError, systemClock, type Clock } from "@quarry/base";
import { createAnalyser } from "./analysis/analyser.ts";
import { connect, Session } from "./engine.ts";
import { openReader, openWriter } from "./index-ends.ts";
import type { SearchIndex } from "./search-index.ts";
import { openCatalogTable } from "./tables/catalog.ts";
import { chunkTableName, createIndex, useModel, type EmbeddingModel } from "./tables/create-index.ts";
import { IndexTables } from "./tables/index-tables.ts";
import { DEFAULT_SEAL_TOKENS } from "./write/maintenance.ts";

/** Where an index is and how it is opened. */
export interface SearchIndexOptions {
  /** A directory, `s3://…`, `gs://…`, `az://…` or `db://…`. */
  readonly url: string;
  /** For object storage: keys, region, endpoint, as LanceDB names them. */
  readonly storageOptions?: Readonly<Record<string, string>> | undefined;
  /** One process or thread opens an index to write; others to read, and see its writes within `refreshMs`. */
  readonly access: "write" | "read";
  /** The model whose vectors are searched. A writer with another model than before drops the old vectors. */
  readonly embedding: EmbeddingModel;
  readonly refreshMs?: number | undefined;
  /** Memory the engine may keep of indexes and of file metadata. */
  readonly indexCacheBytes?: number | undefined;
  readonly metadataCacheBytes?: number | undefined;
  /** Tokens kept in memory before they go to the engine; smaller in tests. */
  readonly sealTokens?: number | undefined;
  /** After so long without a write of pages the index comes to rest; shorter in tests. */
  readonly idleAfterMs?: number | undefined;
  /** Whether people search now: a reader then reads new tables before it is asked. */
  readonly isSearched?: (() => boolean) | undefined;
  /** Chunks compared in memory at most; 0: the engine is always asked, as in tests of it. */
  readonly memoryChunks?: number | undefined;
  /** `manual`: maintenance is done by `optimize` alone. */
  readonly maintenance?: "automatic" | "manual" | undefined;
  /** Told of failures in the background, which are tried again. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly clock?: Clock | undefined;
}

const DEFAULT_INDEX_CACHE_BYTES = 512 * 1_024 ** 2;
const DEFAULT_METADATA_CACHE_BYTES = 64 * 1_024 ** 2;
/** Looking for news costs little on a disk, and a few requests on object storage. */
const REFRESH_DIRECTORY_MS = 500;
const REFRESH_REMOTE_MS = 1_500;

/**
 * Opens an index; a writer makes it where there is none. Throws `conflict` when it has another format (with the
 * command that builds it anew), `unavailable` when a reader comes before the first writer.
 */
export async function openSearchIndex(options: SearchIndexOptions): Promise<SearchIndex> {
  const session = new Session(
    BigInt(options.indexCacheBytes ?? DEFAULT_INDEX_CACHE_BYTES),
    BigInt(options.metadataCacheBytes ?? DEFAULT_METADATA_CACHE_BYTES),
  );
  const clock = options.clock ?? systemClock;
  const connection = await connectTo(options, session);
  try {
    const parts = {
      tables: await openTables(connection, options, clock),
      analyser: createAnalyser(),
      session,
      directory: directoryOf(options.url),
      clock,
      onError: options.onError ?? (() => undefined),
    };
    if (options.access === "write") {
      return await openWriter(parts, {
        sealTokens: options.sealTokens ?? DEFAULT_SEAL_TOKENS,
        isAutomatic: options.maintenance !== "manual",
        idleAfterMs: options.idleAfterMs,
      });
    }
    const refreshMs = parts.directory === undefined ? REFRESH_REMOTE_MS : REFRESH_DIRECTORY_MS;
    return openReader(parts, { refreshMs: options.refreshMs ?? refreshMs, isSearched: options.isSearched });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Drops every table of an index, whatever its format, so that it can be built anew. No one may have it open. */
export async function dropSearchIndex(options: Pick<SearchIndexOptions, "url" | "storageOptions">): Promise<void> {
  const connection = await connectTo(options, undefined);
  try {
    for (const name of await connection.tableNames()) await connection.dropTable(name);
  } finally {
    connection.close();
  }
}

function connectTo(
  { url, storageOptions }: Pick<SearchIndexOptions, "url" | "storageOptions">,
  session: LanceSession | undefined,
): Promise<Connection> {
  return connect(url, {
    storageOptions: { ...storageOptions, newTableEnableStableRowIds: "true" },
    ...(session === undefined ? {} : { session }),
  });
}

async function openTables(connection: Connection, options: SearchIndexOptions, clock: Clock): Promise<IndexTables> {
  const { access, embedding, memoryChunks } = options;
  const chunks = { chunkTable: chunkTableName(embedding), memoryChunks };
  const found = await openCatalogTable(connection);
  if (access === "write") {
    const catalogTable = found ?? (await createIndex(connection));
    await useModel(connection, catalogTable, embedding, clock.now());
    return IndexTables.open(connection, catalogTable, chunks);
  }
  if (found === undefined) {
    throw new AppError("unavailable", "the search index is not there yet; the indexer makes it when it starts", {
      retryable: true,
    });
  }
  return IndexTables.open(connection, found, chunks);
}

/** Where the files are, when they are on this machine. */
function directoryOf(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(url) ? undefined : url;
}
