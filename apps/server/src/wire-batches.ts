import {
  BATCH_SWEEP_JOB,
  createBatchJobHandler,
  createBatchSweepHandler,
  scheduleBatchSweep,
  type OperationReply,
} from "@quarry/answer";
import type { Clock } from "@quarry/base";
import { batchRoutes, createRouteCaller, type Route } from "@quarry/doors";
import { BATCH_JOB, type Database, type JobHandler } from "@quarry/store";
import type { Logger } from "pino";

/** Puts batches together: their requests are done by the routes that would have answered them at once. */
export function wireBatches(parts: {
  readonly clock: Clock;
  readonly database: Database;
  readonly logger: Logger;
  readonly baseUrl: () => string;
  /** Those of search and of agent runs. */
  readonly operations: readonly Route[];
}): {
  readonly routes: readonly Route[];
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly schedule: () => Promise<void>;
} {
  const { clock, database, logger, baseUrl, operations } = parts;
  const callRoute = createRouteCaller({ clock, log: logger, baseUrl }, operations);
  const batches = { database, clock };
  return {
    routes: batchRoutes(batches),
    handlers: {
      [BATCH_JOB]: createBatchJobHandler({
        ...batches,
        // What a route answered was made to be sent as JSON.
        call: async (name, input, signal) => (await callRoute(name, input, signal)) as OperationReply,
      }),
      [BATCH_SWEEP_JOB]: createBatchSweepHandler(batches),
    },
    schedule: () => scheduleBatchSweep(database),
  };
}
