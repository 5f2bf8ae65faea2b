import { spawn } from "node:child_process";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ToolSession } from "@quarry/store";
import { checkArgs } from "./check-args.ts";
import { keepOwnerFiles } from "./owner-files.ts";
import type { Decision, PolicyCall, PolicyRule } from "./policy-rule.ts";
import { toolError } from "./tool-error.ts";
import { requireStarted } from "./require-started.ts";

/** Asks the owner's programs about a call; what they say as rules, none when there are no programs. */
export type AskHooks = (
  call: PolicyCall,
  of: { readonly session: ToolSession; readonly toolCallId: string },
  signal: AbortSignal,
) => Promise<readonly PolicyRule[]>;

/** How long a hook may think, and say. */
const HOOK_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Hooks of the owner, from files of the form `{"version":1,"hooks":{EVENT:[{"command"}]}}`. A command gets the
 * call as JSON on its standard input and answers `{"permission":"allow"|"ask"|"deny","user_message"?,"agent_message"?}`.
 * A file or command that fails denies: whoever put it there wanted to be asked. No file of a workspace is among
 * them, since a repository that came from somewhere must not run programs.
 */
export function createHooks(files: readonly string[]): AskHooks {
  const read = keepOwnerFiles(parseHooks);
  return async (call, of, signal) => {
    const rules: PolicyRule[] = [];
    for (const file of files) {
      const hooks = read(file);
      if (hooks === undefined) continue;
      if (hooks.kind === "broken") {
        rules.push(brokenRule(hooks.problem));
        continue;
      }
      for (const event of eventsOf(call)) {
        for (const { command } of hooks.events[event] ?? []) {
          rules.push(await askHook(command, { event, call, ...of }, signal));
        }
      }
    }
    return rules;
  };
}

/**
 * Puts what hooks said before the rules: a denial ends it, a question is asked whatever a rule allows, and a yes
 * lifts the questions of rules, though no denial and none of what is always asked about.
 */
export function heedHooks(rules: readonly PolicyRule[], hooked: readonly PolicyRule[]): readonly PolicyRule[] {
  const isYes = hooked.length > 0 && hooked.every(({ decision }) => decision === "allow");
  const kept = isYes ? rules.filter(({ decision, source }) => decision !== "ask" || source === "builtin") : rules;
  return [...hooked, ...kept];
}

/** What a call is for hooks: every one is `preToolUse`. */
function eventsOf(call: PolicyCall): readonly string[] {
  return [
    "preToolUse",
    ...(call.tier === "exec" ? ["beforeShellExecution"] : []),
    ...((call.facts.mcpTools ?? []).length > 0 ? ["beforeMCPExecution"] : []),
    ...(call.tool === "read_file" || call.tool === "read_file_v2" ? ["beforeReadFile"] : []),
  ];
}

type HookFile =
  | { readonly kind: "read"; readonly events: Readonly<Record<string, readonly { readonly command: string }[]>> }
  | { readonly kind: "broken"; readonly problem: string };

function parseHooks(text: string | undefined): HookFile {
  if (text === undefined) return { kind: "broken", problem: "it cannot be read" };
  try {
    const value = JSON.parse(text) as JsonObject;
    const [problem] = checkArgs(SCHEMA, value);
    if (problem !== undefined) return { kind: "broken", problem };
    return { kind: "read", events: (value as unknown as HookFileContent).hooks };
  } catch {
    return { kind: "broken", problem: "it is no JSON" };
  }
}

interface HookFileContent {
  readonly hooks: Readonly<Record<string, readonly { readonly command: string }[]>>;
}

interface Asked {
  readonly event: string;
  readonly call: PolicyCall;
  readonly session: ToolSession;
  readonly toolCallId: string;
}

