import type { JsonObject } from "@bufbuild/protobuf";
import type { SubagentEnd, SubagentRunner, SubagentWork } from "./subagent-runner.ts";

/** A turn of the conversation, as every language model behind the `models` room takes it. */
interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly toolCalls?: readonly ModelToolCall[];
  readonly toolCallId?: string;
}

interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** The language model that sub-agents think with. */
export interface SubagentModel {
  readonly complete: (
    request: {
      readonly messages: readonly ModelMessage[];
      readonly maxOutputTokens: number;
      readonly tools: readonly { readonly name: string; readonly description: string; readonly schema: JsonObject }[];
      readonly model?: string | undefined;
    },
    signal: AbortSignal,
  ) => Promise<{
    readonly text: string;
    readonly finish: "stop" | "length" | "filtered";
    readonly toolCalls?: readonly ModelToolCall[];
  }>;
}

/** How often a sub-agent may turn to its model: usually, and when its agent gives it all. */
const TURNS = 30;
const MAX_TURNS = 120;
const MAX_OUTPUT_TOKENS = 4_096;
/** How many calls of one turn are made; a model that wants more asks again. */
const MAX_CALLS_PER_TURN = 16;

/** The built-in runner: a loop that asks the model, makes the calls it wants, and ends when it wants none. */
export function createModelRunner(model: SubagentModel): SubagentRunner {
  return { run: (work, signal) => runLoop(model, work, signal) };
}

async function runLoop(model: SubagentModel, work: SubagentWork, signal: AbortSignal): Promise<SubagentEnd> {
  const tools = work.tools.map(({ name, description, schema }) => ({ name, description, schema }));
  const messages: ModelMessage[] = [
    { role: "system", content: instructionsOf(work) },
    { role: "user", content: work.prompt },
  ];
  const turns = work.isMax ? MAX_TURNS : TURNS;
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const told of await work.takeMessages()) messages.push({ role: "user", content: told });
    const request = { messages, maxOutputTokens: MAX_OUTPUT_TOKENS, tools, model: work.model };
    const { text, finish, toolCalls = [] } = await model.complete(request, signal);
    const wanted = toolCalls.slice(0, MAX_CALLS_PER_TURN);
    messages.push({ role: "assistant", content: text, ...(wanted.length === 0 ? {} : { toolCalls: wanted }) });
    if (wanted.length === 0) {
      if (finish !== "stop") return { kind: "errored", summary: cutOff(finish, text) };
      if (text.trim() === "")
        messages.push({ role: "user", content: "Say what you found and did, in a few sentences." });
      else if (await work.complete(text)) return { kind: "completed" };
      continue;
    }
    for (const { id, name, args } of wanted) {
      const ended = await work.call({ id: `${turn}.${id}`, tool: name, args, turnId: String(turn) });
      if (ended.isAborted)
        return { kind: "aborted", summary: `A person stopped the sub-agent at ${name}. ${text}`.trim() };
      messages.push({ role: "tool", content: ended.text, toolCallId: id });
    }
  }
  const last = messages.findLast(({ role, content }) => role === "assistant" && content !== "")?.content ?? "";
  return { kind: "errored", summary: `The sub-agent was not done after ${turns} turns. It said last: ${last}`.trim() };
}

function cutOff(finish: "length" | "filtered", text: string): string {
  const why = finish === "length" ? "was cut off" : "was withheld by the model's server";
  return `The sub-agent's last reply ${why}, so it is not complete: ${text}`.trim();
}

function instructionsOf({ agentName, title, kind }: SubagentWork): string {
  return [
    `You are ${agentName}, a sub-agent${kind === "" ? "" : ` of the kind ${kind}`}. Your task: ${title}.`,
    "Work with the tools alone; nobody reads along. A call that is refused stays refused: do not work around it.",
    "When you are done, answer without a call. Your last answer is all that your agent gets: it must stand by itself,",
    "say what you found and did, name the files, and say what is left.",
  ].join("\n");
}
