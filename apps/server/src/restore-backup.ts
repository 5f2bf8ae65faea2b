import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";
import type { Config } from "@quarry/config";
import { restoreDatabase, type BackupReport } from "@quarry/store";
import type { Logger } from "pino";
import { openBlobs } from "./open-blobs.ts";
import { openStore } from "./open-store.ts";

/**
 * Puts a backup into the database that the settings name: an embedded one that no server owns, or another, in
 * either case without rows. All of it is there afterwards, or nothing.
 */
export async function restoreBackup(
  file: string,
  options: {
    readonly config: Config;
    readonly logger: Logger;
    readonly bundleDirectory: string;
    readonly objectStorage: Readonly<Record<string, string>>;
  },
): Promise<BackupReport> {
  const { config, logger, bundleDirectory } = options;
  await access(file).catch((cause: unknown) => {
    throw new AppError("not_found", `there is no backup to read at ${file}`, { cause });
  });
  const store = await openStore({ databaseUrl: config.databaseUrl, dataDirectory: config.dataDir, logger });
  try {
    const blobs = openBlobs(config, options.objectStorage);
    try {
      return await restoreDatabase(store.database, createReadStream(file), {
        migrationsDirectory: path.join(bundleDirectory, "migrations"),
        blobs: blobs.store,
      });
    } finally {
      await blobs.close();
    }
  } finally {
    await store.close();
  }
}