async function askHook(command: string, asked: Asked, signal: AbortSignal): Promise<PolicyRule> {
  const { event, call } = asked;
  const ran = await runHook(command, toInput(asked), signal);
  signal.throwIfAborted();
  if (ran.kind === "failed") return brokenRule(`a ${event} hook ${ran.problem}`);
  const { permission, user_message: told = "", agent_message: toldModel = "" } = ran.answer;
  const reason = told || `a ${event} hook says ${permission}`;
  const client = told || `${call.tool} is not allowed: ${reason}`;
  const happened =
    toldModel || `A hook of the owner denies this call of ${call.tool} (${reason}), so nothing was done.`;
  const next = "Do not work around it; tell the person if the call is needed.";
  return {
    id: `hook:${event}`,
    source: "hook",
    decision: permission,
    match: {},
    reason,
    ...(permission === "deny" ? { told: toolError(client, happened, next) } : {}),
  };
}

function toInput({ event, call, session, toolCallId }: Asked): JsonObject {
  const command = call.args["command"];
  const cwd = call.args["cwd"];
  return {
    hook_event_name: event,
    conversation_id: session.id,
    tool_call_id: toolCallId,
    tool_name: call.tool,
    tool_input: call.args,
    tier: call.tier,
    paths: [...call.facts.paths],
    hosts: [...call.facts.hosts],
    workspace_roots: session.workspaceRoot === "" ? [] : [session.workspaceRoot],
    ...(session.agentName === null ? {} : { agent_name: session.agentName }),
    ...(typeof command === "string" ? { command } : {}),
    ...(typeof cwd === "string" ? { cwd } : {}),
  };
}

interface HookAnswer {
  readonly permission: Decision;
  readonly user_message?: string;
  readonly agent_message?: string;
}

type HookRun =
  { readonly kind: "answered"; readonly answer: HookAnswer } | { readonly kind: "failed"; readonly problem: string };

function runHook(command: string, input: JsonObject, signal: AbortSignal): Promise<HookRun> {
  return new Promise((resolve) => {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(HOOK_MS)]);
    const child = requireStarted(
      spawn("sh", ["-c", command], {
        stdio: ["pipe", "pipe", "ignore"],
        signal: stop,
        killSignal: "SIGKILL",
      }),
    );
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= MAX_ANSWER_BYTES) parts.push(part);
    });
    child.stdin.on("error", () => undefined); // one that does not read is judged by what it answers
    child.on("error", () =>
      resolve({ kind: "failed", problem: stop.aborted ? "took too long" : "could not be started" }),
    );
    child.on("close", (code) => resolve(readRun(code, Buffer.concat(parts).toString("utf8"))));
    child.stdin.end(JSON.stringify(input));
  });
}

function readRun(code: number | null, text: string): HookRun {
  if (code !== 0) return { kind: "failed", problem: code === null ? "was killed" : `ended with code ${code}` };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return { kind: "failed", problem: "answered no JSON object" };
    const [problem] = checkArgs(ANSWER_SCHEMA, value as JsonObject);
    if (problem !== undefined) return { kind: "failed", problem: `answered wrongly: ${problem}` };
    return { kind: "answered", answer: value as HookAnswer };
  } catch {
    return { kind: "failed", problem: "answered no JSON" };
  }
}

function brokenRule(problem: string): PolicyRule {
  const reason = `the hooks cannot be used (${problem}); correct them to let tools run`;
  return { id: "hook:broken", source: "hook", decision: "deny", match: {}, reason };
}

const SCHEMA: JsonObject = {
  type: "object",
  required: ["hooks"],
  properties: {
    version: { type: "integer", enum: [1] },
    hooks: {
      type: "object",
      additionalProperties: {
        type: "array",
        items: { type: "object", required: ["command"], properties: { command: { type: "string", minLength: 1 } } },
      },
    },
  },
};

const ANSWER_SCHEMA: JsonObject = {
  type: "object",
  required: ["permission"],
  properties: {
    permission: { type: "string", enum: ["allow", "ask", "deny"] },
    user_message: { type: "string" },
    agent_message: { type: "string" },
  },
};
