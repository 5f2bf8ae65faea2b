import { isIncluded, listCriteria, toAnswers, toCard, websetItemSchema, type WebsetItem } from "@quarry/workflows";
import { z } from "zod";
import { callApi, type ApiRequest } from "../api-call.ts";
import type { ReplyDraft } from "../budget/fit-reply.ts";
import type { JsonObject } from "../budget/shorten-card.ts";
import {
  defineTool,
  DESTROYS,
  ITEMS_NOTE,
  listOutput,
  MAKES,
  OBJECT_OUTPUT,
  READS,
  type McpTool,
  type ToolContext,
} from "../tool.ts";
import { listPages } from "./list-pages.ts";
import { slim } from "./slim.ts";

/** Where the websets API begins. */
export const WEBSETS = "/websets/v0";
const PAGE = 100;

/** What a webset is searched for. */
export const searchFields = {
  query: z.string().optional(),
  count: z.int().min(1).optional(),
  entity: z.object({ type: z.string(), description: z.string().optional() }).optional(),
  criteria: z.array(z.object({ description: z.string() })).optional(),
};
/** What a column asks. */
export const enrichmentFields = {
  description: z.string().optional(),
  format: z.enum(["text", "date", "number", "options", "email", "phone", "url"]).optional(),
  options: z.array(z.object({ label: z.string() })).optional(),
};
/** What callers get wrong about searches and columns. */
export const SEARCH_HINTS = [
  'criteria is a list of {"description": "…"}, at most 5',
  'entity is an object with type, such as {"type": "company"}',
  "query and count are required",
  "behavior is append or override",
];
export const ENRICHMENT_HINTS = [
  "format is one of text, date, number, options, email, phone, url",
  'options, for format options, is a list of {"label": "…"}',
];
const anything = z.record(z.string(), z.unknown());

