import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { followEvents } from "./follow-events.ts";
import type { Soak } from "./soak.ts";

const DISCONNECTS = 10_000;
const WRITERS = 3;
/** Clients that read at once, each with a bad line of its own. */
const FOLLOWERS = 5;

interface EventPage {
  readonly data: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
}

/** 10,000 random disconnects from streams of events while others write: no client has a gap or a repeat. */
export const eventStreamSoak: Soak = {
  name: "event-stream",
  run: ({ random, size, report }) =>
    withDataDirectory(async (directory) => {
      const server = await startServerProcess(directory, { QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" });
      try {
        await server.call("POST", "/quarry/v1/keys", { name: "first" });
        const [first] = await listEvents(server);
        const disconnects = Math.ceil(DISCONNECTS * size);
        const stop = new AbortController();
        const writers = Array.from({ length: WRITERS }, async (_, writer) => {
          for (let count = 0; !stop.signal.aborted; count += 1) {
            await server.call("POST", "/quarry/v1/keys", { name: `writer ${writer} key ${count}` });
          }
        });
        let written: readonly string[] = [];
        const lists = await followEvents(server, {
          lastId: first ?? "",
          followers: FOLLOWERS,
          disconnects,
          random,
          finish: async () => {
            stop.abort();
            await Promise.all(writers);
            written = (await listEvents(server)).slice(1);
            report(`${disconnects} disconnects, ${written.length} events`);
            return written.length;
          },
        });
        const wrong = lists.filter((seen) => seen.join() !== written.join()).length;
        const violations =
          wrong === 0 ? [] : [`${wrong} clients saw other events than were written, or in other order`];
        return { figures: { disconnects, followers: lists.length, written: written.length }, violations };
      } finally {
        await server.stop();
      }
    }),
};

/** The ids of every event, oldest first. */
async function listEvents(server: ServerProcess): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await server.call("GET", `/quarry/v1/events?limit=200${query}`)).body as EventPage;
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids.reverse();
}
