import { beginAgentRun, getAgentRun } from "@quarry/answer";
import { AppError, type Clock } from "@quarry/base";
import {
  responseRequestSchema,
  responseSchema,
  type AgentRequest,
  type ResearchCitation,
  type ResearchCost,
  type ResponseRequest,
  type ResponseWire,
} from "@quarry/contract";
import { cancelResearch, getResearch, isResearchFinished, type Database, type Research } from "@quarry/store";
import { z } from "zod";
import { eventStreamReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { followAgentRun } from "./agent-run-view.ts";

/** What the routes of responses need. */
export interface ResponseRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
}

const PREFIX = "resp_";
const DELTA_CHARACTERS = 120;
const RETRY_AFTER_MS = 1_000;
const params = z.object({ id: z.string().min(1).max(200).describe("The response's id.") });
const shared = { tag: "Agent", access: "research" } as const;

/** OpenAI's responses, each an agent run: what that client sends works unchanged. */
export function responseRoutes(deps: ResponseRoutesDeps): readonly Route[] {
  const { db, clock } = deps;
  return ["/responses", "/v1/responses"].flatMap((path) => {
    const isAlias = path !== "/responses";
    const alias = isAlias ? { hidden: true as const } : {};
    const nameOf = (name: string): string => (isAlias ? `${name}V1` : name);
    return [
      defineRoute({
        ...shared,
        ...alias,
        name: nameOf("createResponse"),
        method: "POST",
        path,
        summary: "Look into a question and answer in OpenAI's form",
        creates: true,
        meter: "research",
        body: responseRequestSchema,
        response: responseSchema,
        handle: async ({ body }, { caller, newId, streamSignal }) => {
          const { teamId, keyId } = caller;
          const request = toAgentRequest(body);
          const run = await beginAgentRun(db, { id: newId("agent_run"), teamId, keyId, request, now: clock.now() });
          if (body.stream === true) return eventStreamReply(streamResponse(db, run, body, streamSignal));
          if (body.background === true) return showResponse(run, body);
          await waitForEnd(followAgentRun(db, run, 0, streamSignal));
          const ended = await getResearch(db, teamId, run.id);
          if (!isResearchFinished(ended.status)) throw stillRunning(ended);
          return showResponse(ended, body);
        },
      }),
      defineRoute({
        ...shared,
        ...alias,
        name: nameOf("getResponse"),
        method: "GET",
        path: `${path}/:id`,
        summary: "Read a response",
        params,
        response: responseSchema,
        handle: async ({ params: { id } }, { caller }) =>
          showResponse(await getAgentRun(db, caller.teamId, runIdOf(id)), {}),
      }),
      defineRoute({
        ...shared,
        ...alias,
        name: nameOf("cancelResponse"),
        method: "POST",
        path: `${path}/:id/cancel`,
        summary: "End a response; one that has ended stays as it is",
        params,
        response: responseSchema,
        handle: async ({ params: { id } }, { caller }) => {
          const run = await getAgentRun(db, caller.teamId, runIdOf(id));
          return showResponse(await cancelResearch(db, caller.teamId, run.id, clock.now()), {});
        },
      }),
    ];
  });
}

async function waitForEnd(events: AsyncIterator<unknown>): Promise<void> {
  for (let next = await events.next(); next.done !== true;) next = await events.next();
}

/** The client left, or the server stops: nothing that could be kept as the reply to its Idempotency-Key. */
function stillRunning({ id }: Research): AppError {
  return new AppError(
    "unavailable",
    `the response is not complete: try again with the same Idempotency-Key, or read ${PREFIX}${id} later`,
    { retryable: true, retryAfterMs: RETRY_AFTER_MS },
  );
}

function runIdOf(id: string): string {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
}

type Message = Exclude<ResponseRequest["input"], string>[number];

function toAgentRequest(body: ResponseRequest): AgentRequest {
  const messages: readonly Message[] =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
  const query = messages.findLast(({ role }) => role === undefined || role === "user")?.content.trim() ?? "";
  if (query === "")
    throw new AppError("invalid_request", "input: expected a text, or a message of role user with text in it");
  const system = messages.filter(({ role }) => role === "system" || role === "developer").map(({ content }) => content);
  const systemPrompt = [body.instructions, ...system].filter((part) => part !== undefined).join("\n");
  const { format } = body.text ?? {};
  if (format?.type === "json_schema" && format.schema === undefined) {
    throw new AppError("invalid_request", "text.format.schema: expected a JSON Schema beside type json_schema");
  }
  return {
    query,
    systemPrompt: systemPrompt === "" ? undefined : systemPrompt,
    input: undefined,
    outputSchema: format?.type === "json_schema" ? format.schema : undefined,
    effort: effortOf(body),
    budget: undefined,
    previousRunId: body.previous_response_id === undefined ? undefined : runIdOf(body.previous_response_id),
    metadata: body.metadata,
    dataSources: undefined,
  };
}

