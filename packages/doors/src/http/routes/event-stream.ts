import { AppError, encodeCursor, sleep } from "@quarry/base";
import { eventSchema, queryList } from "@quarry/contract";
import {
  EVENTS_CHANNEL,
  getEvent,
  listEvents,
  readSettledSequence,
  type Database,
  type StoredEvent,
} from "@quarry/store";
import { z } from "zod";
import { eventStreamReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";
import { toEventReply } from "./events.ts";

/** What the stream needs. */
export interface EventStreamDeps {
  readonly db: Database;
}

/** Events read at once while catching up. */
const BATCH = 200;
/** How long until the log is looked at without a notification: an event may become settled without one. */
const LOOK_AGAIN_MS = 1_000;
/** A comment frame this often keeps proxies from closing a quiet stream. */
const KEEP_ALIVE_MS = 15_000;

const querySchema = z.object({
  from: z
    .enum(["now", "start"])
    .default("now")
    .describe("Where to begin without Last-Event-ID: at what happens from now on, or at the first event."),
  after: z.string().min(1).optional().describe("As Last-Event-ID, for clients that cannot send headers."),
  types: queryList(z.string().min(1)).optional().describe("Only these types, repeated or with commas."),
});

/** The team's events as they happen. */
export function eventStreamRoutes(deps: EventStreamDeps): readonly Route[] {
  return [
    defineRoute({
      name: "streamQuarryEvents",
      method: "GET",
      path: "/quarry/v1/events/stream",
      tag: "Events",
      summary: "Follow what happens in the team, as server-sent events",
      description:
        "Each frame has the event's id, its type and its JSON. Send the last id as Last-Event-ID to go on without gap or repeat.",
      access: "admin",
      query: querySchema,
      response: eventSchema,
      replyMediaType: "text/event-stream",
      handle: async ({ query }, { caller, headers, streamSignal }) => {
        const after = await startingPoint(deps.db, caller.teamId, {
          lastId: headers["last-event-id"] ?? query.after,
          from: query.from,
        });
        const wish = { teamId: caller.teamId, ...(query.types === undefined ? {} : { types: query.types }) };
        return eventStreamReply(followEvents(deps.db, wish, after, streamSignal));
      },
    }),
  ];
}

/** The place in the log after which the stream begins. */
async function startingPoint(
  db: Database,
  teamId: string,
  wish: { readonly lastId: string | string[] | undefined; readonly from: "now" | "start" },
): Promise<number> {
  if (typeof wish.lastId === "string" && wish.lastId !== "") {
    const last = await getEvent(db, teamId, wish.lastId);
    if (last !== undefined) return last.sequence;
    throw new AppError(
      "invalid_request",
      "Last-Event-ID: no event of the team has this id; leave the header out to begin anew",
    );
  }
  if (wish.from === "start") return 0;
  // Settled ones only: one that is about to commit has not been seen by anyone, and belongs to the stream.
  return readSettledSequence(db);
}

async function* followEvents(
  db: Database,
  wish: { readonly teamId: string; readonly types?: readonly string[] },
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let position = after;
  let bell = new AbortController();
  const listening = await db.listen(EVENTS_CHANNEL, (team) => {
    if (team === "" || team === wish.teamId) bell.abort();
  });
  try {
    let quietSince = performance.now();
    while (!signal.aborted) {
      bell = new AbortController();
      const page = await listEvents(db, {
        ...wish,
        settledOnly: true,
        limit: BATCH,
        cursor: encodeCursor([String(position)]),
      });
      for (const event of page.data) {
        yield toFrame(event);
        position = event.sequence;
        quietSince = performance.now();
      }
      if (page.hasMore) continue;
      if (performance.now() - quietSince >= KEEP_ALIVE_MS) {
        yield ": still here\n\n";
        quietSince = performance.now();
      }
      await sleep(LOOK_AGAIN_MS, AbortSignal.any([signal, bell.signal])).catch(() => undefined); // woken, or over
    }
  } finally {
    await listening.close();
  }
}

function toFrame(event: StoredEvent): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(toEventReply(event))}\n\n`;
}
