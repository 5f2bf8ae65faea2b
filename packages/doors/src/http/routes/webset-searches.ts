import { createWebsetSearchSchema, WEBSET_HINT, websetSearchSchema } from "@quarry/contract";
import { cancelSearch, createWebsetSearch, getSearch } from "@quarry/websets";
import { conditionalReply } from "../conditional-reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { readWebsetPriority, websetParams, websetPartParams, type WebsetRoutesDeps } from "./webset-params.ts";

const shared = { tag: "Websets", access: "websets" } as const;
const BASE = "/websets/v0/websets/:webset/searches";

/** Searches of a webset. */
export function websetSearchRoutes({ websets: deps }: WebsetRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "createWebsetSearch",
      method: "POST",
      path: BASE,
      summary: "Add a search to a webset; it waits while another runs",
      creates: true,
      meter: "websets",
      params: websetParams,
      body: createWebsetSearchSchema,
      bodyHint: WEBSET_HINT,
      response: websetSearchSchema,
      handle: ({ params, body }, { caller: { teamId }, newId, headers }) => {
        const maker = { id: newId("wsearch"), teamId, priority: readWebsetPriority(headers) };
        return createWebsetSearch(deps, { teamId, webset: params.webset }, maker, body);
      },
    }),
    defineRoute({
      ...shared,
      name: "getWebsetSearch",
      method: "GET",
      path: `${BASE}/:id`,
      summary: "Read a search, with its progress",
      params: websetPartParams,
      response: websetSearchSchema,
      handle: async ({ params }, context) => {
        const reference = { teamId: context.caller.teamId, webset: params.webset };
        return conditionalReply(context, await getSearch(deps, reference, params.id));
      },
    }),
    defineRoute({
      ...shared,
      name: "cancelWebsetSearch",
      method: "POST",
      path: `${BASE}/:id/cancel`,
      summary: "End a search; its items stay",
      params: websetPartParams,
      response: websetSearchSchema,
      handle: ({ params }, { caller: { teamId } }) => cancelSearch(deps, { teamId, webset: params.webset }, params.id),
    }),
  ];
}
