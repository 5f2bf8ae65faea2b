import { createEnrichmentSchema, updateEnrichmentSchema, WEBSET_HINT, websetEnrichmentSchema } from "@quarry/contract";
import { cancelEnrichment, createEnrichment, deleteEnrichment, getEnrichment, updateEnrichment } from "@quarry/websets";
import { conditionalReply } from "../conditional-reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { websetParams, websetPartParams, type WebsetRoutesDeps } from "./webset-params.ts";

const shared = { tag: "Websets", access: "websets", response: websetEnrichmentSchema } as const;
const BASE = "/websets/v0/websets/:webset/enrichments";

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
  ];
}
