import { PassThrough } from "node:stream";
import { backupDatabase, type BlobStore, type Database } from "@quarry/store";
import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { requireOperator, type OperatorDeps } from "./operator.ts";

/** What the backup route needs. */
export interface BackupDeps extends OperatorDeps {
  readonly db: Database;
  readonly blobs: BlobStore;
}

/** A copy of the whole database and of all snapshots, as of one moment. */
export function backupRoutes(deps: BackupDeps): readonly Route[] {
  return [
    defineRoute({
      name: "takeBackup",
      method: "GET",
      path: "/quarry/v1/backup",
      tag: "Operation",
      summary: "Stream a backup of every row and every snapshot, as of one moment",
      description:
        "Gzip of NDJSON, with its own checksum; `quarry restore FILE` reads it. Keys are in it as hashes only; the " +
        "secrets that sign webhooks and download addresses are in it as they are, so keep it as safe as the database. " +
        "A download that breaks off is recognised as incomplete when restored.",
      access: "admin",
      replyMediaType: "application/gzip",
      response: z.string(),
      handle: (_, { caller, signal, log }) => {
        requireOperator(deps, caller, "a backup holds the rows of all teams");
        const output = new PassThrough();
        backupDatabase(deps.db, output, { signal, blobs: deps.blobs }).catch((error: unknown) => {
          // The status is out already: cutting the stream is how the client learns.
          log.warn({ err: error }, "a backup broke off");
          output.destroy(error instanceof Error ? error : new Error(String(error)));
        });
        return Promise.resolve(
          bytesReply(output, {
            mediaType: "application/gzip",
            headers: { "content-disposition": 'attachment; filename="quarry-backup.ndjson.gz"' },
          }),
        );
      },
    }),
  ];
}
