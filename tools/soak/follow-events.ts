import type { Random } from "./random.ts";

/** Where a stream of events is read. */
export interface EventServer {
  readonly url: string;
  readonly key: string;
}

/**
 * Reads `/quarry/v1/events/stream` from `lastId` on as a client with a bad line does: it leaves after a few events,
 * mostly in the middle of what has arrived, and comes back with the last id it saw. Returns the ids in the order seen,
 * once `disconnects` are done and `isComplete` says that nothing more is to come.
 */
export async function followEvents(
  server: EventServer,
  options: {
    readonly lastId: string;
    readonly disconnects: number;
    readonly random: Random;
    /** Called when the disconnects are done; resolves with how many events there are in all. */
    readonly finish: () => Promise<number>;
  },
): Promise<readonly string[]> {
  const seen: string[] = [];
  const readUntil = (count: number): Promise<void> =>
    readStream(server, seen.at(-1) ?? options.lastId, (id) => {
      seen.push(id);
      return seen.length < count;
    });
  for (let count = 0; count < options.disconnects; count += 1) {
    await readUntil(seen.length + options.random.integer(1, 4));
  }
  const total = await options.finish();
  while (seen.length < total) await readUntil(total);
  return seen;
}

/** Hands each event's id to `take` until it says no, or the server ends the stream. */
async function readStream(server: EventServer, lastId: string, take: (id: string) => boolean): Promise<void> {
  const leave = new AbortController();
  const reply = await fetch(`${server.url}/quarry/v1/events/stream`, {
    headers: { "x-api-key": server.key, "last-event-id": lastId },
    signal: leave.signal,
  });
  if (!reply.ok || reply.body === null) throw new Error(`the stream answered ${reply.status}: ${await reply.text()}`);
  const decoder = new TextDecoder();
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  let rest = "";
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      rest += decoder.decode(chunk.value, { stream: true });
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const id = /^id: (.+)$/m.exec(rest.slice(0, end))?.[1];
        rest = rest.slice(end + 2);
        if (id !== undefined && !take(id)) return;
      }
    }
  } finally {
    leave.abort();
  }
}