function effortOf({ model, reasoning }: ResponseRequest): AgentRequest["effort"] {
  const effort = reasoning?.effort;
  if (effort !== undefined) return effort === "none" ? "minimal" : effort;
  if (model === "exa-research-pro") return "high";
  return model === "exa-research-fast" ? "low" : "auto";
}

/** What of a completed run a response shows. */
interface StoredResult {
  readonly output: { readonly content: string };
  readonly costDollars: ResearchCost;
  readonly citations: readonly ResearchCitation[];
}

const STATUSES: Readonly<Record<Research["status"], ResponseWire["status"]>> = {
  pending: "queued",
  running: "in_progress",
  completed: "completed",
  failed: "failed",
  canceled: "cancelled",
};

function showResponse(run: Research, asked: Partial<ResponseRequest>): ResponseWire {
  const result = run.status === "completed" ? (run.output as unknown as StoredResult) : undefined;
  const request = run.request as unknown as AgentRequest;
  const text = result?.output.content ?? "";
  const tokens = result?.costDollars.reasoningTokens ?? 0;
  return {
    id: `${PREFIX}${run.id}`,
    object: "response",
    created_at: Math.floor(run.createdAt.getTime() / 1_000),
    status: STATUSES[run.status],
    background: asked.background ?? false,
    error: run.error === null ? null : { code: "server_error", message: run.error },
    incomplete_details: null,
    instructions: request.systemPrompt ?? null,
    model: asked.model ?? "exa-agent",
    output: result === undefined ? [] : [messageOf(run.id, text, result.citations)],
    output_text: text,
    previous_response_id: request.previousRunId === undefined ? null : `${PREFIX}${request.previousRunId}`,
    metadata: request.metadata ?? {},
    usage: result === undefined ? null : { input_tokens: tokens, output_tokens: 0, total_tokens: tokens },
  };
}

function messageOf(
  runId: string,
  text: string,
  citations: readonly ResearchCitation[],
): ResponseWire["output"][number] {
  const annotations = citations.map(({ url, title }) => {
    const start = Math.max(0, text.indexOf(`](${url})`));
    return { type: "url_citation" as const, url, title, start_index: start, end_index: start + url.length };
  });
  const content = [{ type: "output_text" as const, text, annotations }];
  return { id: `msg_${runId}`, type: "message", role: "assistant", status: "completed", content };
}

/** OpenAI's frames: that it began, the text piece by piece once the run has it, and how it ended. */
async function* streamResponse(
  db: Database,
  run: Research,
  asked: ResponseRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let number = 0;
  const frame = (type: string, payload: object): string => {
    const data = { type, sequence_number: number, ...payload };
    number += 1;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  };
  yield frame("response.created", { response: showResponse(run, asked) });
  for await (const { event } of followAgentRun(db, run, 0, signal)) {
    if (event === "agent_run.started") {
      yield frame("response.in_progress", { response: showResponse({ ...run, status: "running" }, asked) });
    }
  }
  if (signal.aborted) return;
  const ended = await getResearch(db, run.teamId, run.id);
  const response = showResponse(ended, asked);
  const [item] = response.output;
  if (item !== undefined) {
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    const part = { type: "output_text", text: "", annotations: [] };
    yield frame("response.output_item.added", {
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    });
    yield frame("response.content_part.added", { ...place, part });
    for (const delta of response.output_text.match(new RegExp(`[^]{1,${DELTA_CHARACTERS}}`, "gu")) ?? []) {
      yield frame("response.output_text.delta", { ...place, delta });
    }
    yield frame("response.output_text.done", { ...place, text: response.output_text });
    yield frame("response.content_part.done", { ...place, part: item.content[0] });
    yield frame("response.output_item.done", { output_index: 0, item });
  }
  yield frame(`response.${response.status === "completed" ? "completed" : "failed"}`, { response });
}
