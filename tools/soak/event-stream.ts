import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { followEvents } from "./follow-events.ts";
import type { Soak } from "./soak.ts";

const DISCONNECTS = 2_000;
const WRITERS = 3;

interface EventPage {
  readonly data: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
}

/** 2,000 random disconnects from the stream of events while others write: no gap and no repeat. */
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
        const seen = await followEvents(server, {
          lastId: first ?? "",
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
        const isSame = seen.length === written.length && seen.every((id, index) => id === written[index]);
        const violations = isSame ? [] : ["the events that were seen are not those that were written, in order"];
        return { figures: { disconnects, written: written.length, seen: seen.length }, violations };
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
