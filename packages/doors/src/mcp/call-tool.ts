import { AppError, type AppErrorCode } from "@quarry/base";
import { z } from "zod";
import type { CountTokens } from "./budget/count-tokens.ts";
import { fitReply, toResult } from "./budget/fit-reply.ts";
import { readCursor } from "./budget/read-cursor.ts";
import type { JsonObject, JsonValue } from "./budget/shorten-card.ts";
import { coerceInput, type InputMode } from "./coerce-input.ts";
import { compactSchema } from "./compact-schema.ts";
import { createFence } from "./fence-text.ts";
import type { McpTool, ToolContext, ToolQuestion } from "./tool.ts";

/** The budget of a reply unless the caller names one. */
export const DEFAULT_MAX_TOKENS = 8_000;
/** No reply is larger, whatever is asked. */
export const MAX_TOKENS = 25_000;
/** Below this a reply would hardly say anything. */
export const MIN_TOKENS = 1_000;

/** What every tool takes. */
const budgetFields = {
  maxTokens: z.int().min(MIN_TOKENS).max(MAX_TOKENS).optional(),
  cursor: z.string().optional(),
};

/** A tool's result as the protocol has it. */
export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { type: "text"; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** How calls are made. */
export interface CallOptions {
  readonly inputMode: InputMode;
  readonly count: CountTokens;
}

/** The schema of a tool's arguments as clients see it. */
export function inputSchemaOf(tool: McpTool): JsonObject {
  const known = schemas.get(tool);
  if (known !== undefined) return known;
  const made = tool.inputSchema ?? compactSchema(tool.input.extend(budgetFields));
  schemas.set(tool, made);
  return made;
}

const schemas = new WeakMap<McpTool, JsonObject>();

/**
 * One tool call: the arguments are coerced or refused, the tool runs, its reply is cut to the budget. What goes wrong
 * comes back as a result for the model to read, with what to do next; only an abort rejects.
 */
export async function callTool(
  tool: McpTool,
  args: JsonObject,
  context: Omit<ToolContext, "maxTokens" | "cursor">,
  options: CallOptions,
): Promise<ToolResult | ToolQuestion> {
  try {
    const { maxTokens = DEFAULT_MAX_TOKENS, cursor, ...input } = readInput(tool, args, options.inputMode);
    const made = await tool.run(input, { ...context, maxTokens, cursor: readCursor(cursor) });
    if ("kind" in made) return made;
    const fence = createFence();
    const hasText = made.items.some(({ text }) => text !== undefined && text !== "");
    const draft = hasText ? { ...made, head: { ...made.head, untrusted: fence.note } } : made;
    const { structured, tokens } = fitReply(draft, { maxTokens, count: options.count, fence: fence.around });
    await context.log("debug", `${tool.name}: ${tokens} of ${maxTokens} tokens`);
    return toResult(structured);
  } catch (error) {
    context.signal.throwIfAborted();
    return toErrorResult(AppError.from(error), tool.hints);
  }
}

/** A failure for the model to read: what it is, what is often wrong, what to do. */
export function toErrorResult(error: AppError, hints: readonly string[] = []): ToolResult {
  const isShape = error.code === "invalid_request" || error.code === "unprocessable";
  const message = error.code === "internal" ? "the server failed at this; its log says why" : error.message;
  const lines = [
    `Error (${error.code}): ${message.slice(0, MAX_MESSAGE)}`,
    ...(isShape && hints.length > 0 ? [`Common issues: ${hints.join("; ")}.`] : []),
    `Next step: ${NEXT_STEPS[error.code] ?? "Try again; if it stays, tell the operator."}`,
  ];
  return { content: [{ type: "text", text: lines.join("\n") }], isError: true };
}

const MAX_MESSAGE = 2_000;

const NEXT_STEPS: Partial<Record<AppErrorCode, string>> = {
  invalid_request: "Correct the arguments and call again.",
  unprocessable: "Say it differently and call again.",
  unauthenticated: "Connect with a valid API key.",
  forbidden: "Use a key with the scope that is named, or ask the operator for one.",
  budget_exceeded: "The key's budget is spent: ask the operator.",
  not_found: "Check the id with the list or get tool; search for the page again.",
  conflict: "Look at how it stands now, then decide again.",
  gone: "It was removed: use a newer one.",
  too_large: "Ask for less at once.",
  rate_limited: "Wait some seconds and call again.",
  unavailable: "Wait some seconds and call again.",
  timeout: "Call again; ask for less at once if it stays.",
  upstream_failed: "Try another page, or the same later.",
};

type Input = Readonly<Record<string, unknown>> & { readonly maxTokens?: number; readonly cursor?: string };

function readInput(tool: McpTool, args: JsonObject, mode: InputMode): Input {
  const schema = tool.input.extend(budgetFields);
  const given = mode === "safe" ? prepared(tool, schema, args) : args;
  const isOpen = tool.inputSchema !== undefined;
  const parsed = (mode === "strict" && !isOpen ? z.strictObject(schema.shape) : schema).safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
  throw new AppError("invalid_request", problems.join("; "));
}

function prepared(tool: McpTool, schema: z.ZodObject, args: JsonObject): JsonValue {
  const given = withoutNulls(args);
  return coerceInput(compactSchema(schema), tool.prepare?.(given) ?? given);
}

/** Models write null for what they leave out. */
function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
