import { approvalSchema, pageOf } from "@quarry/contract";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { listAll } from "../list-all.ts";
import { renderTable, type Column } from "../table.ts";

const PATH = "/quarry/v1/approvals";
const PAGE_SIZE = 100;

type Approval = z.output<typeof approvalSchema>;

/** `quarry approvals …`: the questions about tool calls. */
export function addApprovalsCommand(program: Command, context: CliContext): void {
  const approvals = program.command("approvals").description("list and answer questions about tool calls");
  approvals
    .command("list", { isDefault: true })
    .alias("ls")
    .description("list what waits for an answer")
    .option("--all", "also what was answered")
    .addHelpText("after", "\nExamples:\n  quarry approvals\n  quarry approvals list --all")
    .action(async (options: { readonly all?: boolean }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const question = {
        path: PATH,
        pageSize: PAGE_SIZE,
        ...(options.all === true ? {} : { query: { status: "pending" } }),
      };
      const data = await listAll(target, question, pageOf(approvalSchema), context.signal);
      const columns: readonly Column<Approval>[] = [
        { heading: "ID", text: ({ id }) => id },
        { heading: "TOOL", text: ({ tool }) => tool },
        { heading: "STATUS", text: ({ status }) => status },
        { heading: "RISK", text: ({ risk }) => risk },
        { heading: "ARGUMENTS", text: ({ query }) => JSON.stringify(query.args) },
      ];
      io.print({ data }, (output) => (data.length === 0 ? "Nothing waits." : renderTable(output, columns, data)));
    });
  approvals
    .command("answer")
    .description("answer one: once, session, always, reject or abort")
    .argument("<id>", "the approval")
    .argument("<decision>", "once, session, always, reject or abort")
    .option("--reason <text>", "why not, for the agent")
    .addHelpText(
      "after",
      '\nExamples:\n  quarry approvals answer approval_01… once\n  quarry approvals answer approval_01… reject --reason "not this host"',
    )
    .action(async (id: string, decision: string, options: { readonly reason?: string }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const path = `${PATH}/${encodeURIComponent(id)}/answer`;
      const body = { decision, ...(options.reason === undefined ? {} : { reason: options.reason }) };
      const approval = await callApi(target, { method: "POST", path, body }, approvalSchema, context.signal);
      io.print(approval, () => `${approval.id} ${approval.status}`);
    });
}
