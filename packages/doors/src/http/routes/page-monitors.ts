import { AppError, type Clock } from "@quarry/base";
import {
  createPageMonitorSchema,
  listPageMonitorsQuerySchema,
  pageChangeEventSchema,
  pageMonitorSchema,
  pageOf,
  updatePageMonitorSchema,
} from "@quarry/contract";
import { canonicalUrl } from "@quarry/crawl";
import { showPageMonitor, type CheckWebhookUrl } from "@quarry/events";
import {
  createPageMonitor,
  deletePageMonitor,
  getPageMonitor,
  listEvents,
  listPageMonitors,
  updatePageMonitor,
  type Database,
  type StoredEvent,
} from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

/** What the page monitor routes need. */
export interface PageMonitorRoutesDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** As for webhooks: public, or opened by the operator. */
  readonly checkUrl: CheckWebhookUrl;
}

const params = z.object({ id: z.string().describe("The page monitor's id.") });
const shared = { tag: "Page monitors", access: "websets" } as const;
const DAY_MINUTES = 24 * 60;

/** Pages that are watched: a change is an event, page_monitor.changed, that webhooks can ask for. */
export function pageMonitorRoutes(deps: PageMonitorRoutesDeps): readonly Route[] {
  const { db, clock } = deps;
  return [
    defineRoute({
      ...shared,
      name: "createPageMonitor",
      method: "POST",
      path: "/quarry/v1/page-monitors",
      summary: "Watch a page",
      description:
        "The page is read now and then every so often. A change of its text is the event page_monitor.changed, with a diff.",
      status: 201,
      creates: true,
      meter: "websets",
      body: createPageMonitorSchema,
      response: pageMonitorSchema,
      handle: async ({ body }, { caller, newId, signal }) => {
        await deps.checkUrl(body.url, signal);
        const url = canonicalUrl(body.url);
        if (url === undefined) throw new AppError("invalid_request", `url: ${body.url} is not a page's address`);
        const { everyMinutes = DAY_MINUTES, metadata = {} } = body;
        const wanted = { id: newId("page_monitor"), teamId: caller.teamId, url, everyMinutes, metadata };
        return showPageMonitor(await createPageMonitor(db, wanted, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      name: "listPageMonitors",
      method: "GET",
      path: "/quarry/v1/page-monitors",
      summary: "List watched pages, newest first",
      query: listPageMonitorsQuerySchema,
      response: pageOf(pageMonitorSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listPageMonitors(db, caller.teamId, query);
        return { ...page, data: page.data.map(showPageMonitor) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getPageMonitor",
      method: "GET",
      path: "/quarry/v1/page-monitors/:id",
      summary: "Read a page monitor",
      params,
      response: pageMonitorSchema,
      handle: async ({ params: { id } }, { caller }) => showPageMonitor(await getPageMonitor(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "updatePageMonitor",
      method: "PATCH",
      path: "/quarry/v1/page-monitors/:id",
      summary: "Change a page monitor, or let it rest",
      params,
      body: updatePageMonitorSchema,
      response: pageMonitorSchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        const { status, everyMinutes, metadata } = body;
        const change = {
          ...(status === undefined ? {} : { status }),
          ...(everyMinutes === undefined ? {} : { everyMinutes }),
          ...(metadata === undefined ? {} : { metadata }),
        };
        return showPageMonitor(await updatePageMonitor(db, { teamId: caller.teamId, id }, change, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      name: "checkPageMonitor",
      method: "POST",
      path: "/quarry/v1/page-monitors/:id/check",
      summary: "Read the page as soon as may be, whatever its pace; a disabled monitor is enabled",
      meter: "websets",
      params,
      response: pageMonitorSchema,
      handle: async ({ params: { id } }, { caller }) => {
        const change = { status: "enabled", checkNow: true } as const;
        return showPageMonitor(await updatePageMonitor(db, { teamId: caller.teamId, id }, change, clock.now()));
      },
    }),
    defineRoute({
      ...shared,
      name: "deletePageMonitor",
      method: "DELETE",
      path: "/quarry/v1/page-monitors/:id",
      summary: "Watch a page no longer",
      params,
      response: pageMonitorSchema,
      handle: async ({ params: { id } }, { caller }) => showPageMonitor(await deletePageMonitor(db, caller.teamId, id)),
    }),
    defineRoute({
      ...shared,
      name: "listPageChanges",
      method: "GET",
      path: "/quarry/v1/page-monitors/:id/changes",
      summary: "List how a page changed, newest first",
      params,
      query: listPageMonitorsQuerySchema,
      response: pageOf(pageChangeEventSchema),
      handle: async ({ params: { id }, query }, { caller }) => {
        await getPageMonitor(db, caller.teamId, id);
        const { cursor, limit } = query;
        const page = await listEvents(db, {
          teamId: caller.teamId,
          resource: { kind: "page_monitor", id },
          types: ["page_monitor.changed"],
          order: "newest-first",
          limit,
          ...(cursor === undefined ? {} : { cursor }),
        });
        return { ...page, data: page.data.map(showChange) };
      },
    }),
  ];
}

/** The job that wrote the event gave it this shape. */
function showChange({ id, type, data, createdAt }: StoredEvent): z.input<typeof pageChangeEventSchema> {
  const shown = { id, object: "event", type, data, createdAt: createdAt.toISOString() };
  return shown as unknown as z.input<typeof pageChangeEventSchema>;
}
