import {
  createWebsetSchema,
  getWebsetQuerySchema,
  listWebsetsQuerySchema,
  pageOf,
  previewQuerySchema,
  previewReplySchema,
  previewWebsetSchema,
  updateWebsetSchema,
  WEBSET_HINT,
  websetEstimateSchema,
  websetExplanationSchema,
  websetSchema,
  websetTeamSchema,
} from "@quarry/contract";
import { countActiveWebsets, getTeam } from "@quarry/store";
import {
  cancelWebset,
  createWebset,
  estimateWebset,
  explainWebset,
  pauseWebset,
  previewWebset,
  readWebset,
  readWebsets,
  removeWebset,
  resumeWebset,
  updateWebset,
} from "@quarry/websets";
import { conditionalReply } from "../conditional-reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { websetEnrichmentRoutes } from "./webset-enrichments.ts";
import { websetItemRoutes } from "./webset-items.ts";
import { readWebsetPriority, websetParams, type WebsetRoutesDeps } from "./webset-params.ts";
import { websetSearchRoutes } from "./webset-searches.ts";

const shared = { tag: "Websets", access: "websets" } as const;
const BASE = "/websets/v0/websets";
const OWN = "/quarry/v1/websets";

/** Websets and all below them. */
export function websetRoutes(deps: WebsetRoutesDeps): readonly Route[] {
  return [
    ...wireRoutes(deps),
    ...ownRoutes(deps),
    ...websetSearchRoutes(deps),
    ...websetEnrichmentRoutes(deps),
    ...websetItemRoutes(deps),
  ];
}

function wireRoutes({ websets: deps }: WebsetRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "createWebset",
      method: "POST",
      path: BASE,
      summary: "Make a webset",
      description: "Answers at once; its search runs by itself and survives restarts. Items appear as they pass.",
      status: 201,
      creates: true,
      meter: "websets",
      body: createWebsetSchema,
      bodyHint: WEBSET_HINT,
      response: websetSchema,
      handle: ({ body }, { caller: { teamId }, newId, headers }) =>
        createWebset(deps, { id: newId("webset"), teamId, priority: readWebsetPriority(headers) }, body),
    }),
    defineRoute({
      ...shared,
      name: "listWebsets",
      method: "GET",
      path: BASE,
      summary: "List the team's websets, newest first",
      query: listWebsetsQuerySchema,
      response: pageOf(websetSchema),
      handle: async ({ query }, context) =>
        conditionalReply(context, await readWebsets(deps, context.caller.teamId, query)),
    }),
    defineRoute({
      ...shared,
      name: "previewWebset",
      method: "POST",
      path: `${BASE}/preview`,
      summary: "Tell how a query would be understood",
      description:
        "Entity, criteria and columns that would fit; with search=true also entities of the first pages found.",
      meter: "websets",
      query: previewQuerySchema,
      body: previewWebsetSchema,
      bodyHint: WEBSET_HINT,
      response: previewReplySchema,
      handle: ({ body, query }, { caller, signal }) =>
        previewWebset(deps, { ...body.search, teamId: caller.teamId, withItems: query.search === true }, signal),
    }),
    defineRoute({
      ...shared,
      name: "getWebset",
      method: "GET",
      path: `${BASE}/:webset`,
      summary: "Read a webset",
      params: websetParams,
      query: getWebsetQuerySchema,
      response: websetSchema,
      handle: async ({ params, query }, context) => {
        const reference = { teamId: context.caller.teamId, webset: params.webset };
        const withItems = query.expand?.includes("items") === true;
        return conditionalReply(context, await readWebset(deps, reference, { withItems }));
      },
    }),
    defineRoute({
      ...shared,
      name: "updateWebset",
      method: "POST",
      path: `${BASE}/:webset`,
      summary: "Change a webset's title or metadata",
      params: websetParams,
      body: updateWebsetSchema,
      response: websetSchema,
      handle: ({ params, body }, { caller }) =>
        updateWebset(deps, { teamId: caller.teamId, webset: params.webset }, body),
    }),
    defineRoute({
      ...shared,
      name: "deleteWebset",
      method: "DELETE",
      path: `${BASE}/:webset`,
      summary: "Delete a webset with its items; answers what it was",
      params: websetParams,
      response: websetSchema,
      handle: ({ params }, { caller }) => removeWebset(deps, { teamId: caller.teamId, webset: params.webset }),
    }),
    defineRoute({
      ...shared,
      name: "cancelWebset",
      method: "POST",
      path: `${BASE}/:webset/cancel`,
      summary: "End a webset's running searches and enrichments",
      params: websetParams,
      response: websetSchema,
      handle: ({ params }, { caller }) => cancelWebset(deps, { teamId: caller.teamId, webset: params.webset }),
    }),
    defineRoute({
      ...shared,
      name: "getWebsetTeam",
      method: "GET",
      path: "/websets/v0/teams/me",
      summary: "Tell of the caller's team: how much of it works and waits",
      response: websetTeamSchema,
      handle: async (_input, { caller }) => {
        const { id, name } = await getTeam(deps.database, caller.teamId);
        const concurrency = await countActiveWebsets(deps.database, caller.teamId);
        return { object: "team" as const, id, name, concurrency, limits: { maxConcurrent: null, maxQueued: null } };
      },
    }),
  ];
}

function ownRoutes({ websets: deps }: WebsetRoutesDeps): readonly Route[] {
  const steer = (move: "pause" | "resume", summary: string, act: typeof pauseWebset): Route =>
    defineRoute({
      ...shared,
      name: `${move}Webset`,
      method: "POST",
      path: `${OWN}/:webset/${move}`,
      summary,
      params: websetParams,
      response: websetSchema,
      handle: ({ params }, { caller }) => act(deps, { teamId: caller.teamId, webset: params.webset }),
    });
  return [
    steer("pause", "Start no new unit of a webset; running ones finish", pauseWebset),
    steer("resume", "Let a paused webset go on", resumeWebset),
    defineRoute({
      ...shared,
      name: "estimateWebset",
      method: "POST",
      path: `${OWN}/estimate`,
      summary: "Tell what a webset would take at most, before it is made",
      body: createWebsetSchema,
      bodyHint: WEBSET_HINT,
      response: websetEstimateSchema,
      handle: ({ body }, { caller }) => estimateWebset(deps, caller.teamId, body),
    }),
    defineRoute({
      ...shared,
      name: "explainWebset",
      method: "GET",
      path: `${OWN}/:webset/explain`,
      summary: "Say what a webset waits for, and which candidates it turned down and why",
      params: websetParams,
      response: websetExplanationSchema,
      handle: ({ params }, { caller }) => explainWebset(deps, { teamId: caller.teamId, webset: params.webset }),
    }),
  ];
}
