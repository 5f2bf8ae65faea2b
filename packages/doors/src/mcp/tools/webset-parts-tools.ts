import { AppError } from "@quarry/base";
import { z } from "zod";
import { callApi, toAppError, type ApiRequest } from "../api-call.ts";
import type { ReplyDraft } from "../budget/fit-reply.ts";
import { defineTool, DESTROYS, MAKES, OBJECT_OUTPUT, READS, type McpTool, type ToolContext } from "../tool.ts";
import { listPages } from "./list-pages.ts";
import { slim } from "./slim.ts";
import { change, ENRICHMENT_HINTS, enrichmentFields, SEARCH_HINTS, searchFields, WEBSETS } from "./websets-tools.ts";

const LIST_PAGE = 100;
const entityHint = SEARCH_HINTS.filter((hint) => hint.startsWith("entity"));

/** What belongs to websets: searches, enrichments, imports, monitors, webhooks, events, exports. */
export const websetPartsTools: readonly McpTool[] = [
  defineTool({
    name: "websets_searches",
    group: "websets",
    description: "Search once more for a webset, look at a search, or cancel one.",
    input: z.object({
      websetId: z.string(),
      action: z.enum(["create", "get", "cancel"]),
      searchId: z.string().optional(),
      ...searchFields,
      behavior: z.enum(["append", "override"]).optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: MAKES,
    hints: SEARCH_HINTS,
    run: ({ websetId, action, searchId, behavior = "append", ...search }, context) =>
      change(
        context,
        partRequest(`${WEBSETS}/websets/${encodeURIComponent(websetId)}/searches`, action, {
          id: ["searchId", searchId],
          body: { ...search, behavior },
          callId: context.callId,
        }),
      ),
  }),
  defineTool({
    name: "websets_enrichments",
    group: "websets",
    description: "Add, look at, change, cancel or delete a column of a webset.",
    input: z.object({
      websetId: z.string(),
      action: z.enum(["create", "get", "update", "cancel", "delete"]),
      enrichmentId: z.string().optional(),
      ...enrichmentFields,
    }),
    output: OBJECT_OUTPUT,
    annotations: DESTROYS,
    hints: [...ENRICHMENT_HINTS, "create needs description"],
    run: ({ websetId, action, enrichmentId, ...body }, context) =>
      change(
        context,
        partRequest(`${WEBSETS}/websets/${encodeURIComponent(websetId)}/enrichments`, action, {
          id: ["enrichmentId", enrichmentId],
          body,
          callId: context.callId,
        }),
      ),
  }),
  defineTool({
    name: "websets_imports",
    group: "websets",
    description: "Bring in entities from CSV text, or look at, list, rename, delete imports.",
    input: z.object({
      action: z.enum(["create", "get", "list", "update", "delete"]),
      importId: z.string().optional(),
      csv: z.string().optional().describe("with a header and a URL column"),
      entity: searchFields.entity,
      title: z.string().optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: DESTROYS,
    hints: ["create needs csv (text with a header line and a column of URLs) and entity", ...entityHint],
    run: async ({ action, importId, csv, entity, title }, context) => {
      if (action === "list") return listOf(context, `${WEBSETS}/imports`, "imports");
      if (action === "create") return importCsv(context, { csv, entity, title });
      return change(
        context,
        partRequest(`${WEBSETS}/imports`, action, {
          id: ["importId", importId],
          body: { title },
          callId: context.callId,
        }),
      );
    },
  }),
  defineTool({
    name: "websets_monitors",
    group: "websets",
    description: "Search again on a schedule: make, look at, list, change, delete monitors, or list runs.",
    input: z.object({
      action: z.enum(["create", "get", "list", "update", "delete", "runs"]),
      monitorId: z.string().optional(),
      websetId: z.string().optional(),
      cron: z.string().optional().describe("5 fields, at most daily"),
      timezone: z.string().optional(),
      query: searchFields.query,
      count: searchFields.count,
      behavior: z.enum(["append", "override"]).optional(),
      status: z.enum(["enabled", "disabled"]).optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: DESTROYS,
    hints: [
      'create needs websetId, count and cron such as "0 9 * * 1" (at most once a day)',
      "timezone is an IANA name",
    ],
    run: ({ action, monitorId, websetId, ...given }, context) => {
      const base = `${WEBSETS}/monitors`;
      if (action === "list") return listOf(context, base, "monitors", { websetId });
      if (action === "runs") {
        return listOf(context, `${base}/${encodeURIComponent(need("monitorId", monitorId))}/runs`, "runs");
      }
      return change(
        context,
        partRequest(base, action, {
          id: ["monitorId", monitorId],
          body: monitorBody(action, websetId, given),
          callId: context.callId,
        }),
      );
    },
  }),
  defineTool({
    name: "websets_webhooks",
    group: "websets",
    description:
      "Send events to a URL: make, look at, list, change, delete webhooks, or list attempts. Secrets are not shown.",
    input: z.object({
      action: z.enum(["create", "get", "list", "update", "delete", "attempts"]),
      webhookId: z.string().optional(),
      url: z.string().optional(),
      events: z.array(z.string()).optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: DESTROYS,
    hints: ['events is a list such as ["webset.item.created", "webset.idle"]', "url starts with https://"],
    run: ({ action, webhookId, url, events }, context) => {
      const base = `${WEBSETS}/webhooks`;
      if (action === "list") return listOf(context, base, "webhooks");
      if (action === "attempts") {
        return listOf(context, `${base}/${encodeURIComponent(need("webhookId", webhookId))}/attempts`, "attempts");
      }
      return change(
        context,
        partRequest(base, action, {
          id: ["webhookId", webhookId],
          body: { url, events },
          callId: context.callId,
        }),
      );
    },
  }),
  defineTool({
    name: "websets_events",
    group: "websets",
    description: "What happened to websets, newest first.",
    input: z.object({ types: z.array(z.string()).optional(), eventId: z.string().optional() }),
    output: OBJECT_OUTPUT,
    annotations: READS,
    hints: ['types is a list such as ["webset.idle"]'],
    run: ({ types, eventId }, context) =>
      eventId === undefined
        ? listOf(context, `${WEBSETS}/events`, "events", { types: types?.join(",") })
        : change(context, { method: "GET", path: `${WEBSETS}/events/${encodeURIComponent(eventId)}` }),
  }),
  defineTool({
    name: "websets_exports",
    group: "websets",
    description: "Export a webset to a file, or look at an export for its download address.",
    input: z.object({
      websetId: z.string(),
      action: z.enum(["create", "get"]),
      exportId: z.string().optional(),
      format: z.string().optional().describe("csv or json"),
    }),
    output: OBJECT_OUTPUT,
    annotations: MAKES,
    hints: ["create needs format; get needs exportId"],
    run: ({ websetId, action, exportId, format = "csv" }, context) =>
      change(context, {
        ...partRequest(`${WEBSETS}/websets/${encodeURIComponent(websetId)}/exports`, action, {
          id: ["exportId", exportId],
          body: { format },
          callId: context.callId,
        }),
        nextStep: "Ask again with action get until downloadUrl is there.",
      }),
  }),
];

/** The one call that an action on a part is. */
function partRequest(
  base: string,
  action: "create" | "get" | "update" | "cancel" | "delete",
  given: {
    readonly id: readonly [string, string | undefined];
    readonly body: Readonly<Record<string, unknown>>;
    readonly callId: string;
  },
): ApiRequest {
  if (action === "create") return { method: "POST", path: base, body: given.body, idempotencyKey: given.callId };
  const path = `${base}/${encodeURIComponent(need(...given.id))}`;
  switch (action) {
    case "get":
      return { method: "GET", path };
    case "update":
      return { method: "PATCH", path, body: given.body };
    case "cancel":
      return { method: "POST", path: `${path}/cancel`, body: {} };
    case "delete":
      return { method: "DELETE", path };
  }
}

function need(field: string, value: string | undefined): string {
  if (value !== undefined && value !== "") return value;
  throw new AppError("invalid_request", `${field}: this action needs it; a list or get call tells it`);
}

async function listOf(
  context: ToolContext,
  path: string,
  listKey: string,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<ReplyDraft> {
  const part = await listPages(context, {
    path,
    query,
    limit: LIST_PAGE,
    item: z.record(z.string(), z.unknown()),
    show: slim,
  });
  return {
    head: {},
    listKey,
    items: part.items,
    morePlace: part.morePlace,
    nextStep: "Use an id with action get for one of them.",
  };
}

function monitorBody(
  action: string,
  websetId: string | undefined,
  given: Readonly<Record<string, string | number | undefined>>,
): Readonly<Record<string, unknown>> {
  const { cron, timezone, query, count, behavior, status } = given;
  const hasSearch = query !== undefined || count !== undefined || behavior !== undefined;
  return {
    ...(action === "create" ? { websetId } : { status }),
    ...(cron !== undefined && { cadence: { cron, timezone } }),
    ...((action === "create" || hasSearch) && { behavior: { type: "search", config: { query, count, behavior } } }),
  };
}

const uploadSchema = z.looseObject({ id: z.string(), uploadUrl: z.url() });

/** Makes an import and puts the CSV where its reply says. */
async function importCsv(
  context: ToolContext,
  given: { readonly csv: string | undefined; readonly entity: unknown; readonly title: string | undefined },
): Promise<ReplyDraft> {
  const csv = need("csv", given.csv);
  const body = {
    size: Buffer.byteLength(csv),
    count: Math.max(1, csv.trim().split("\n").length - 1),
    format: "csv",
    entity: given.entity,
    title: given.title,
  };
  const create = { method: "POST", path: `${WEBSETS}/imports`, body, idempotencyKey: context.callId } as const;
  const made = await callApi(context.api, create, uploadSchema, context.signal);
  const { pathname, search } = new URL(made.uploadUrl);
  const put = { method: "PUT", path: `${pathname}${search}`, text: csv, mediaType: "text/csv" } as const;
  const uploaded = await context.api(put, context.signal);
  if (uploaded.status >= 300) throw toAppError(uploaded);
  return change(context, {
    method: "GET",
    path: `${WEBSETS}/imports/${encodeURIComponent(made.id)}`,
    nextStep: "It is read in the background: action get tells when it is completed.",
  });
}
