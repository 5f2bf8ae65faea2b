import { createEnrichmentSchema, updateEnrichmentSchema, WEBSET_HINT, websetEnrichmentSchema } from "@quarry/contract";
import {
  cancelEnrichment,
  createEnrichment,
  deleteEnrichment,
  getEnrichment,
  runEnrichment,
  updateEnrichment,
} from "@quarry/websets";
import { z } from "zod";
import { conditionalReply } from "../conditional-reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { websetParams, websetPartParams, type WebsetRoutesDeps } from "./webset-params.ts";

const shared = { tag: "Websets", access: "websets", response: websetEnrichmentSchema } as const;
const BASE = "/websets/v0/websets/:webset/enrichments";

const runEnrichmentSchema = z.object({
  scope: z.enum(["all", "empty", "failed"]).default("all").describe("Which cells, by how they stand."),
  count: z.int().min(1).max(100_000).optional().describe("At most so many, by the order in which the items came."),
  itemIds: z.array(z.string().min(1)).min(1).max(1_000).optional().describe("The cells of these items instead."),
});

/** Enrichments of a webset. */
export function websetEnrichmentRoutes({ websets: deps }: WebsetRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "createWebsetEnrichment",
      method: "POST",
      path: BASE,
      summary: "Ask a question of every item",
      creates: true,
      meter: "websets",
      params: websetParams,
      body: createEnrichmentSchema,
      bodyHint: WEBSET_HINT,
      handle: ({ params, body }, { caller: { teamId }, newId }) =>
        createEnrichment(deps, { teamId, webset: params.webset }, { id: newId("wenrich"), teamId }, body),
    }),
    defineRoute({
      ...shared,
      name: "getWebsetEnrichment",
      method: "GET",
      path: `${BASE}/:id`,
      summary: "Read an enrichment",
      params: websetPartParams,
      handle: async ({ params }, context) => {
        const reference = { teamId: context.caller.teamId, webset: params.webset };
        return conditionalReply(context, await getEnrichment(deps, reference, params.id));
      },
    }),
    defineRoute({
      ...shared,
      name: "updateWebsetEnrichment",
      method: "PATCH",
      path: `${BASE}/:id`,
      summary: "Change an enrichment; another question fills its cells anew",
      meter: "websets",
      params: websetPartParams,
      body: updateEnrichmentSchema,
      bodyHint: WEBSET_HINT,
      handle: ({ params, body }, { caller: { teamId } }) =>
        updateEnrichment(deps, { teamId, webset: params.webset }, params.id, body),
    }),
    defineRoute({
      ...shared,
      name: "deleteWebsetEnrichment",
      method: "DELETE",
      path: `${BASE}/:id`,
      summary: "Delete an enrichment and its cells; answers what it was",
      params: websetPartParams,
      handle: ({ params }, { caller: { teamId } }) =>
        deleteEnrichment(deps, { teamId, webset: params.webset }, params.id),
    }),
    defineRoute({
      ...shared,
      name: "cancelWebsetEnrichment",
      method: "POST",
      path: `${BASE}/:id/cancel`,
      summary: "End an enrichment's open cells",
      params: websetPartParams,
      handle: ({ params }, { caller: { teamId } }) =>
        cancelEnrichment(deps, { teamId, webset: params.webset }, params.id),
    }),
    defineRoute({
      tag: shared.tag,
      access: shared.access,
      name: "runWebsetEnrichment",
      method: "POST",
      path: "/quarry/v1/websets/:webset/enrichments/:id/run",
      summary: "Fill cells of a column again: the first ones, all, empty ones, failed ones, or those of some items",
      description: "Cells that a person filled stay as they are, and cells that are being filled go on.",
      meter: "websets",
      params: websetPartParams,
      body: runEnrichmentSchema,
      response: z.object({ opened: z.int().describe("How many cells are filled again.") }),
      handle: ({ params, body }, { caller: { teamId } }) =>
        runEnrichment(deps, { teamId, webset: params.webset }, params.id, body),
    }),
  ];
}
