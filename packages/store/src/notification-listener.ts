import { sleep, type AppError } from "@quarry/base";
import pg from "pg";
import { toDatabaseError } from "./database-errors.ts";
import type { Database } from "./database.ts";
import { oneAtATime } from "./one-at-a-time.ts";

/** What listening needs: how to connect, and where failures go that no caller waits for. */
export interface ListenerOptions {
  readonly connection: pg.ClientConfig;
  readonly onError: (error: AppError) => void;
}

type OnNotification = (payload: string) => void;

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5_000;
const HEARTBEAT_INTERVAL_MS = 30_000;
const HEARTBEAT_TIMEOUT_MS = 10_000;

/**
 * One connection of its own for every LISTEN of a database, opened with the first
 * channel and renewed after a failure until `close()`. A connection that died
 * without a word is found by the heartbeat.
 */
export function startListener(options: ListenerOptions): {
  readonly listen: Database["listen"];
  readonly close: () => Promise<void>;
} {
  const channels = new Map<string, Set<OnNotification>>();
  const stopping = new AbortController();
  const enqueue = oneAtATime();
  let current: Promise<pg.Client> | undefined;

  const tell = (channel: string, payload: string): void => {
    for (const onNotification of channels.get(channel) ?? []) {
      try {
        onNotification(payload);
      } catch (error) {
        options.onError(toDatabaseError(error));
      }
    }
  };

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(options.connection);
    client.on("notification", ({ channel, payload }) => tell(channel, payload ?? ""));
    let live = false;
    const fail = (error: Error): void => {
      if (!live) return;
      live = false;
      clearInterval(heartbeat);
      client.end().catch(() => undefined); // it is broken already
      if (stopping.signal.aborted) return;
      options.onError(toDatabaseError(error));
      current = reconnect();
      current.catch(() => undefined); // rejects only when stopped
    };
    const heartbeat = setInterval(() => {
      enqueue(() => beat(client)).catch(fail);
    }, HEARTBEAT_INTERVAL_MS);
    heartbeat.unref();
    client.on("error", fail);
    client.on("end", () => fail(new Error("Connection terminated")));
    try {
      await client.connect();
      for (const channel of channels.keys()) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      clearInterval(heartbeat);
      client.end().catch(() => undefined); // it never opened
      throw error;
    }
    live = true;
    return client;
  };

  const reconnect = async (): Promise<pg.Client> => {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      await sleep(waitMs, stopping.signal);
      try {
        const client = await connect();
        for (const channel of channels.keys()) tell(channel, "");
        return client;
      } catch (error) {
        options.onError(toDatabaseError(error));
      }
    }
  };

  const listen: Database["listen"] = async (channel, onNotification) => {
    stopping.signal.throwIfAborted();
    const listeners = channels.get(channel) ?? new Set();
    channels.set(channel, listeners);
    // A wrapper per call, so that the same function may listen twice and close once.
    const listener: OnNotification = (payload) => onNotification(payload);
    listeners.add(listener);
    const close = async (): Promise<void> => {
      listeners.delete(listener);
      if (listeners.size > 0 || channels.get(channel) !== listeners) return;
      channels.delete(channel);
      if (stopping.signal.aborted || current === undefined) return;
      const client = await current.catch(() => undefined); // the database was closed meanwhile
      await enqueue(async () => {
        if (!channels.has(channel)) await client?.query(`UNLISTEN ${pg.escapeIdentifier(channel)}`);
      }).catch(() => undefined); // a lost connection listens to nothing, and a new one not to this channel
    };
    try {
      await subscribe(channel);
    } catch (error) {
      await close();
      throw toDatabaseError(error);
    }
    return { close };
  };

  const subscribe = async (channel: string): Promise<void> => {
    if (current === undefined) {
      const opening = connect(); // listens to every channel that is in the map, this one too
      current = opening;
      opening.catch(() => {
        if (current === opening) current = undefined;
      });
      await opening;
      return;
    }
    const client = await current;
    await enqueue(() => client.query(`LISTEN ${pg.escapeIdentifier(channel)}`));
  };

  const close = async (): Promise<void> => {
    stopping.abort(new Error("the database is closed"));
    channels.clear();
    const client = await current?.catch(() => undefined);
    await client?.end();
  };

  return { listen, close };
}

/** Rejects when the server does not answer in time. */
async function beat(client: pg.Client): Promise<void> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: "SELECT 1", query_timeout: HEARTBEAT_TIMEOUT_MS };
  await client.query(query);
}
