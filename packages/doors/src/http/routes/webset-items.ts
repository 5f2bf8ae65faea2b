import {
  cellAttemptSchema,
  itemAnswersSchema,
  itemCardSchema,
  listItemsQuerySchema,
  overrideCellSchema,
  overrideVerdictSchema,
  pageOf,
  pastValueSchema,
  projectedItemsQuerySchema,
  valueHistoryQuerySchema,
  verdictAttemptsQuerySchema,
  websetItemSchema,
  type Caller,
} from "@quarry/contract";
import {
  deleteItem,
  getItem,
  listItems,
  listProjectedItems,
  overrideCell,
  overrideVerdict,
  readAttempts,
  readHistory,
  readVerdictAttempts,
} from "@quarry/websets";
import { z } from "zod";
import { conditionalReply } from "../conditional-reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { websetParams, websetPartParams, type WebsetRoutesDeps } from "./webset-params.ts";

const shared = { tag: "Websets", access: "websets" } as const;
const BASE = "/websets/v0/websets/:webset/items";
const OWN = "/quarry/v1/websets/:webset/items";
const cellParams = z.object({ ...websetPartParams.shape, enrichment: z.string().min(1) });

/** Items of a webset: listed, read, deleted; and what people say of them. */
export function websetItemRoutes(deps: WebsetRoutesDeps): readonly Route[] {
  return [...wireRoutes(deps), ...ownRoutes(deps)];
}

function wireRoutes({ websets: deps }: WebsetRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "listWebsetItems",
      method: "GET",
      path: BASE,
      summary: "List a webset's items in the order in which they came",
      params: websetParams,
      query: listItemsQuerySchema,
      response: pageOf(websetItemSchema),
      handle: async ({ params, query }, context) => {
        const reference = { teamId: context.caller.teamId, webset: params.webset };
        return conditionalReply(context, await listItems(deps, reference, query));
      },
    }),
    defineRoute({
      ...shared,
      name: "getWebsetItem",
      method: "GET",
      path: `${BASE}/:id`,
      summary: "Read an item with its evidence and the page's text",
      params: websetPartParams,
      response: websetItemSchema,
      handle: async ({ params }, context) => {
        const reference = { teamId: context.caller.teamId, webset: params.webset };
        return conditionalReply(context, await getItem(deps, reference, params.id));
      },
    }),
    defineRoute({
      ...shared,
      name: "deleteWebsetItem",
      method: "DELETE",
      path: `${BASE}/:id`,
      summary: "Delete an item; answers what it was",
      params: websetPartParams,
      response: websetItemSchema,
      handle: ({ params }, { caller: { teamId } }) => deleteItem(deps, { teamId, webset: params.webset }, params.id),
    }),
  ];
}

function ownRoutes({ websets: deps }: WebsetRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "listProjectedItems",
      method: "GET",
      path: OWN,
      summary: "List items in the size an agent can read",
      description: "card: some hundred characters an item. answers: with the cells. full: all but the page's text.",
      params: websetParams,
      query: projectedItemsQuerySchema,
      response: pageOf(z.union([websetItemSchema, itemAnswersSchema, itemCardSchema])),
      handle: async ({ params, query }, context) => {
        const reference = { teamId: context.caller.teamId, webset: params.webset };
        return conditionalReply(context, await listProjectedItems(deps, reference, query));
      },
    }),
    defineRoute({
      ...shared,
      name: "overrideVerdict",
      method: "PUT",
      path: `${OWN}/:id/verdict`,
      summary: "Put a person's verdict in place of Quarry's",
      params: websetPartParams,
      body: overrideVerdictSchema,
      response: websetItemSchema,
      handle: ({ params, body }, { caller }) =>
        overrideVerdict(deps, { teamId: caller.teamId, webset: params.webset }, params.id, {
          ...body,
          ...personOf(caller, body.note),
        }),
    }),
    defineRoute({
      ...shared,
      name: "overrideCell",
      method: "PUT",
      path: `${OWN}/:id/cells/:enrichment`,
      summary: "Put a person's value into a cell; no run replaces it",
      params: cellParams,
      body: overrideCellSchema,
      response: websetItemSchema,
      handle: ({ params, body }, { caller }) =>
        overrideCell(
          deps,
          { teamId: caller.teamId, webset: params.webset },
          { itemId: params.id, enrichmentId: params.enrichment },
          { result: body.result, ...personOf(caller, body.note) },
        ),
    }),
    defineRoute({
      ...shared,
      name: "readValueHistory",
      method: "GET",
      path: `${OWN}/:id/history`,
      summary: "Every value that a verdict or a cell has had: who, when, why",
      params: websetPartParams,
      query: valueHistoryQuerySchema,
      response: z.object({ data: z.array(pastValueSchema) }),
      handle: async ({ params, query }, { caller: { teamId } }) => ({
        data: [...(await readHistory(deps, { teamId, webset: params.webset }, params.id, query))],
      }),
    }),
    defineRoute({
      ...shared,
      name: "readCellAttempts",
      method: "GET",
      path: `${OWN}/:id/cells/:enrichment/attempts`,
      summary: "Every filling of a cell: how it went, and what it took by the price list",
      params: cellParams,
      response: z.object({ data: z.array(cellAttemptSchema) }),
      handle: async ({ params, params: { id: itemId, enrichment: enrichmentId } }, { caller: { teamId } }) => ({
        data: [...(await readAttempts(deps, { teamId, webset: params.webset }, { itemId, enrichmentId }))],
      }),
    }),
    defineRoute({
      ...shared,
      name: "readVerdictAttempts",
      method: "GET",
      path: `${OWN}/:id/verdict/attempts`,
      summary: "Every judging of an item by a criterion: how it went, and what it took by the price list",
      params: websetPartParams,
      query: verdictAttemptsQuerySchema,
      response: z.object({ data: z.array(cellAttemptSchema) }),
      handle: async ({ params, query: { criterion } }, { caller: { teamId } }) => ({
        data: [...(await readVerdictAttempts(deps, { teamId, webset: params.webset }, params.id, criterion))],
      }),
    }),
  ];
}

function personOf(caller: Caller, note: string | undefined) {
  return { by: caller.keyId ?? caller.teamId, note };
}
