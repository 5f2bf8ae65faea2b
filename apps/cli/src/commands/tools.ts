import { text } from "node:stream/consumers";
import { AppError, makeId } from "@quarry/base";
import { approvalSchema, toolExplanationSchema, toolSchema } from "@quarry/contract";
import type { Command } from "commander";
import { z } from "zod";
import { callApi, openReply, type ApiTarget } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo, type CommandIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import { EXIT_CODES, type EndWith } from "../exit-code.ts";
import { renderPairs, renderTable, type Column } from "../table.ts";

const PATH = "/quarry/v1/tools";
/** How long a call may stay silent: a tool has its own limit of time. */
const CALL_TIMEOUT_MS = 600_000;
/** What the CLI approves by itself, as the agents' own CLI does; nothing else. */
const APPROVED_BY_ITSELF: ReadonlySet<string> = new Set(["exa-search-request", "exa-fetch-request"]);

type ToolRow = z.output<typeof toolSchema>;
type Approval = z.output<typeof approvalSchema>;

/** `quarry tools …`: the tools that agents can call. */
export function addToolsCommand(program: Command, context: CliContext, endWith: EndWith): void {
  const tools = program.command("tools").description("list, try and explain the tools of agents");
  addList(tools, context);
  addCall(tools, context, endWith);
  addExplain(tools, context);
}

function addList(tools: Command, context: CliContext): void {
  tools
    .command("list")
    .alias("ls")
    .description("list the tools")
    .addHelpText("after", "\nExamples:\n  quarry tools list")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const reply = z.object({ data: z.array(toolSchema) });
      const { data } = await callApi(target, { method: "GET", path: PATH }, reply, context.signal);
      const columns: readonly Column<ToolRow>[] = [
        { heading: "NAME", text: ({ name }) => name },
        { heading: "TIER", text: ({ tier }) => tier },
        { heading: "DESCRIPTION", text: ({ description }) => description },
      ];
      io.print({ data }, (output) => renderTable(output, columns, data));
    });
}

interface CallOptions {
  readonly yes?: boolean;
  readonly session?: string;
}

function addCall(tools: Command, context: CliContext, endWith: EndWith): void {
  tools
    .command("call")
    .description("call a tool; asks before it does more than exa_search and exa_fetch do")
    .argument("<name>", "the tool")
    .argument("[args]", "its arguments as JSON", "{}")
    .option("-y, --yes", "approve without asking")
    .option("--session <id>", "the session to call it in")
    .addHelpText("after", `\nExamples:\n  quarry tools call exa_search '{"query":"how do tides work"}'`)
    .action(async (name: string, args: string, options: CallOptions, command: Command) => {
      const io = openIo(context, command);
      const body = parseArgs(args);
      const target = await connectServer(context, io);
      const given = body["toolCallId"];
      const toolCallId = typeof given === "string" && given !== "" ? given : makeId("toolcall");
      const call = { name, body, toolCallId, sessionId: options.session };
      let reply = await sendCall(target, call, context.signal);
      if (reply.approvalId !== undefined) {
        await answer(target, { context, io, approvalId: reply.approvalId, isYes: options.yes === true });
        reply = await sendCall(target, call, context.signal);
      }
      io.print(reply.result, () => JSON.stringify(reply.result, null, 2));
      if (reply.state !== "succeeded") endWith(EXIT_CODES.error);
    });
}

function addExplain(tools: Command, context: CliContext): void {
  tools
    .command("explain")
    .description("tell what policy would say of a call, without making it")
    .argument("<name>", "the tool")
    .argument("[args]", "its arguments as JSON", "{}")
    .addHelpText("after", `\nExamples:\n  quarry tools explain web_fetch '{"url":"https://example.com"}'`)
    .action(async (name: string, args: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const body = parseArgs(args);
      const target = await connectServer(context, io);
      const path = `${PATH}/${encodeURIComponent(name)}/explain`;
      const explained = await callApi(target, { method: "POST", path, body }, toolExplanationSchema, context.signal);
      const pairs: readonly (readonly [string, string])[] = [
        ["decision", explained.decision],
        ["because", explained.reason],
        ...explained.rules.map(({ id, source, decision }) => [`rule ${id}`, `${decision} (${source})`] as const),
        ...(explained.hosts.length === 0 ? [] : [["hosts", explained.hosts.join(", ")] as const]),
        ...(explained.paths.length === 0 ? [] : [["paths", explained.paths.join(", ")] as const]),
      ];
      io.print(explained, (output) => renderPairs(output, pairs));
    });
}

interface CallReply {
  readonly result: unknown;
  readonly state: string;
  readonly approvalId: string | undefined;
}

/** Makes the call and does not wait for a person: that is ours to ask. */
async function sendCall(
  target: ApiTarget,
  call: {
    readonly name: string;
    readonly body: object;
    readonly toolCallId: string;
    readonly sessionId: string | undefined;
  },
  signal: AbortSignal,
): Promise<CallReply> {
  const { name, body, toolCallId, sessionId } = call;
  const path = `${PATH}/${encodeURIComponent(name)}/calls`;
  const query = { toolCallId, sessionId, timeoutMs: 0 };
  const reply = await openReply(target, { method: "POST", path, query, body, timeoutMs: CALL_TIMEOUT_MS }, signal);
  const header = (field: string): string | undefined => {
    const value = reply.headers[field];
    return Array.isArray(value) ? value[0] : value;
  };
  const result: unknown = JSON.parse(await text(reply));
  return { result, state: header("x-quarry-call-state") ?? "", approvalId: header("x-quarry-approval-id") };
}

async function answer(
  target: ApiTarget,
  asked: {
    readonly context: CliContext;
    readonly io: CommandIo;
    readonly approvalId: string;
    readonly isYes: boolean;
  },
): Promise<void> {
  const { context, io, approvalId, isYes } = asked;
  const path = `/quarry/v1/approvals/${encodeURIComponent(approvalId)}`;
  const approval = await callApi(target, { method: "GET", path }, approvalSchema, context.signal);
  const approved = isYes || APPROVED_BY_ITSELF.has(approval.query.type) || (await askPerson(context, io, approval));
  const body = approved ? { decision: "once" } : { decision: "reject", reason: "declined at the terminal" };
  await callApi(target, { method: "POST", path: `${path}/answer`, body }, approvalSchema, context.signal);
}

async function askPerson(context: CliContext, io: CommandIo, approval: Approval): Promise<boolean> {
  if (!context.stdinIsTerminal) {
    throw new AppError(
      "forbidden",
      `${approval.tool} needs an approval and there is no terminal to ask at; use --yes, or quarry approvals answer ${approval.id}`,
    );
  }
  io.warn(`${approval.tool} wants to run: ${JSON.stringify(approval.query.args)}`);
  for (const reason of approval.reasons) io.say(`  ${reason}`);
  if (approval.diff !== null) io.say(approval.diff);
  return /^y(es)?$/i.test((await context.readLine("Run it? [y/N] ")).trim());
}

function parseArgs(args: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // said below, for whatever is no object
  }
  throw new AppError("invalid_request", "args: give the arguments as one JSON object, in quotes");
}