/** Websets themselves, and their items in three sizes. */
export const websetsTools: readonly McpTool[] = [
  defineTool({
    name: "websets_create",
    group: "websets",
    description:
      "Make a list of entities from the web: found by query, judged by criteria, with enrichments as columns.",
    input: z.object({
      ...searchFields,
      enrichments: z.array(z.object({ ...enrichmentFields, description: z.string() })).optional(),
      title: z.string().optional(),
      externalId: z.string().optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: MAKES,
    hints: [...SEARCH_HINTS.slice(0, 3), ...ENRICHMENT_HINTS],
    run: ({ query, count, entity, criteria, enrichments, title, externalId }, context) =>
      change(context, {
        method: "POST",
        path: `${WEBSETS}/websets`,
        body: { title, externalId, search: { query, count, entity, criteria }, enrichments },
        idempotencyKey: context.callId,
        nextStep: "Items appear as they are found: websets_items with this id; websets_get tells the progress.",
      }),
  }),
  defineTool({
    name: "websets_get",
    group: "websets",
    description: "A webset's status, searches with progress, enrichments, monitors.",
    input: z.object({ websetId: z.string() }),
    output: OBJECT_OUTPUT,
    annotations: READS,
    hints: ["websetId is an id of websets_list, or your externalId"],
    run: ({ websetId }, context) =>
      change(context, {
        method: "GET",
        path: `${WEBSETS}/websets/${encodeURIComponent(websetId)}`,
        nextStep: "Read its items with websets_items.",
      }),
  }),
  defineTool({
    name: "websets_list",
    group: "websets",
    description: "All websets, newest first.",
    input: z.object({}),
    output: listOutput("websets"),
    annotations: READS,
    hints: [],
    run: async (_, context) => {
      const show = (webset: z.output<typeof websetSchema>): JsonObject =>
        slim({
          id: webset.id,
          title: webset.title,
          status: webset.status,
          searches: webset.searches.map(({ query }) => query),
        });
      const part = await listPages(context, { path: `${WEBSETS}/websets`, limit: PAGE, item: websetSchema, show });
      return { head: {}, listKey: "websets", ...part, nextStep: "websets_get or websets_items with an id." };
    },
  }),
  defineTool({
    name: "websets_update",
    group: "websets",
    description: "Change a webset's title or metadata.",
    input: z.object({
      websetId: z.string(),
      title: z.string().optional(),
      metadata: z.record(z.string(), z.string()).optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: { ...MAKES, idempotentHint: true },
    hints: ["metadata is an object of strings"],
    run: ({ websetId, ...body }, context) =>
      change(context, { method: "POST", path: `${WEBSETS}/websets/${encodeURIComponent(websetId)}`, body }),
  }),
  defineTool({
    name: "websets_cancel",
    group: "websets",
    description: "Stop a webset's work; with delete, remove it; with itemId, remove that item.",
    input: z.object({ websetId: z.string(), delete: z.boolean().optional(), itemId: z.string().optional() }),
    output: OBJECT_OUTPUT,
    annotations: DESTROYS,
    hints: [],
    run: ({ websetId, itemId, delete: isDelete = false }, context) => {
      const path = `${WEBSETS}/websets/${encodeURIComponent(websetId)}`;
      if (itemId !== undefined) {
        return change(context, { method: "DELETE", path: `${path}/items/${encodeURIComponent(itemId)}` });
      }
      return change(
        context,
        isDelete ? { method: "DELETE", path } : { method: "POST", path: `${path}/cancel`, body: {} },
      );
    },
  }),
  defineTool({
    name: "websets_items",
    group: "websets",
    description:
      "Items of a webset: tier card (met = places in criteria), answers (with enrichments), or one item in full by itemId.",
    input: z.object({
      websetId: z.string(),
      tier: z.enum(["card", "answers"]).optional(),
      itemId: z.string().optional(),
      includeFailing: z.boolean().optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: READS,
    hints: ["tier is card or answers; for everything about one item give its itemId"],
    run: (input, context) => (input.itemId === undefined ? listItems(input, context) : readItem(input, context)),
  }),
];

const websetSchema = z.looseObject({
  id: z.string(),
  title: z.string().nullish(),
  status: z.string(),
  searches: z.array(
    z.looseObject({ query: z.string(), criteria: z.array(z.looseObject({ description: z.string() })) }),
  ),
  enrichments: z.array(z.looseObject({ id: z.string(), description: z.string() })),
});

interface ItemsWish {
  readonly websetId: string;
  readonly tier?: "card" | "answers" | undefined;
  readonly itemId?: string | undefined;
  readonly includeFailing?: boolean | undefined;
}

async function listItems({ websetId, tier = "card", includeFailing = false }: ItemsWish, context: ToolContext) {
  const base = `${WEBSETS}/websets/${encodeURIComponent(websetId)}`;
  const webset = await callApi(context.api, { method: "GET", path: base }, websetSchema, context.signal);
  const names = new Map(webset.enrichments.map(({ id, description }) => [id, description]));
  const criteria = [
    ...new Set(webset.searches.flatMap((search) => search.criteria.map(({ description }) => description))),
  ];
  const known = (item: WebsetItem): readonly string[] => {
    for (const criterion of listCriteria([item])) if (!criteria.includes(criterion)) criteria.push(criterion);
    return criteria;
  };
  const show = (item: WebsetItem): JsonObject | undefined => {
    if (!includeFailing && !isIncluded(item)) return undefined;
    return { ...(tier === "card" ? toCard(item, known(item)) : toAnswers(item, known(item), names)) };
  };
  const part = await listPages(context, { path: `${base}/items`, limit: PAGE, item: websetItemSchema, show });
  return {
    head: {
      websetId,
      status: webset.status,
      tier,
      criteria: criteria.map((criterion) => criterion.slice(0, 200)),
      ...(part.leftOut > 0 && { failedAllCriteria: part.leftOut }),
      ...ITEMS_NOTE,
    },
    listKey: "items",
    items: part.items,
    morePlace: part.morePlace,
    nextStep:
      webset.status === "idle" || webset.status === "paused"
        ? "Give itemId for everything about one item; tier answers shows enrichments."
        : "The webset is still at work: ask again later for more.",
  };
}

/** Tier 3: the whole item, its content as text that comes in pages. */
async function readItem({ websetId, itemId = "" }: ItemsWish, context: ToolContext): Promise<ReplyDraft> {
  const path = `${WEBSETS}/websets/${encodeURIComponent(websetId)}/items/${encodeURIComponent(itemId)}`;
  const item = await callApi(context.api, { method: "GET", path }, websetItemSchema, context.signal);
  const content = item.properties["content"];
  return {
    head: { websetId },
    listKey: "",
    items: [{ card: slim(item), ...(typeof content === "string" && { text: content }), place: "0" }],
    textFrom: context.cursor?.offset ?? 0,
    nextStep: "References name the pages; read one with fetch.",
  };
}

/** One call that answers with one object. */
export async function change(
  context: ToolContext,
  { nextStep = "Done; websets_get shows how it stands.", ...request }: ApiRequest & { readonly nextStep?: string },
): Promise<ReplyDraft> {
  const made = await callApi(context.api, request, anything, context.signal);
  return { head: {}, listKey: "", items: [{ card: slim(made), place: "0" }], nextStep };
}
