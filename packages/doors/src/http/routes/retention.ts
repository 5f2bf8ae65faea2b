import { AppError, type Clock } from "@quarry/base";
import { retentionRunSchema, retentionSchema, type Caller } from "@quarry/contract";
import { RETENTION_JOB } from "@quarry/ingest";
import { enqueueJob, listJobSchedules, planRetention, type Database, type RetentionPolicy } from "@quarry/store";
import { defineRoute, type Route } from "../route.ts";

/** What the retention routes need. */
export interface RetentionRouteDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly policy: RetentionPolicy;
  /** The team that runs this server: the policy is about every team's documents. */
  readonly operatorTeamId: string;
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
        requireOperatorTeam(deps, caller);
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
      response: retentionRunSchema,
      handle: async (_, { caller }) => {
        requireOperatorTeam(deps, caller);
        const job = await deps.db.transaction((tx) =>
          enqueueJob(tx, { kind: RETENTION_JOB, payload: {}, key: RETENTION_JOB, maxPerKey: 1 }),
        );
        return { jobId: job.id };
      },
    }),
  ];
}

function requireOperatorTeam(deps: RetentionRouteDeps, caller: Caller): void {
  if (caller.teamId === deps.operatorTeamId) return;
  throw new AppError(
    "forbidden",
    "retention is about all teams' documents: only the team that runs the server may ask",
  );
}
