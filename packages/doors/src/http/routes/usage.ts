import { AppError } from "@quarry/base";
import { usageQuerySchema, usageReplySchema } from "@quarry/contract";
import { readUsage, type UsageRow } from "@quarry/store";
import { defineRoute, type Route } from "../route.ts";
import type { UsageRecorder } from "../usage-recorder.ts";
import type { IdentityDeps } from "./identity-deps.ts";

const DEFAULT_PERIOD_MS = 30 * 24 * 3_600_000;

/** What usage routes need: the store, and the recorder whose last records must be in it. */
export interface UsageDeps extends Pick<IdentityDeps, "db" | "clock"> {
  readonly recorder: Pick<UsageRecorder, "flush">;
}

/** The team's use of the API. */
export function usageRoutes(deps: UsageDeps): readonly Route[] {
  return [
    defineRoute({
      name: "getUsage",
      method: "GET",
      path: "/quarry/v1/usage",
      tag: "Usage",
      summary: "Sum up the team's requests, tokens and cost",
      description: "Grouped by time (hour, day or month, UTC), key and endpoint, in any combination.",
      access: "admin",
      query: usageQuerySchema,
      response: usageReplySchema,
      handle: async ({ query }, { caller }) => {
        const to = query.to ?? deps.clock.now();
        const from = query.from ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
        if (from >= to) throw new AppError("invalid_request", "from: expected an instant before `to`");
        await deps.recorder.flush();
        const rows = await readUsage(deps.db, { teamId: caller.teamId, from, to, groupBy: query.groupBy });
        return {
          from: from.toISOString(),
          to: to.toISOString(),
          groupBy: query.groupBy,
          data: rows.map(({ periodStart, ...row }) => ({
            ...(periodStart === undefined ? {} : { periodStart: periodStart.toISOString() }),
            ...row,
          })),
          total: sum(rows),
        };
      },
    }),
  ];
}

function sum(rows: readonly UsageRow[]) {
  const add = (pick: (row: UsageRow) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  return {
    requests: add((row) => row.requests),
    errors: add((row) => row.errors),
    tokens: add((row) => row.tokens),
    costDollars: add((row) => row.costDollars),
  };
}
