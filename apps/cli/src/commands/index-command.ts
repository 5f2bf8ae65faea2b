import { existsSync } from "node:fs";
import { AppError } from "@quarry/base";
import { exportFormats, indexStatsSchema } from "@quarry/contract";
import { Option } from "commander";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi, openReply } from "../api-client.ts";
import type { CliContext, Output } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { download, downloadToFile } from "../download.ts";
import type { EndWith } from "../exit-code.ts";
import { formatBytes, formatTime } from "../format.ts";
import { renderPairs, renderTable } from "../table.ts";
import { addIndexImport } from "./index-import.ts";
import { addIndexTasks } from "./index-tasks.ts";

/** How long the server may gather before the next bytes come. */
const SILENCE_LIMIT_MS = 10 * 60 * 1000;
const EXPORT = { name: "the export", doing: "Exporting" };

/** `quarry index …`: what is in the index, and the ways in and out. */
export function addIndexCommand(program: Command, context: CliContext, endWith: EndWith): void {
  const index = program.command("index").description("import, export, count and look after what is indexed");
  addIndexImport(index, context, endWith);
  addExport(index, context);
  addStats(index, context);
  addIndexTasks(index, context, endWith);
}

interface ExportOptions {
  readonly format: (typeof exportFormats)[number];
  readonly output: string;
  readonly force?: boolean;
}

function addExport(index: Command, context: CliContext): void {
  index
    .command("export")
    .description("write the team's documents to a file that quarry index import reads")
    .addOption(
      new Option("--format <format>", "ndjson: texts and facts; warc: the pages as they were read, gzip")
        .choices([...exportFormats])
        .default("ndjson"),
    )
    .option("-o, --output <file>", "where to write it; - for stdout", "-")
    .option("--force", "write over a file that is there")
    .addHelpText(
      "after",
      "\nIn the order of addresses, while the server goes on working: a document that is there all the while comes exactly\n" +
        "once. Which of two equal pages stands for both is decided anew where it is imported; NDJSON keeps texts, WARC also\n" +
        "the pages they were read from. For one moment's state of everything, take a backup.\n" +
        "\nExamples:\n  quarry index export -o index.ndjson\n  quarry index export --format warc -o index.warc.gz" +
        "\n  quarry index export | jq -r .url",
    )
    .action(async ({ format, output, force }: ExportOptions, command: Command) => {
      const io = openIo(context, command);
      if (output === "-" && format === "warc" && context.stdout.isTerminal) {
        throw new AppError("invalid_request", "a WARC file is not text: name a file with -o, or send stdout to one");
      }
      if (output !== "-" && force !== true && existsSync(output)) {
        throw new AppError("invalid_request", `${output} is there already; name another file, or pass --force`);
      }
      const target = await connectServer(context, io);
      const request = {
        method: "GET",
        path: "/quarry/v1/index/export",
        query: { format },
        timeoutMs: SILENCE_LIMIT_MS,
      } as const;
      const reply = await openReply(target, request, context.signal);
      if (output === "-") {
        await download(context, io, reply, { ...EXPORT, sink: context.stdout.stream });
        return;
      }
      const bytes = await downloadToFile(context, io, reply, { ...EXPORT, file: output });
      io.print({ file: output, format, bytes }, () => `Wrote ${formatBytes(bytes)} to ${output}`);
    });
}

function addStats(index: Command, context: CliContext): void {
  index
    .command("stats")
    .description("count documents, words, passages, languages, hosts and bytes")
    .addHelpText("after", "\nExamples:\n  quarry index stats\n  quarry index stats --json")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "GET", path: "/quarry/v1/index" } as const;
      const stats = await callApi(target, request, indexStatsSchema, context.signal);
      io.print(stats, (output) => renderStats(output, stats));
    });
}

function renderStats(output: Output, stats: z.output<typeof indexStatsSchema>): string {
  const pairs = renderPairs(output, [
    ["Documents", `${stats.documents} of your own (${stats.duplicates} duplicates), ${stats.sharedDocuments} shared`],
    ["Words", String(stats.words)],
    ["Last change", formatTime(stats.lastChangedAt)],
    ["Snapshots", `${stats.snapshots.count}, ${formatBytes(stats.snapshots.bytes)} before compression`],
    ["Passages", `${stats.passages} compared by meaning`],
    ["Not searchable yet", `${stats.outbox} by words, ${stats.vectorOutbox} by meaning`],
    ["Languages", stats.languages.map(({ language, documents }) => `${language ?? "unknown"} ${documents}`).join(", ")],
  ]);
  const whole = stats.searchIndex === null ? "" : `\n\n${renderSearchIndex(output, stats.searchIndex)}`;
  if (stats.hosts.length === 0) return `${pairs}${whole}`;
  const hosts = renderTable(
    output,
    [
      { heading: "HOST", text: ({ host }) => host },
      { heading: "DOCUMENTS", text: ({ documents }) => String(documents), align: "right" },
    ],
    stats.hosts,
  );
  const more = stats.hostCount - stats.hosts.length;
  return `${pairs}${whole}\n\n${hosts}${more > 0 ? `\nand ${more} more hosts` : ""}`;
}

/** The index itself, which all teams share. */
function renderSearchIndex(
  output: Output,
  whole: NonNullable<z.output<typeof indexStatsSchema>["searchIndex"]>,
): string {
  return renderPairs(output, [
    ["Whole index", `${whole.pages} pages, ${whole.chunks} passages, in ${whole.pageTables} tables`],
    ["On disk", `${formatBytes(whole.diskBytes)}, ${formatBytes(whole.cacheBytes)} of it in memory`],
    ["Format, model", `${whole.format}, ${whole.model}`],
  ]);
}
