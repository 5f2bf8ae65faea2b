import { AppError } from "@quarry/base";
import {
  EXA_EVENT_TYPES,
  exaEventSchema,
  exaEventsQuerySchema,
  pageOf,
  UNLISTED_EVENT_TYPES,
  type ExaEventType,
} from "@quarry/contract";
import { getEvent, listEvents, type Database, type StoredEvent } from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

const shared = { tag: "Websets", access: "websets" } as const;
/** What the events of Exa's API are about. Search monitors have events of the same names, told to their own webhook alone. */
const EXA_KINDS = ["webset", "import", "monitor"];
const LISTED_TYPES = EXA_EVENT_TYPES.filter((type) => !UNLISTED_EVENT_TYPES.includes(type));

/** The team's events as Exa shows them. */
export function exaEventRoutes({ db }: { readonly db: Database }): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      name: "listEvents",
      method: "GET",
      path: "/websets/v0/events",
      summary: "List events, newest first",
      query: exaEventsQuerySchema,
      response: pageOf(exaEventSchema),
      handle: async ({ query }, { caller }) => {
        const { types = LISTED_TYPES, createdAfter, createdBefore, cursor, limit } = query;
        const page = await listEvents(db, {
          teamId: caller.teamId,
          order: "newest-first",
          kinds: EXA_KINDS,
          types,
          limit,
          ...(cursor === undefined ? {} : { cursor }),
          ...(createdAfter === undefined ? {} : { createdAfter }),
          ...(createdBefore === undefined ? {} : { createdBefore }),
        });
        return { ...page, data: page.data.map(showExaEvent) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getEvent",
      method: "GET",
      path: "/websets/v0/events/:id",
      summary: "Read an event",
      params: z.object({ id: z.string().describe("The event's id.") }),
      response: exaEventSchema,
      handle: async ({ params: { id } }, { caller }) => {
        const event = await getEvent(db, caller.teamId, id);
        if (event === undefined || !isExaEvent(event)) throw new AppError("not_found", "Event not found");
        return showExaEvent(event);
      },
    }),
  ];
}

function isExaEvent(event: StoredEvent): boolean {
  return EXA_KINDS.includes(event.resource.kind) && EXA_EVENT_TYPES.includes(event.type as ExaEventType);
}

/** The writers made `data` by `exaEvent`, which knows what belongs to which type. */
function showExaEvent(event: StoredEvent): z.input<typeof exaEventSchema> {
  const { id, type, data, createdAt } = event;
  return { id, object: "event", type, data, createdAt: createdAt.toISOString() } as z.input<typeof exaEventSchema>;
}
