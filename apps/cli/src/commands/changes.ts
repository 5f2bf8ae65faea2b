import { checkpointDifferenceSchema, checkpointSchema, undoneSchema } from "@quarry/contract";
import type { Command } from "commander";
import { z } from "zod";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { formatTime } from "../format.ts";
import { renderTable, type Column } from "../table.ts";

type Change = z.output<typeof checkpointSchema>["changes"][number] & { readonly checkpoint: string };

const SESSION_OPTION = [
  "--session <id>",
  "the session whose tools changed the files; this CLI's own unless given",
  "own",
] as const;

/** `quarry changes …`: what tools changed in a session's files, and the ways back. */
export function addChangesCommand(program: Command, context: CliContext): void {
  const changes = program.command("changes").description("see what tools changed in files, and take it back");
  changes
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list the changes of a session, by the checkpoint before each turn")
    .option(...SESSION_OPTION)
    .addHelpText("after", "\nExamples:\n  quarry changes\n  quarry changes --session session_01…")
    .action(async (options: { readonly session: string }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "GET", path: pathOf(options.session, "checkpoints") } as const;
      const reply = await callApi(target, request, z.object({ data: z.array(checkpointSchema) }), context.signal);
      const rows = reply.data.flatMap(({ id, changes: made }) => made.map((each) => ({ ...each, checkpoint: id })));
      io.print(reply, (output) => (rows.length === 0 ? "Nothing was changed." : renderTable(output, COLUMNS, rows)));
    });
  changes
    .command("diff")
    .description("show what restoring a checkpoint would change")
    .argument("<checkpoint>", "the checkpoint")
    .option(...SESSION_OPTION)
    .addHelpText("after", "\nExamples:\n  quarry changes diff change_01…")
    .action(async (id: string, options: { readonly session: string }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "GET", path: pathOf(options.session, "checkpoints", id) } as const;
      const schema = z.object({ data: z.array(checkpointDifferenceSchema) });
      const reply = await callApi(target, request, schema, context.signal);
      const shown = reply.data.map(({ path, diff }) => diff || `${path}: no text, so its change cannot be shown`);
      io.print(reply, () => (shown.length === 0 ? "All is as it was then." : shown.join("\n")));
    });
  changes
    .command("restore")
    .description("bring all files back to what they were at a checkpoint, or none of them")
    .argument("<checkpoint>", "the checkpoint")
    .option(...SESSION_OPTION)
    .addHelpText("after", "\nExamples:\n  quarry changes restore change_01…")
    .action(async (id: string, options: { readonly session: string }, command: Command) =>
      takeBack(context, command, pathOf(options.session, "checkpoints", id, "restore")),
    );
  changes
    .command("undo")
    .description("take one change back, unless its file was changed since")
    .argument("<change>", "the change")
    .option(...SESSION_OPTION)
    .addHelpText("after", "\nExamples:\n  quarry changes undo change_01…")
    .action(async (id: string, options: { readonly session: string }, command: Command) =>
      takeBack(context, command, pathOf(options.session, "changes", id, "undo")),
    );
}

const COLUMNS: readonly Column<Change>[] = [
  { heading: "CHANGE", text: ({ id }) => id },
  { heading: "CHECKPOINT", text: ({ checkpoint }) => checkpoint },
  { heading: "WHEN", text: ({ at }) => formatTime(at) },
  { heading: "WHAT", text: ({ kind, undoes }) => (undoes === null ? kind : `${kind} (undo)`) },
  { heading: "FILE", text: ({ path }) => path },
];

async function takeBack(context: CliContext, command: Command, path: string): Promise<void> {
  const io = openIo(context, command);
  const target = await connectServer(context, io);
  const undone = await callApi(target, { method: "POST", path }, undoneSchema, context.signal);
  const files = undone.changes.map((change) => change.path);
  io.print(undone, () => (files.length === 0 ? "Nothing was left to take back." : `Taken back: ${files.join(", ")}`));
}

function pathOf(session: string, ...parts: readonly string[]): string {
  return ["/quarry/v1/sessions", session, ...parts]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join("/");
}
