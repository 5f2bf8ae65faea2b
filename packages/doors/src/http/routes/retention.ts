import type { Clock } from "@quarry/base";
import { retentionRunSchema, retentionSchema } from "@quarry/contract";
import { RETENTION_JOB } from "@quarry/ingest";
import { enqueueJob, listJobSchedules, planRetention, type Database, type RetentionPolicy } from "@quarry/store";
import { defineRoute, type Route } from "../route.ts";
import { requireOperator, type OperatorDeps } from "./operator.ts";

/** What the retention routes need. */
export interface RetentionRouteDeps extends OperatorDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly policy: RetentionPolicy;
}

const tag = "Operation";

/** What the retention policy removes: told before, and done. */
export function retentionRoutes(deps: RetentionRouteDeps): readonly Route[] {
  return [
    defineRoute({
      name: "getRetention",
      method: "GET",
      path: "/quarry/v1/retention",
      tag,
      summary: "Tell what the retention policy would remove now, and remove nothing",
      access: "admin",
      response: retentionSchema,
      handle: async (_, { caller }) => {
        requireOperator(deps, caller, "retention is about all teams' documents");
        const [wouldRemove, schedules] = await Promise.all([
          planRetention(deps.db, deps.policy, deps.clock.now()),
          listJobSchedules(deps.db),
        ]);
        const next = schedules.find(({ name }) => name === RETENTION_JOB)?.nextSlotAt;
        return { policy: { ...deps.policy }, wouldRemove: { ...wouldRemove }, nextRunAt: next?.toISOString() ?? null };
      },
    }),
    defineRoute({
      name: "runRetention",
      method: "POST",
      path: "/quarry/v1/retention/run",
      tag,
      summary: "Apply the retention policy now rather than at its next time",
      access: "admin",
      status: 201,
      creates: true,
      response: retentionRunSchema,
      handle: async (_, { caller }) => {
        requireOperator(deps, caller, "retention is about all teams' documents");
        const job = await deps.db.transaction((tx) =>
          // One that waits does as well: so a retry adds none.
          enqueueJob(tx, {
            kind: RETENTION_JOB,
            payload: {},
            key: RETENTION_JOB,
            maxPerKey: 1,
            dedupeKey: RETENTION_JOB,
          }),
        );
        return { jobId: job.id };
      },
    }),
  ];
}
