import { sleep } from "@quarry/base";
import { workflowArgs, workflowNames, type WorkflowName } from "@quarry/workflows";
import { z } from "zod";
import { callApi } from "../api-call.ts";
import type { ReplyDraft, ReplyItem } from "../budget/fit-reply.ts";
import { shortenCard, type JsonObject, type JsonValue } from "../budget/shorten-card.ts";
import { coerceInput } from "../coerce-input.ts";
import { compactSchema } from "../compact-schema.ts";
import { slim } from "./slim.ts";
import {
  defineTool,
  DESTROYS,
  ITEMS_NOTE,
  MAKES,
  OBJECT_OUTPUT,
  READS,
  type McpTool,
  type ToolContext,
} from "../tool.ts";

const isWorkflow = (name: unknown): name is WorkflowName => workflowNames.some((known) => known === name);

const PATH = "/quarry/v1/workflows";
const MAX_WAIT_SECONDS = 300;
const LOOK_AGAIN_MS = 500;

const taskSchema = z.looseObject({
  id: z.string(),
  workflow: z.string(),
  status: z.enum(["pending", "working", "completed", "failed", "cancelled"]),
  progress: z.looseObject({
    step: z.string(),
    completed: z.number(),
    total: z.number(),
    message: z.string().optional(),
  }),
});
const resultSchema = taskSchema.extend({ result: z.record(z.string(), z.unknown()).nullish(), partial: z.boolean() });
const taskId = { taskId: z.string() };
const TASK_HINT = ["taskId is what workflow_start returned, such as task_01…"];

/** Whole jobs, begun and left to themselves. */
export const workflowTools: readonly McpTool[] = [
  defineTool({
    name: "workflow_start",
    group: "workflows",
    description: `Begin a whole job that outlives this call: ${workflowNames.join(", ")}. Read the prompt workflows for args.`,
    input: z.object({ workflow: z.enum(workflowNames), args: z.record(z.string(), z.unknown()) }),
    output: OBJECT_OUTPUT,
    annotations: MAKES,
    prepare: ({ workflow, args, ...others }) => {
      const schema = isWorkflow(workflow) ? workflowArgs[workflow] : undefined;
      return { ...others, workflow, args: schema === undefined ? args : coerceInput(compactSchema(schema), args) };
    },
    hints: [
      'args is an object, such as {"query": "…", "entity": {"type": "company"}} for lifecycle.harvest',
      "the prompt workflows tells the args of each",
    ],
    run: async ({ workflow, args }, context) => {
      const body = { workflow, args };
      const request = { method: "POST", path: PATH, body, idempotencyKey: context.callId } as const;
      const task = await callApi(context.api, request, taskSchema, context.signal);
      return one(task, "Follow it with workflow_status and this taskId.");
    },
  }),
  defineTool({
    name: "workflow_status",
    group: "workflows",
    description: "How far a job is; waits up to waitSeconds for its end.",
    input: z.object({ ...taskId, waitSeconds: z.number().min(0).max(MAX_WAIT_SECONDS).optional() }),
    output: OBJECT_OUTPUT,
    annotations: READS,
    hints: TASK_HINT,
    run: async (input, context) => {
      const task = await waitForTask(context, input.taskId, (input.waitSeconds ?? 0) * 1_000);
      const isOpen = task.status === "pending" || task.status === "working";
      return one(
        task,
        isOpen
          ? "Ask again with waitSeconds; workflow_result shows what there is so far."
          : "Read it with workflow_result.",
      );
    },
  }),
  defineTool({
    name: "workflow_result",
    group: "workflows",
    description: "What a job found: items with satisfied criteria and enrichment results, or what there is so far.",
    input: z.object(taskId),
    output: OBJECT_OUTPUT,
    annotations: READS,
    hints: TASK_HINT,
    run: async (input, context) => {
      const path = `${PATH}/${encodeURIComponent(input.taskId)}/result`;
      const task = await callApi(context.api, { method: "GET", path }, resultSchema, context.signal);
      const { id, workflow, status, partial } = task;
      return showResult({ taskId: id, workflow, status, partial }, (task.result ?? {}) as JsonObject, context);
    },
  }),
  defineTool({
    name: "workflow_cancel",
    group: "workflows",
    description: "Stop a job and what it made that is still at work.",
    input: z.object(taskId),
    output: OBJECT_OUTPUT,
    annotations: { ...DESTROYS, idempotentHint: true },
    hints: TASK_HINT,
    run: async (input, context) => {
      const path = `${PATH}/${encodeURIComponent(input.taskId)}/cancel`;
      const task = await callApi(context.api, { method: "POST", path, body: {} }, taskSchema, context.signal);
      return one(task, "What it found so far stays: workflow_result.");
    },
  }),
];

