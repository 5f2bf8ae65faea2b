import { pageOf } from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi, type ApiRequest } from "./api-client.ts";
import type { CliContext } from "./cli-context.ts";
import { openIo, type CommandIo } from "./command-io.ts";
import { connectServer } from "./connect-server.ts";
import { listAll, type ListQuestion } from "./list-all.ts";
import { renderTable, type Column } from "./table.ts";

const PAGE_SIZE = 200;

/** What is asked for when a list is shown. */
export interface ShownList<Item extends z.ZodType> extends Pick<ListQuestion, "path" | "query"> {
  readonly schema: Item;
  readonly columns: readonly Column<z.output<Item>>[];
}

/** Shows every row of a list as a table, or as JSON. */
export async function showList<Item extends z.ZodType>(
  context: CliContext,
  io: CommandIo,
  { path, query, schema, columns }: ShownList<Item>,
): Promise<void> {
  const data = await readList(context, io, { path, query, schema });
  io.print({ data }, (output) => (data.length === 0 ? "There are none." : renderTable(output, columns, data)));
}

/** Every row of a list. */
export async function readList<Item extends z.ZodType>(
  context: CliContext,
  io: CommandIo,
  {
    path,
    query,
    schema,
  }: Pick<ShownList<Item>, "path" | "schema"> & { readonly query?: ListQuestion["query"] | undefined },
): Promise<readonly z.output<Item>[]> {
  const question = { path, pageSize: PAGE_SIZE, ...(query !== undefined && { query }) };
  return listAll(await connectServer(context, io), question, pageOf(schema), context.signal);
}

/** Adds `delete <id>`, also called `rm`, for what stands below `path`. */
export function addDeleteCommand(
  parent: Command,
  context: CliContext,
  resource: {
    readonly description: string;
    /** What the argument is called and is. */
    readonly argument: readonly [name: string, what: string];
    readonly path: string;
    readonly schema: z.ZodType<{ readonly id: string }>;
    readonly example: string;
  },
): void {
  parent
    .command("delete")
    .alias("rm")
    .description(resource.description)
    .argument(`<${resource.argument[0]}>`, resource.argument[1])
    .addHelpText("after", `\nExamples:\n  ${resource.example}`)
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const request = { method: "DELETE", path: pathOf(resource.path, id) } as const;
      const removed = await callServer(context, io, request, resource.schema);
      io.print(removed, () => `${removed.id} is deleted.`);
    });
}

/** One call on the server that the command talks to. */
export async function callServer<Schema extends z.ZodType>(
  context: CliContext,
  io: CommandIo,
  request: ApiRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  return callApi(await connectServer(context, io), request, schema, context.signal);
}

/** The path of a resource, or of what it can do. */
export function pathOf(base: string, id: string, verb?: string): string {
  return [base, encodeURIComponent(id), ...(verb === undefined ? [] : [verb])].join("/");
}
