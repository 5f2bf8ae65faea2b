import { AppError } from "@quarry/base";
import { usageQuerySchema, usageReplySchema, type UsageGroup } from "@quarry/contract";
import { readUsage, type UsageRow } from "@quarry/store";
import { bytesReply } from "../reply.ts";
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
      description:
        "Grouped by time (hour, day or month, UTC), key and endpoint, in any combination. `format=csv` gives the same as lines.",
      access: "admin",
      query: usageQuerySchema,
      response: usageReplySchema,
      handle: async ({ query }, { caller }) => {
        const to = query.to ?? deps.clock.now();
        const from = query.from ?? new Date(to.getTime() - DEFAULT_PERIOD_MS);
        if (from >= to) throw new AppError("invalid_request", "from: expected an instant before `to`");
        await deps.recorder.flush();
        const rows = await readUsage(deps.db, { teamId: caller.teamId, from, to, groupBy: query.groupBy });
        if (query.format === "csv") return bytesReply(toCsv(rows, query.groupBy), { mediaType: CSV_TYPE });
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

const CSV_TYPE = "text/csv; charset=utf-8";

/** One line per group; columns for what was grouped by, then the figures. */
function toCsv(rows: readonly UsageRow[], groupBy: readonly UsageGroup[]): string {
  const isTimed = groupBy.some((group) => group !== "key" && group !== "endpoint");
  const columns: readonly (readonly [isShown: boolean, name: string, read: (row: UsageRow) => string | number])[] = [
    [isTimed, "periodStart", (row) => row.periodStart?.toISOString() ?? ""],
    [groupBy.includes("key"), "keyId", (row) => row.keyId ?? ""],
    [groupBy.includes("key"), "keyName", (row) => row.keyName ?? ""],
    [groupBy.includes("endpoint"), "endpoint", (row) => row.endpoint ?? ""],
    [true, "requests", (row) => row.requests],
    [true, "errors", (row) => row.errors],
    [true, "tokens", (row) => row.tokens],
    [true, "costDollars", (row) => row.costDollars],
    [true, "latencyAverageMs", (row) => row.latencyMs.average],
    [true, "latencyP95Ms", (row) => row.latencyMs.p95],
  ];
  const shown = columns.filter(([isShown]) => isShown);
  const lines = rows.map((row) => shown.map(([, , read]) => toCell(read(row))).join(","));
  return [shown.map(([, name]) => name).join(","), ...lines, ""].join("\r\n");
}

/** Quoted as RFC 4180 says; a text that a spreadsheet would take for a formula is marked as text. */
function toCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
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
