import { usageGroups, usageReplySchema } from "@quarry/contract";
import type { UsageGroup } from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { formatDollars } from "../format.ts";
import { parseChoices, parseInstant } from "../option-values.ts";
import { renderTable } from "../table.ts";
import type { Column } from "../table.ts";

type UsageReply = z.output<typeof usageReplySchema>;
type UsageRow = UsageReply["data"][number];

interface UsageOptions {
  readonly by?: readonly UsageGroup[];
  readonly from?: string;
  readonly to?: string;
}

/** `quarry usage`: how many requests, how slow, how dear. */
export function addUsageCommand(program: Command, context: CliContext): void {
  program
    .command("usage")
    .description("show what the API was used for")
    .option("--by <list>", `group by: ${usageGroups.join(", ")} (day)`, parseChoices(usageGroups))
    .option("--from <date>", "from this instant on (30 days ago)", parseInstant)
    .option("--to <date>", "up to this instant (now)", parseInstant)
    .addHelpText(
      "after",
      "\nExamples:\n  quarry usage\n  quarry usage --by month,key --from 2030-01-01\n  quarry usage --by endpoint --json",
    )
    .action(async ({ by, from, to }: UsageOptions, command: Command) => {
      const io = openIo(context, command);
      const query = { groupBy: by?.join(","), from, to };
      const target = await connectServer(context, io);
      const request = { method: "GET", path: "/quarry/v1/usage", query } as const;
      const usage = await callApi(target, request, usageReplySchema, context.signal);
      io.print(usage, (output) => renderUsage(output, usage));
    });
}

function renderUsage(output: Output, usage: UsageReply): string {
  const { groupBy, data, total } = usage;
  const period = groupBy.find((group) => group === "hour" || group === "day" || group === "month");
  const columns: readonly Column<UsageRow>[] = [
    ...(period === undefined
      ? []
      : [{ heading: period.toUpperCase(), text: (row: UsageRow) => formatPeriod(row, period) }]),
    ...(groupBy.includes("key") ? [{ heading: "KEY", text: (row: UsageRow) => row.keyName ?? row.keyId ?? "-" }] : []),
    ...(groupBy.includes("endpoint") ? [{ heading: "ENDPOINT", text: (row: UsageRow) => row.endpoint ?? "-" }] : []),
    { heading: "REQUESTS", text: ({ requests }) => String(requests), align: "right" },
    { heading: "ERRORS", text: ({ errors }) => String(errors), align: "right" },
    { heading: "TOKENS", text: ({ tokens }) => String(tokens), align: "right" },
    { heading: "COST $", text: ({ costDollars }) => formatDollars(costDollars), align: "right" },
    { heading: "P50 MS", text: ({ latencyMs }) => latencyMs.p50.toFixed(0), align: "right" },
    { heading: "P95 MS", text: ({ latencyMs }) => latencyMs.p95.toFixed(0), align: "right" },
  ];
  const sum =
    `Total: ${total.requests} requests, ${total.errors} errors, ${total.tokens} tokens, ` +
    `$${formatDollars(total.costDollars)}, ${usage.from.slice(0, 10)} to ${usage.to.slice(0, 10)}`;
  return data.length === 0 ? sum : `${renderTable(output, columns, data)}\n\n${sum}`;
}

function formatPeriod({ periodStart = "" }: UsageRow, period: "hour" | "day" | "month"): string {
  switch (period) {
    case "hour":
      return `${periodStart.slice(0, 10)} ${periodStart.slice(11, 13)}h`;
    case "day":
      return periodStart.slice(0, 10);
    case "month":
      return periodStart.slice(0, 7);
  }
}
