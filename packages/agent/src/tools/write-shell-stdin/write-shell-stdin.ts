import { ClientSideToolV2 } from "@quarry/contract";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Shell } from "../../terminal/shell.ts";
import type { Terminals } from "../../terminal/terminals.ts";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, numberOf, textOf, workspaceTool } from "../workspace-tool.ts";

type Deps = Pick<WorkspaceDeps, "rootsOf"> & { readonly terminals: Terminals };

const NAME = "write_shell_stdin";
/** A terminal takes lines of at most 4,095 bytes; more than a screenful belongs in a file. */
const MAX_CHARACTERS = 16_384;

/** agent.v1 WriteShellStdin: types characters into a background shell of the session, control characters included. */
export function writeShellStdinTool(deps: Deps): Tool {
  const tool = workspaceTool(deps, {
    name: NAME,
    clientTool: ClientSideToolV2.WRITE_SHELL_STDIN,
    title: "Type into a background shell",
    description:
      "Types characters into a background shell, such as an answer and \\n, \\x03 to interrupt, \\x04 to end the input, or arrow keys.",
    tier: "exec",
    messages: "WriteShellStdin",
    types: { args: "agent.v1.WriteShellStdinArgs", result: "agent.v1.WriteShellStdinResult" },
    properties: {
      shellId: { type: "integer", minimum: 1, description: "The background shell, as its command's result named it" },
      chars: { type: "string", minLength: 1, maxLength: MAX_CHARACTERS, description: "What to type" },
    },
    required: ["shellId", "chars"],
    pathsOf: () => [],
    look: (args, context) => Promise.resolve(factsOf(deps, args, context)),
    run: (args, context) => Promise.resolve(write(deps, args, context)),
    refuse: (_, reason) => ({ error: { error: `The person declined: ${reason}` } }),
    agent: { member: "writeShellStdinToolCall", fromArgs: (args) => args, toResult },
  });
  return {
    ...tool,
    obeysModes: true,
    annotations: { ...tool.annotations, idempotent: false },
    alike: () => ({ tools: [NAME] }),
  };
}

function factsOf({ terminals }: Deps, args: JsonObject, { session }: ToolContext) {
  const shell = find(terminals.list(session.id), args);
  // A person who let a command run let it be answered; a shell can be told anything, so others are asked about.
  const notes =
    shell === undefined ? [] : [`types into: ${shell.command}`, `characters: ${JSON.stringify(textOf(args, "chars"))}`];
  return { paths: [], risk: "high" as const, notes };
}

function write({ terminals }: Deps, args: JsonObject, { session }: ToolContext): JsonObject {
  const shells = terminals.list(session.id);
  const shell = find(shells, args);
  const shellId = numberOf(args, "shellId") ?? 0;
  if (shell === undefined) return { error: { error: `There is no background shell ${shellId}. ${liveOnes(shells)}` } };
  if (shell.end !== undefined) {
    const how =
      shell.end.kind === "exited" || shell.end.kind === "stopped"
        ? `with exit code ${shell.end.exitCode}`
        : "and nobody saw how";
    return { error: { error: `Background shell ${shellId} has ended ${how}; its output is in ${shell.output.path}.` } };
  }
  if (session.mode !== "agent" && shell.policy.type !== "workspace-readonly") {
    const error = `The session is in ${session.mode} mode, and background shell ${shellId} may write; nothing was typed.`;
    return { error: { error } };
  }
  const before = shell.output.transcriptBytes;
  shell.write(textOf(args, "chars"));
  return { success: { shellId, terminalFileLengthBeforeInputWritten: before } };
}

function find(shells: readonly Shell[], args: JsonObject): Shell | undefined {
  return shells.find(({ id }) => id === numberOf(args, "shellId"));
}

function liveOnes(shells: readonly Shell[]): string {
  const live = shells.filter(({ end }) => end === undefined);
  if (live.length === 0) return "None runs in this session.";
  return `Running: ${live.map(({ id, command }) => `${id} (${command.slice(0, 80)})`).join(", ")}.`;
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  return outcome.kind === "succeeded" ? outcome.result : { error: { error: failureText(outcome) } };
}
