import { AppError } from "@quarry/base";
import { eventSchema, eventsQuerySchema, pageOf } from "@quarry/contract";
import { listEvents, type EventQuestion, type StoredEvent } from "@quarry/store";
import type { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import type { IdentityDeps } from "./identity-deps.ts";

/** The team's event log. */
export function eventRoutes(deps: Pick<IdentityDeps, "db">): readonly Route[] {
  return [
    defineRoute({
      name: "listQuarryEvents",
      method: "GET",
      path: "/quarry/v1/events",
      tag: "Events",
      summary: "List what happened in the team, newest first",
      access: "admin",
      query: eventsQuerySchema,
      response: pageOf(eventSchema),
      handle: async ({ query }, { caller }) => {
        const page = await listEvents(deps.db, toQuestion(caller.teamId, query));
        return { ...page, data: page.data.map(toEventReply) };
      },
    }),
  ];
}

function toQuestion(teamId: string, query: z.output<typeof eventsQuerySchema>): EventQuestion {
  const { resourceKind, resourceId, cursor, types, createdAfter, createdBefore } = query;
  if ((resourceKind === undefined) !== (resourceId === undefined)) {
    throw new AppError("invalid_request", "resourceKind and resourceId: expected both or neither");
  }
  return {
    teamId,
    order: "newest-first",
    limit: query.limit,
    ...(cursor === undefined ? {} : { cursor }),
    ...(types === undefined ? {} : { types }),
    ...(createdAfter === undefined ? {} : { createdAfter }),
    ...(createdBefore === undefined ? {} : { createdBefore }),
    ...(resourceKind === undefined || resourceId === undefined
      ? {}
      : { resource: { kind: resourceKind, id: resourceId } }),
  };
}

/** An event as the wire shows it. */
export function toEventReply(event: StoredEvent): z.input<typeof eventSchema> {
  return {
    id: event.id,
    object: "event",
    type: event.type,
    resource: event.resource,
    data: event.data,
    createdAt: event.createdAt.toISOString(),
  };
}
