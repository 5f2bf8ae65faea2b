import type { AppError } from "@quarry/base";
import {
  beginIndexTask,
  finishIndexTask,
  INDEX_TASK_CHANNEL,
  keepDoing,
  makeWakeUp,
  type Database,
  type IndexTaskKind,
  type Json,
} from "@quarry/store";

/** What the tasks of the index need. */
export interface IndexTaskDeps {
  readonly database: Database;
  /** How each kind is done; what it returns is the task's report. */
  readonly handlers: Readonly<Record<IndexTaskKind, (signal: AbortSignal) => Promise<Json>>>;
  /** The queue of tasks could not be read; it is tried again. */
  readonly onFailure: (error: AppError) => void;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Does what people ask of the writer of the index, one task after the other, until `signal` aborts. A task that fails
 * says why; one that is cut off by a kill is begun anew by the next process.
 */
export async function runIndexTasks(
  { database, handlers, onFailure }: IndexTaskDeps,
  signal: AbortSignal,
): Promise<void> {
  const bell = makeWakeUp();
  const listening = await database.listen(INDEX_TASK_CHANNEL, bell.ring);
  await keepDoing(
    async () => {
      const task = await beginIndexTask(database);
      if (task === undefined) return LOOK_EVERY_MS;
      try {
        await finishIndexTask(database, task.id, { report: await handlers[task.kind](signal) });
      } catch (error) {
        if (signal.aborted) return 0;
        await finishIndexTask(database, task.id, { error: error instanceof Error ? error.message : String(error) });
      }
      return 0;
    },
    { bell, signal, onFailure },
  );
  await listening.close();
}
