import {
  endLeases,
  lockDataDirectory,
  migrate,
  openDatabase,
  startEmbeddedPostgres,
  type Database,
  type DatabaseAddress,
} from "@quarry/store";
import type { Logger } from "pino";
import { closeAll } from "./close-all.ts";

/** The database, ready to use, and what to close with it. */
export interface OpenStore {
  readonly database: Database;
  /** For other processes of this server. */
  readonly address: DatabaseAddress;
  /** For people: which PostgreSQL this is. */
  readonly description: string;
  /** Tells a second start on this data directory where the first one answers. */
  readonly announceUrl: (url: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connections of the pool: more than the jobs that run at once, far fewer than the server allows. */
const MAX_CONNECTIONS = 20;

/**
 * Opens the database that the settings name, and brings its tables up to date. Without a URL that is the embedded
 * PostgreSQL, for which this process first becomes the one owner of the data directory.
 */
export async function openStore(options: {
  readonly databaseUrl: string | undefined;
  readonly dataDirectory: string;
  /** Left out when the caller brings the tables itself. */
  readonly migrationsDirectory?: string;
  readonly logger: Logger;
}): Promise<OpenStore> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await closeAll(closers.splice(0).reverse());
  };
  try {
    let announceUrl: OpenStore["announceUrl"] = () => Promise.resolve();
    let address: DatabaseAddress;
    if (options.databaseUrl === undefined) {
      const lock = await lockDataDirectory(options.dataDirectory);
      closers.push(lock.release);
      announceUrl = lock.announceUrl;
      const server = await startEmbeddedPostgres({
        dataDirectory: options.dataDirectory,
        onEvent: (event) => options.logger.warn(event, "the embedded database"),
      });
      closers.push(server.stop);
      address = server.address;
    } else {
      address = options.databaseUrl;
    }
    const database = await openDatabase({
      address,
      maxConnections: MAX_CONNECTIONS,
      onError: (error) => options.logger.warn({ err: error }, "a database connection"),
    });
    closers.push(database.close);
    if (options.migrationsDirectory !== undefined) {
      options.logger.debug(await migrate(database, options.migrationsDirectory), "migrations");
      // The database that this process has just started is nobody else's: whoever holds a lease there is gone.
      if (options.databaseUrl === undefined) await endLeases(database);
    }
    const description = await describe(database, options.databaseUrl === undefined);
    return { database, address, description, announceUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function describe(database: Database, isEmbedded: boolean): Promise<string> {
  const [row] = await database.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  const version = row?.version.split(" ")[0] ?? "";
  return `PostgreSQL ${version}${isEmbedded ? " inside" : ""}`;
}