/** The part of a reply that facts beside the list may take, in characters a token. */
const DETAILS_SHARE = 0.8;

/**
 * A result as a reply: its items in the shape they have, its pages with their text fenced, or its report as text; the
 * other facts as details, which go with the first page of the reply.
 */
function showResult(
  task: JsonObject & { readonly partial: boolean },
  result: JsonObject,
  context: ToolContext,
): ReplyDraft {
  const { _summary: summary, items, pages, report, answer, ...rest } = result;
  const isFirst = context.cursor === undefined;
  const room = context.maxTokens * DETAILS_SHARE;
  const fits = (card: JsonObject): boolean => JSON.stringify(card).length <= room;
  const details = isFirst ? (fits(rest) ? rest : shortenCard(rest, fits)) : undefined;
  const start = Number(context.cursor?.place ?? 0);
  const said = typeof report === "string" ? report : typeof answer === "string" ? answer : undefined;
  const list = asList(items) ?? asList(pages);
  const entries =
    list?.map((entry, index) => toEntry(entry, String(index + (said === undefined ? 0 : 1)), items === undefined)) ??
    [];
  const all = said === undefined ? entries : [{ card: { kind: "report" }, text: said, place: "0" }, ...entries];
  const nextStep =
    items === undefined ? "Read a page whole with fetch." : "websets_items with itemId shows all about one item.";
  return {
    head: {
      ...task,
      ...(summary !== undefined && { summary }),
      ...(details !== undefined && { details }),
      ...ITEMS_NOTE,
    },
    listKey: items === undefined ? "pages" : "items",
    items: all.slice(start),
    textFrom: context.cursor?.offset ?? 0,
    nextStep: task.partial ? "It is not done: ask again later." : nextStep,
  };
}

function asList(value: JsonValue): readonly JsonObject[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : undefined;
}

/** Of a page, what it says goes between the marks; an item of a webset goes as it is. */
function toEntry(entry: JsonObject, place: string, isPage: boolean): ReplyItem {
  if (!isPage) return { card: entry, place };
  const { text, highlights, ...card } = entry;
  const isRead = typeof text === "string" && text !== "";
  const quotes = Array.isArray(highlights) ? highlights.map(String) : []; // of the text: with it they would stand twice
  return { card: slim(card), text: isRead ? text : quotes.join("\n"), place };
}

function one(task: z.output<typeof taskSchema>, nextStep: string) {
  const { id, ...rest } = task;
  return { head: {}, listKey: "", items: [{ card: { taskId: id, ...slim(rest) }, place: "0" }], nextStep };
}

async function waitForTask(context: ToolContext, id: string, waitMs: number): Promise<z.output<typeof taskSchema>> {
  const request = { method: "GET", path: `${PATH}/${encodeURIComponent(id)}` } as const;
  const until = context.now().getTime() + waitMs;
  for (let told = ""; ;) {
    const task = await callApi(context.api, request, taskSchema, context.signal);
    const { step, completed, total, message = step } = task.progress;
    if (message !== told) await context.progress({ done: completed, total, message });
    told = message;
    const isOpen = task.status === "pending" || task.status === "working";
    if (!isOpen || context.now().getTime() >= until) return task;
    await sleep(LOOK_AGAIN_MS, context.signal);
  }
}
