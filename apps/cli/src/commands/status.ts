import { healthSchema } from "@quarry/contract";
import type { Health } from "@quarry/contract";
import type { Command } from "commander";
import { callApi } from "../api-client.ts";
import type { ApiTarget } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import type { CommandIo } from "../command-io.ts";
import { checkUrl } from "../connect-server.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { EndWith } from "../exit-code.ts";
import { formatDuration } from "../format.ts";
import { paint } from "../paint.ts";
import { findServer } from "../server-file.ts";
import { renderPairs, renderTable } from "../table.ts";

/** `quarry status`: whether a server runs, and how its parts do. Starts none. */
export function addStatusCommand(program: Command, context: CliContext, endWith: EndWith): void {
  program
    .command("status")
    .alias("health")
    .description("say whether a server runs and how it does; exit code 1 when none runs or a part is down")
    .addHelpText("after", "\nExamples:\n  quarry status\n  quarry status --json --url http://127.0.0.1:7700 --key KEY")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const found = await findTarget(context, io);
      if (!("target" in found)) {
        io.print({ running: false, reason: found.reason }, () => `Not running: ${found.reason}`);
        endWith(EXIT_CODES.error);
        return;
      }
      const request = { method: "GET", path: "/quarry/v1/health" } as const;
      const health = await callApi(found.target, request, healthSchema, context.signal);
      const data = {
        running: true,
        url: found.target.url,
        ...(found.pid === undefined ? {} : { pid: found.pid }),
        ...health,
      };
      io.print(data, (output) => renderStatus(output, data));
      if (health.status === "down") endWith(EXIT_CODES.error);
    });
}

type Found = { readonly target: ApiTarget; readonly pid?: number } | { readonly reason: string };

async function findTarget(context: CliContext, io: CommandIo): Promise<Found> {
  const config = context.readConfig();
  const { url, key } = io.options;
  if (url !== undefined) return { target: { url: checkUrl(url), key: key ?? config.apiKey } };
  const state = await findServer(config.dataDir, context.signal);
  switch (state.kind) {
    case "absent":
      return { reason: `no server has its data in ${config.dataDir}; start one with quarry serve` };
    case "damaged":
      return { reason: `${state.filePath} was not written by a server; start one with quarry serve` };
    case "gone":
      return { reason: `the server with process ${state.file.pid} ended without a stop; start one with quarry serve` };
    case "silent":
      return { reason: `process ${state.file.pid} lives but ${state.file.url} does not answer; see quarry doctor` };
    case "running":
      return { target: { url: state.file.url, key: key ?? state.file.key }, pid: state.file.pid };
  }
}

function renderStatus(output: Output, status: Health & { readonly url: string; readonly pid?: number }): string {
  const pairs = renderPairs(output, [
    ["Running at", status.url],
    ...(status.pid === undefined ? [] : [["Process", String(status.pid)] as const]),
    ["Version", status.version],
    ["Role", status.role],
    ["Up for", formatDuration(status.uptimeSeconds)],
    ["Status", status.status],
  ]);
  const parts = renderTable(
    output,
    [
      { heading: "PART", text: ({ name }) => name },
      { heading: "STATUS", text: (part) => part.status },
      { heading: "DETAIL", text: ({ detail, figures }) => detail ?? describeFigures(figures) },
    ],
    status.components,
  );
  const warning =
    status.status === "ok" ? "" : `\n${paint(output, "yellow", "Something needs attention: see DETAIL.")}`;
  return `${pairs}\n\n${parts}${warning}`;
}

function describeFigures(figures: Readonly<Record<string, number>> | undefined): string {
  return Object.entries(figures ?? {})
    .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : value.toFixed(1)}`)
    .join(", ");
}
