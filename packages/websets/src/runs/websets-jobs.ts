import type { JobHandler } from "@quarry/store";
import { createWebsetCellHandler } from "./cell-job.ts";
import { createWebsetImportHandler } from "./import-job.ts";
import { WEBSET_CELL_JOB, WEBSET_IMPORT_JOB, WEBSET_SEARCH_JOB, WEBSET_VERDICT_JOB } from "./jobs.ts";
import { createWebsetSearchHandler } from "./search-job.ts";
import { createWebsetVerdictHandler } from "./verdict-job.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** The handlers of every job that websets leave. */
export function createWebsetJobHandlers(deps: WebsetsDeps): Readonly<Record<string, JobHandler>> {
  return {
    [WEBSET_SEARCH_JOB]: createWebsetSearchHandler(deps),
    [WEBSET_VERDICT_JOB]: createWebsetVerdictHandler(deps),
    [WEBSET_CELL_JOB]: createWebsetCellHandler(deps),
    [WEBSET_IMPORT_JOB]: createWebsetImportHandler(deps),
  };
}
