import { pageChangeEventSchema, pageMonitorSchema, type PageMonitorWire } from "@quarry/contract";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { formatTime } from "../format.ts";
import { parseInteger } from "../option-values.ts";
import { addDeleteCommand, callServer, pathOf, readList, showList } from "../resource-commands.ts";
import type { Column } from "../table.ts";

const PATH = "/quarry/v1/page-monitors";
const MIN_MINUTES = 5;
const MAX_MINUTES = 30 * 24 * 60;
const DAY_MINUTES = 24 * 60;

/** `quarry monitors pages …`: pages that are watched for changes. */
export function addPageMonitorsCommand(monitors: Command, context: CliContext): void {
  const pages = monitors.command("pages").description("watch pages for changes");
  addList(pages, context);
  addWatch(pages, context);
  addChanges(pages, context);
  addCheck(pages, context);
  addDeleteCommand(pages, context, {
    description: "watch a page no longer",
    argument: ["monitor", "its id"],
    path: PATH,
    schema: pageMonitorSchema,
    example: "quarry monitors pages delete page_monitor_01k…",
  });
}

function addList(pages: Command, context: CliContext): void {
  pages
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list the pages that are watched")
    .addHelpText("after", "\nExamples:\n  quarry monitors pages")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const columns: readonly Column<PageMonitorWire>[] = [
        { heading: "ID", text: ({ id }) => id },
        { heading: "STATUS", text: ({ status }) => status },
        { heading: "PAGE", text: ({ url }) => url },
        { heading: "EVERY", text: ({ everyMinutes }) => `${everyMinutes} min` },
        { heading: "CHANGES", text: ({ changes }) => String(changes) },
        { heading: "LAST CHANGE", text: ({ lastChangedAt }) => formatTime(lastChangedAt) },
        { heading: "NEXT LOOK", text: ({ nextCheckAt }) => formatTime(nextCheckAt) },
        { heading: "ERROR", text: ({ error }) => error ?? "" },
      ];
      await showList(context, io, { path: PATH, schema: pageMonitorSchema, columns });
    });
}

function addWatch(pages: Command, context: CliContext): void {
  pages
    .command("watch")
    .description("watch a page: a change of its text is the event page_monitor.changed")
    .argument("<url>", "the page")
    .option("--every <minutes>", "how often it is read", parseInteger(MIN_MINUTES, MAX_MINUTES), DAY_MINUTES)
    .addHelpText("after", "\nExamples:\n  quarry monitors pages watch https://example.com/pricing --every 60")
    .action(async (url: string, options: { readonly every: number }, command: Command) => {
      const io = openIo(context, command);
      const request = { method: "POST", path: PATH, body: { url, everyMinutes: options.every } } as const;
      const made = await callServer(context, io, request, pageMonitorSchema);
      io.print(made, () => `${made.id}\nnext look ${formatTime(made.nextCheckAt)}`);
    });
}

function addChanges(pages: Command, context: CliContext): void {
  pages
    .command("changes")
    .description("show how a page changed, newest first")
    .argument("<monitor>", "its id")
    .addHelpText("after", "\nExamples:\n  quarry monitors pages changes page_monitor_01k…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const data = await readList(context, io, { path: pathOf(PATH, id, "changes"), schema: pageChangeEventSchema });
      io.print({ data }, () =>
        data.length === 0
          ? "It has not changed."
          : data
              .map(({ createdAt, data: { change } }) => {
                const cut = change.isDiffCut ? "\n(the rest is not shown)" : "";
                return `${formatTime(createdAt)}  +${change.added} -${change.removed}\n${change.diff.trimEnd()}${cut}`;
              })
              .join("\n\n"),
      );
    });
}

function addCheck(pages: Command, context: CliContext): void {
  pages
    .command("check")
    .description("look at a page now, beside its pace")
    .argument("<monitor>", "its id")
    .addHelpText("after", "\nExamples:\n  quarry monitors pages check page_monitor_01k…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const request = { method: "POST", path: pathOf(PATH, id, "check") } as const;
      const monitor = await callServer(context, io, request, pageMonitorSchema);
      io.print(monitor, () => `${monitor.id} is looked at now.`);
    });
}
