import type { Random } from "./random.ts";

/** Where a stream of events is read. */
export interface EventServer {
  readonly url: string;
  readonly key: string;
}

/**
 * Reads `/quarry/v1/events/stream` from `lastId` on as clients with bad lines do, several at once: each leaves after a few
 * events, mostly in the middle of what has arrived, and comes back with the last id it saw. Returns, for each, the ids in the
 * order seen, once `disconnects` in all are done and as many were seen as `finish` says there are.
 */
export async function followEvents(
  server: EventServer,
  options: {
    readonly lastId: string;
    readonly followers: number;
    readonly disconnects: number;
    readonly random: Random;
    /** Told how far a client has come: who writes may wait for the slowest or the fastest. */
    readonly onSeen?: (count: number) => void;
    /** Called once, when the disconnects are done; resolves with how many events there are in all. */
    readonly finish: () => Promise<number>;
  },
): Promise<readonly (readonly string[])[]> {
  const { followers, random } = options;
  const clients = Array.from({ length: followers }, () => {
    const seen: string[] = [];
    const readUntil = (count: number): Promise<void> =>
      readStream(server, seen.at(-1) ?? options.lastId, (id) => {
        seen.push(id);
        options.onSeen?.(seen.length);
        return seen.length < count;
      });
    return { seen, readUntil };
  });
  const each = Math.ceil(options.disconnects / followers);
  await Promise.all(
    clients.map(async ({ seen, readUntil }) => {
      for (let count = 0; count < each; count += 1) await readUntil(seen.length + random.integer(1, 4));
    }),
  );
  const total = await options.finish();
  return Promise.all(
    clients.map(async ({ seen, readUntil }) => {
      while (seen.length < total) await readUntil(total);
      return seen;
    }),
  );
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
