import { AppError } from "@quarry/base";
import { exaEvent } from "@quarry/contract";
import {
  appendEvent,
  cutExport,
  dropExpiredBacktests,
  failMissedImports,
  findKnownFiles,
  findWebsetExport,
  finishWebsetExport,
  forgetExportFile,
  listOldExports,
  setJobSchedule,
  type Database,
  type JobHandler,
} from "@quarry/store";
import { EXPORT_BLOBS, removeExportFile, writeExportFile } from "./export-file.ts";
import { showExport, type ExportDeps } from "./export-service.ts";

/** The kind of the daily job that throws away old files. */
export const FILE_SWEEP_JOB = "file-sweep";

/** How long a file is kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Tries that end in an error of our own before the export is said to have failed. */
const TRIES = 5;
const OLD_PER_ROUND = 100;
const IMPORT_BLOBS = "imports";

/** Cuts a webset's items, once, and writes them to a file; a try after a crash writes the same file from the same cut. */
export function createExportJobHandler(deps: ExportDeps): JobHandler {
  return async (run) => {
    const { exportId } = run.job.payload as { readonly exportId: string };
    const found = await findWebsetExport(deps.database, exportId);
    if (found === undefined) return run.complete(); // its webset was deleted
    const cut = await deps.database.transaction((tx) => cutExport(tx, found, deps.clock.now()));
    if (cut === undefined) return run.complete();
    try {
      const file = await writeExportFile(deps, cut, run.signal);
      return await run.complete(async (tx) => {
        const now = deps.clock.now();
        const end = { status: "completed", ...file, keptUntil: new Date(now.getTime() + KEPT_MS) } as const;
        const finished = await finishWebsetExport(tx, exportId, end, now);
        if (finished === undefined) return;
        await appendEvent(tx, exaEvent(finished.teamId, "webset.export.completed", showExport(finished, now)), now);
      });
    } catch (thrown) {
      run.signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (error.code !== "unprocessable" && run.job.attempts < TRIES) throw error;
      const end = { status: "failed", message: error.message } as const;
      return run.complete(async (tx) => {
        await finishWebsetExport(tx, exportId, end, deps.clock.now());
      });
    }
  };
}

/** Has old files thrown away every night. */
export async function scheduleFileSweep(db: Database): Promise<void> {
  await setJobSchedule(db, {
    name: FILE_SWEEP_JOB,
    kind: FILE_SWEEP_JOB,
    payload: {},
    pattern: "41 3 * * *",
    timeZone: "Etc/UTC",
  });
}

/** Throws away the files of old exports, files whose export or import is gone, and back-tests that have expired; fails imports without a file. */
export function createFileSweepHandler({ database, blobs, clock }: ExportDeps): JobHandler {
  return async (run) => {
    for (;;) {
      run.signal.throwIfAborted();
      const old = await listOldExports(database, clock.now(), OLD_PER_ROUND);
      for (const written of old) {
        await removeExportFile(blobs, written);
        await forgetExportFile(database, written.id);
      }
      if (old.length < OLD_PER_ROUND) break;
    }
    await dropExpiredBacktests(database, clock.now());
    await failMissedImports(database, clock.now());
    for (const prefix of [EXPORT_BLOBS, IMPORT_BLOBS]) {
      for await (const key of blobs.list(prefix)) {
        run.signal.throwIfAborted();
        const id = key.split("/")[1] ?? "";
        if (!(await findKnownFiles(database, [id])).has(id)) await blobs.delete(key);
      }
    }
    return run.complete();
  };
}
