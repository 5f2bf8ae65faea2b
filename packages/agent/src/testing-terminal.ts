import type { JsonObject } from "@bufbuild/protobuf";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";
import { validateArgs } from "./validate-call.ts";

/** A call under way: what it said so far, and its result to come. */
export interface TestCall {
  readonly said: readonly ToolOutput[];
  readonly result: Promise<JsonObject>;
  readonly cancel: () => void;
}

/** Starts a tool as the executor does, and lets the test watch and cancel it. */
export function startCall(
  tool: Tool,
  args: JsonObject,
  given: { readonly session?: Partial<ToolContext["session"]> } & Partial<Pick<ToolContext, "grant">> = {},
): TestCall {
  const valid = validateArgs(tool, args);
  if (valid.kind === "invalid") throw new Error(valid.error.model);
  const stop = new AbortController();
  const context = contextOf(given, stop.signal);
  const said: ToolOutput[] = [];
  const drive = async (): Promise<JsonObject> => {
    const steps = tool.run(valid.args, context);
    for (;;) {
      const step = await steps.next();
      if (step.done !== true) said.push(step.value);
      else if (step.value.kind === "succeeded") return step.value.result;
      else throw new Error(step.value.error.model);
    }
  };
  return { said, result: drive(), cancel: () => stop.abort() };
}

/** A context of a call of the session `session`, in agent mode unless given otherwise. */
export function contextOf(
  given: { readonly session?: Partial<ToolContext["session"]> } & Partial<Pick<ToolContext, "grant">> = {},
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  return {
    teamId: "team",
    toolCallId: "call",
    signal,
    earlierResults: () => Promise.resolve([]),
    ...(given.grant === undefined ? {} : { grant: given.grant }),
    session: { id: "session", workspaceRoot: "", mode: "agent", ...given.session },
  };
}
