import { answerReplySchema, researchModels, researchSchema } from "@quarry/contract";
import { sleep } from "@quarry/base";
import { z } from "zod";
import { callApi } from "../api-call.ts";
import type { JsonObject } from "../budget/shorten-card.ts";
import { takeOtherName } from "../coerce-input.ts";
import { readAges } from "../describe-age.ts";
import {
  defineTool,
  listOutput,
  MAKES,
  OBJECT_OUTPUT,
  READS,
  READS_WEB,
  type McpTool,
  type ToolContext,
} from "../tool.ts";

const MAX_WAIT_SECONDS = 300;
const LOOK_AGAIN_MS = 500;

/** Answers with citations, and research that goes on by itself. */
export const answerTools: readonly McpTool[] = [
  defineTool({
    name: "answer",
    group: "web",
    description: "Answer a question from pages. Every sentence has the quotes it rests on.",
    input: z.object({ query: z.string().min(1), outputSchema: z.record(z.string(), z.unknown()).optional() }),
    output: listOutput("sentences"),
    annotations: READS_WEB,
    prepare: (args) => takeOtherName(args, { other: "question", own: "query" }),
    hints: ["query is the question, as one string", "outputSchema is a JSON Schema object"],
    run: async ({ query, outputSchema }, context) => {
      const body = { query, ...(outputSchema !== undefined && { outputSchema }), quarry: { evidence: true } };
      const request = { method: "POST", path: "/answer", body } as const;
      const reply = await callApi(context.api, request, answerReplySchema, context.signal);
      const sentences = reply.quarry.sentences ?? [];
      const start = Number(context.cursor?.place ?? 0);
      const ids = sentences.flatMap(({ references }) => references.map(({ snapshotId }) => snapshotId));
      const ages = await readAges(context.api, ids, { now: context.now(), signal: context.signal });
      const items = sentences.slice(start).map(({ text, references }, index) => ({
        card: {
          sources: references.map(({ url, snapshotId }) => ({ url, ...maybe("age", ages.get(snapshotId ?? "")) })),
        },
        text,
        place: String(start + index),
      }));
      return {
        head: {
          mode: reply.quarry.mode,
          ...(typeof reply.answer !== "string" && { answer: reply.answer as JsonObject }),
          ...(sentences.length === 0 && { answer: typeof reply.answer === "string" ? reply.answer : "" }),
          ...(reply.quarry.warnings.length > 0 && { warnings: reply.quarry.warnings.map(({ message }) => message) }),
        },
        listKey: "sentences",
        items,
        textFrom: context.cursor?.offset ?? 0,
        nextStep:
          sentences.length === 0
            ? "Search with other words, or crawl a site that knows."
            : "Read a source whole with fetch.",
      };
    },
  }),
  defineTool({
    name: "research_start",
    group: "research",
    description: "Begin a cited report in several steps; it goes on by itself. Returns researchId.",
    input: z.object({
      instructions: z.string().min(1),
      model: z.enum(researchModels).optional(),
      outputSchema: z.record(z.string(), z.unknown()).optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: MAKES,
    hints: ["instructions says what to find out, as one string", `model is one of ${researchModels.join(", ")}`],
    run: async (body, context) => {
      const request = { method: "POST", path: "/research/v1", body, idempotencyKey: context.callId } as const;
      const { researchId, status } = await callApi(context.api, request, researchSchema, context.signal);
      return single({ researchId, status }, "Call research_check with this researchId; it waits for you.");
    },
  }),
  defineTool({
    name: "research_check",
    group: "research",
    description: "Wait for a research report and read it.",
    input: z.object({
      researchId: z.string(),
      waitSeconds: z.number().min(0).max(MAX_WAIT_SECONDS).optional().describe("default 30"),
    }),
    output: OBJECT_OUTPUT,
    annotations: READS,
    hints: ["researchId is what research_start returned, such as research_01…"],
    run: async ({ researchId, waitSeconds = 30 }, context) => {
      const research = await waitForResearch(context, researchId, waitSeconds * 1_000);
      const head = { researchId, status: research.status, ...maybe("error", research.error) };
      if (research.status !== "completed") {
        const isOpen = research.status === "pending" || research.status === "running";
        return single(head, isOpen ? "Not done yet: call research_check again." : "Start another with research_start.");
      }
      const { content = "", parsed } = research.output ?? {};
      return {
        head: { ...head, ...(parsed !== undefined && { parsed: parsed as JsonObject }) },
        listKey: "",
        items: [{ card: {}, text: content, place: "0" }],
        textFrom: context.cursor?.offset ?? 0,
        nextStep: "Sources stand as links in the report; read one with fetch.",
      };
    },
  }),
];

async function waitForResearch(
  context: ToolContext,
  id: string,
  waitMs: number,
): Promise<z.output<typeof researchSchema>> {
  const request = { method: "GET", path: `/research/v1/${encodeURIComponent(id)}`, query: { events: true } } as const;
  const until = context.now().getTime() + waitMs;
  for (let told = 0; ;) {
    const research = await callApi(context.api, request, researchSchema, context.signal);
    const events = research.events ?? [];
    for (const event of events.slice(told)) {
      told += 1;
      await context.progress({ done: told, message: event.eventType });
    }
    const isOpen = research.status === "pending" || research.status === "running";
    if (!isOpen || context.now().getTime() >= until) return research;
    await sleep(LOOK_AGAIN_MS, context.signal);
  }
}

function single(card: JsonObject, nextStep: string) {
  return { head: {}, listKey: "", items: [{ card, place: "0" }], nextStep };
}

function maybe(key: string, value: string | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
