import { AppError, sleep } from "@quarry/base";
import { EXPORT_FORMATS, exportSchema, type ExportFormat, type ExportWire } from "@quarry/contract";
import { Option, type Command } from "commander";
import { callApi, openReply, type ApiTarget } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { download, downloadToFile } from "../download.ts";
import { formatBytes } from "../format.ts";

const LOOK_MS = 300;
const STDOUT = "-";
const NAMES = { name: "the export", doing: "writing" } as const;

interface ExportOptions {
  readonly format: ExportFormat;
  readonly output?: string;
}

/** `quarry websets export`: a webset as a file, every value with its evidence. */
export function addWebsetExportCommand(websets: Command, context: CliContext): void {
  websets
    .command("export")
    .description("write a webset to a file: the items of one moment, every value with its evidence")
    .argument("<webset>", "its id or externalId")
    .addOption(new Option("-f, --format <format>", "what kind of file").choices(EXPORT_FORMATS).default("csv"))
    .option("-o, --output <file>", "where to; - for stdout; the webset's id unless given")
    .addHelpText(
      "after",
      "\nExamples:\n  quarry websets export webset_01k…\n  quarry websets export labs --format jsonl --output - | jq .properties.url",
    )
    .action(async (webset: string, options: ExportOptions, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const exports = `/websets/v0/websets/${encodeURIComponent(webset)}/exports`;
      const request = { method: "POST", path: exports, body: { format: options.format } } as const;
      const made = await callApi(target, request, exportSchema, context.signal);
      const ready = await waitForFile(context, io, target, `${exports}/${made.id}`);
      const reply = await openReply(target, { method: "GET", path: pathOf(ready) }, context.signal);
      const file = options.output ?? `${ready.websetId}.${ready.format}`;
      if (file === STDOUT) {
        await download(context, io, reply, { ...NAMES, sink: context.stdout.stream });
        return;
      }
      const bytes = await downloadToFile(context, io, reply, { ...NAMES, file });
      io.print({ file, bytes, count: ready.count }, () => `${file}: ${ready.count ?? 0} items, ${formatBytes(bytes)}`);
    });
}

async function waitForFile(context: CliContext, io: CommandIo, target: ApiTarget, path: string): Promise<ExportWire> {
  for (;;) {
    const found = await callApi(target, { method: "GET", path }, exportSchema, context.signal);
    if (found.status === "completed") break;
    if (found.status === "failed")
      throw new AppError("upstream_failed", `the export failed: ${found.failedMessage ?? ""}`);
    io.sayInPlace(`the server writes the file… ${found.status}`);
    await sleep(LOOK_MS, context.signal);
  }
  io.sayInPlace("");
  return callApi(target, { method: "GET", path }, exportSchema, context.signal);
}

/** The address may name the host that others reach the server by; this command stays with the one it was given. */
function pathOf({ downloadUrl }: ExportWire): string {
  const at = downloadUrl?.indexOf("/websets/v0/") ?? -1;
  if (downloadUrl === null || at === -1) throw new AppError("gone", "the file is no longer there: export again");
  return downloadUrl.slice(at);
}
