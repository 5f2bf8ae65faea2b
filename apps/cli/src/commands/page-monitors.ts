import { pageChangeEventSchema, pageMonitorSchema, pageOf, type PageMonitorWire } from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi, type ApiRequest } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { formatTime } from "../format.ts";
import { listAll } from "../list-all.ts";
import { parseInteger } from "../option-values.ts";
import { renderTable, type Column } from "../table.ts";

const PATH = "/quarry/v1/page-monitors";
const PAGE_SIZE = 200;
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
  addDelete(pages, context);
}

function addList(pages: Command, context: CliContext): void {
  pages
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list the pages that are watched")
    .addHelpText("after", "\nExamples:\n  quarry monitors pages")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const data = await listAll(
        target,
        { path: PATH, pageSize: PAGE_SIZE },
        pageOf(pageMonitorSchema),
        context.signal,
      );
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
      io.print({ data }, (output) => (data.length === 0 ? "There are none." : renderTable(output, columns, data)));
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
      const made = await call(context, io, request, pageMonitorSchema);
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
      const target = await connectServer(context, io);
      const question = { path: `${PATH}/${encodeURIComponent(id)}/changes`, pageSize: PAGE_SIZE };
      const data = await listAll(target, question, pageOf(pageChangeEventSchema), context.signal);
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
      const request = { method: "POST", path: `${PATH}/${encodeURIComponent(id)}/check` } as const;
      const monitor = await call(context, io, request, pageMonitorSchema);
      io.print(monitor, () => `${monitor.id} is looked at now.`);
    });
}

function addDelete(pages: Command, context: CliContext): void {
  pages
    .command("delete")
    .alias("rm")
    .description("watch a page no longer")
    .argument("<monitor>", "its id")
    .addHelpText("after", "\nExamples:\n  quarry monitors pages delete page_monitor_01k…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const request = { method: "DELETE", path: `${PATH}/${encodeURIComponent(id)}` } as const;
      const removed = await call(context, io, request, pageMonitorSchema);
      io.print(removed, () => `${removed.id} is deleted.`);
    });
}

async function call<Schema extends z.ZodType>(
  context: CliContext,
  io: CommandIo,
  request: ApiRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  return callApi(await connectServer(context, io), request, schema, context.signal);
}
