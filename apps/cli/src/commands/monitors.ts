import { monitorRunSchema, monitorSchema, type MonitorRunWire, type MonitorWire } from "@quarry/contract";
import { Option, type Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { formatTime } from "../format.ts";
import { parseInteger } from "../option-values.ts";
import { addDeleteCommand, callServer, pathOf, showList } from "../resource-commands.ts";
import type { Column } from "../table.ts";
import { addPageMonitorsCommand } from "./page-monitors.ts";

const PATH = "/websets/v0/monitors";
const OWN_PATH = "/quarry/v1/monitors";
const MAX_COUNT = 50_000;
const DEFAULT_COUNT = 10;

/** `quarry monitors …`: websets kept up to date by themselves. */
export function addMonitorsCommand(program: Command, context: CliContext): void {
  const monitors = program.command("monitors").description("keep websets up to date by a schedule");
  addList(monitors, context);
  addCreate(monitors, context);
  addRuns(monitors, context);
  addTrigger(monitors, context);
  addDeleteCommand(monitors, context, {
    description: "delete a monitor and its runs",
    argument: ["monitor", "its id"],
    path: PATH,
    schema: monitorSchema,
    example: "quarry monitors delete monitor_01k…",
  });
  addPageMonitorsCommand(monitors, context);
}

function addList(monitors: Command, context: CliContext): void {
  monitors
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list the monitors")
    .option("--webset <webset>", "only those of this webset")
    .addHelpText("after", "\nExamples:\n  quarry monitors list\n  quarry monitors list --webset webset_01k…")
    .action(async (options: { readonly webset?: string }, command: Command) => {
      const io = openIo(context, command);
      const columns: readonly Column<MonitorWire>[] = [
        { heading: "ID", text: ({ id }) => id },
        { heading: "STATUS", text: ({ status }) => status },
        { heading: "WEBSET", text: ({ websetId }) => websetId },
        { heading: "CRON", text: ({ cadence }) => `${cadence.cron} ${cadence.timezone}` },
        { heading: "DOES", text: ({ behavior }) => behavior.type },
        { heading: "NEXT RUN", text: ({ nextRunAt }) => formatTime(nextRunAt) },
        { heading: "LAST RUN", text: ({ lastRun }) => lastRun?.status ?? "never" },
      ];
      const query = { websetId: options.webset };
      await showList(context, io, { path: PATH, query, schema: monitorSchema, columns });
    });
}

interface CreateOptions {
  readonly cron: string;
  readonly timezone?: string;
  readonly count: number;
  readonly query?: string;
  readonly override?: boolean;
  readonly refresh?: "contents" | "enrichments";
}

function addCreate(monitors: Command, context: CliContext): void {
  monitors
    .command("create")
    .description("watch a webset: search for new items, or refresh what is there")
    .argument("<webset>", "its id or externalId")
    .requiredOption("--cron <pattern>", 'when: five fields that come at most once a day, such as "0 9 * * 1"')
    .option("--timezone <zone>", "the time zone of the pattern; Etc/UTC unless given")
    .option("--count <number>", "how many new items to look for", parseInteger(1, MAX_COUNT), DEFAULT_COUNT)
    .option("--query <words>", "what to search for; as the webset's last search unless given")
    .option("--override", "judge the items there are anew instead of appending")
    .addOption(new Option("--refresh <target>", "refresh instead of searching").choices(["contents", "enrichments"]))
    .addHelpText(
      "after",
      '\nExamples:\n  quarry monitors create webset_01k… --cron "0 9 * * 1" --timezone Europe/Berlin\n' +
        '  quarry monitors create labs --cron "30 6 * * *" --refresh enrichments',
    )
    .action(async (websetId: string, options: CreateOptions, command: Command) => {
      const io = openIo(context, command);
      const { query, count, refresh } = options;
      const behavior = options.override === true ? "override" : "append";
      const body = {
        websetId,
        cadence: { cron: options.cron, ...(options.timezone !== undefined && { timezone: options.timezone }) },
        behavior:
          refresh === undefined
            ? { type: "search", config: { count, behavior, ...(query !== undefined && { query }) } }
            : { type: "refresh", config: { target: refresh } },
      };
      const made = await callServer(context, io, { method: "POST", path: PATH, body }, monitorSchema);
      io.print(made, () => `${made.id}\nnext run ${formatTime(made.nextRunAt)}`);
    });
}

function addRuns(monitors: Command, context: CliContext): void {
  monitors
    .command("runs")
    .description("list what a monitor has done")
    .argument("<monitor>", "its id")
    .addHelpText("after", "\nExamples:\n  quarry monitors runs monitor_01k…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const columns: readonly Column<MonitorRunWire>[] = [
        { heading: "ID", text: (run) => run.id },
        { heading: "STATUS", text: ({ status }) => status },
        { heading: "DOES", text: ({ type }) => type },
        { heading: "BEGAN", text: ({ createdAt }) => formatTime(createdAt) },
        { heading: "ENDED", text: (run) => formatTime(run.completedAt ?? run.failedAt ?? run.canceledAt) },
        { heading: "REASON", text: (run) => run.failedReason ?? run.canceledReason ?? "" },
      ];
      await showList(context, io, { path: pathOf(PATH, id, "runs"), schema: monitorRunSchema, columns });
    });
}

function addTrigger(monitors: Command, context: CliContext): void {
  monitors
    .command("trigger")
    .description("run a monitor now, beside its schedule")
    .argument("<monitor>", "its id")
    .addHelpText("after", "\nExamples:\n  quarry monitors trigger monitor_01k…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const request = { method: "POST", path: pathOf(OWN_PATH, id, "trigger") } as const;
      const run = await callServer(context, io, request, monitorRunSchema);
      io.print(run, () => run.id);
    });
}
