import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2, EditFileV2ParamsSchema, EditFileV2ResultSchema } from "@quarry/contract";
import type { Tool, ToolContext, ToolEnd, ToolOutput } from "./tool.ts";

/** A tool of the tier write with the messages of EDIT_FILE_V2; `work` is its effect. */
export function writeNoteTool(work: (args: JsonObject, context: ToolContext) => Promise<void>): Tool {
  return {
    name: "edit_file_v2",
    aliases: ["write"],
    clientTool: ClientSideToolV2.EDIT_FILE_V2,
    description: "Writes a note.",
    tier: "write",
    annotations: { title: "Write", readOnly: false, destructive: true, idempotent: true, openWorld: false },
    args: EditFileV2ParamsSchema,
    result: EditFileV2ResultSchema,
    schema: SCHEMA,
    members: { params: "editFileV2Params", result: "editFileV2Result" },
    isEditable: true,
    inspect: (args) =>
      Promise.resolve({
        hosts: [],
        paths: [pathOf(args)],
        costDollars: 0,
        risk: "medium",
        notes: [],
        diff: `+${JSON.stringify(args["contentsAfterEdit"] ?? "")}`,
      }),
    run: (args, context) => write(args, context, work),
    refuse: () => ({ rejected: true }),
    toAgentResult: () => undefined,
    alike: (args) => ({ tools: ["edit_file_v2"], paths: [pathOf(args)] }),
  };
}

/** One for all: a schema is compiled once, and proofs make such a tool a million times. */
const SCHEMA: JsonObject = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { relativeWorkspacePath: { type: "string" }, contentsAfterEdit: { type: "string" } },
  required: ["relativeWorkspacePath"],
};

async function* write(
  args: JsonObject,
  context: ToolContext,
  work: (args: JsonObject, context: ToolContext) => Promise<void>,
): AsyncGenerator<ToolOutput, ToolEnd> {
  yield { kind: "output", channel: "stdout", text: "writing" };
  await work(args, context);
  return { kind: "succeeded", result: { resultForModel: `wrote ${pathOf(args)}`, fileWasCreated: true } };
}

function pathOf(args: JsonObject): string {
  const path = args["relativeWorkspacePath"];
  return typeof path === "string" ? path : "";
}
