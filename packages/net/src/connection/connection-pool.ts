import { Client } from "undici";
import type { Socket } from "node:net";
import type { ConnectionLimits } from "../limits.ts";
import type { DialStop } from "../outcome.ts";
import type { OpenedSocket } from "./open-socket.ts";

/** One connection, lent to one request at a time. */
export interface Lease {
  readonly kind: "lease";
  readonly client: Client;
  /** The checked address at the other end. */
  readonly address: string;
  readonly isReused: boolean;
  /** Gives the connection back for the next request to the same origin. */
  readonly release: () => void;
  /** Closes the connection. */
  readonly drop: () => void;
}

/** Opens a checked connection; called whenever no idle one to that origin is at hand. */
export type OpenConnection = () => Promise<(OpenedSocket & { readonly kind: "opened" }) | DialStop>;

/** Connections by origin: what was checked for one origin is never used for another. */
export interface ConnectionPool {
  /** Waits, at most until `signal` aborts, for a connection to `origin`. `fresh` never takes a used one. */
  readonly acquire: (
    origin: string,
    open: OpenConnection,
    options: { readonly signal: AbortSignal; readonly fresh: boolean },
  ) => Promise<Lease | DialStop>;
  readonly openCount: () => number;
  /** Closes every connection, in use or not, and waits for that. */
  readonly close: () => Promise<void>;
}

/** Thrown by a client whose one connection is gone; the request was not sent, so any may be tried again. */
export class ConnectionGoneError extends Error {
  constructor() {
    super("the kept connection was closed");
    this.name = "ConnectionGoneError";
  }
}

interface Slot {
  readonly origin: string;
  readonly client: Client;
  readonly socket: Socket;
  readonly address: string;
  isBusy: boolean;
}

interface Waiter {
  readonly origin: string;
  readonly wake: () => void;
}

/** Makes an empty pool. A connection lives in it from the open until either side closes it. */
export function createConnectionPool(limits: ConnectionLimits): ConnectionPool {
  const idle = new Map<string, Slot[]>();
  const slots = new Set<Slot>();
  const reservedByOrigin = new Map<string, number>();
  const waiters: Waiter[] = [];
  let reserved = 0;

  const reserve = (origin: string, change: 1 | -1): void => {
    reserved += change;
    const count = (reservedByOrigin.get(origin) ?? 0) + change;
    if (count === 0) reservedByOrigin.delete(origin);
    else reservedByOrigin.set(origin, count);
    if (change === -1) wakeNext();
  };

  const mayProceed = (origin: string): boolean =>
    idle.has(origin) ||
    ((reservedByOrigin.get(origin) ?? 0) < limits.maxConnectionsPerOrigin &&
      (reserved < limits.maxConnections || idle.size > 0));

  const wakeNext = (): void => {
    const index = waiters.findIndex((waiter) => mayProceed(waiter.origin));
    if (index >= 0) waiters.splice(index, 1)[0]?.wake();
  };

  const takeIdle = (origin: string): Slot | undefined => {
    const stack = idle.get(origin);
    const slot = stack?.pop();
    if (stack?.length === 0) idle.delete(origin);
    return slot;
  };

  const drop = (slot: Slot, reason: Error | null): void => {
    if (!slots.delete(slot)) return;
    const rest = idle.get(slot.origin)?.filter((other) => other !== slot) ?? [];
    if (rest.length === 0) idle.delete(slot.origin);
    else idle.set(slot.origin, rest);
    slot.client.destroy(reason).catch(() => undefined); // already gone is as good
    reserve(slot.origin, -1);
  };

  const release = (slot: Slot): void => {
    if (!slots.has(slot) || !slot.isBusy) return;
    if (slot.socket.destroyed) {
      drop(slot, null); // the server asked for a connection per request
      return;
    }
    slot.isBusy = false;
    const stack = idle.get(slot.origin);
    if (stack === undefined) idle.set(slot.origin, [slot]);
    else stack.push(slot);
    wakeNext();
  };

  const lend = (slot: Slot, isReused: boolean): Lease => {
    slot.isBusy = true;
    return {
      kind: "lease",
      client: slot.client,
      address: slot.address,
      isReused,
      release: () => release(slot),
      drop: () => drop(slot, null),
    };
  };

  const admit = (origin: string, { socket, address }: OpenedSocket): Slot => {
    const client = new Client(origin, {
      pipelining: 1,
      headersTimeout: 0, // the deadline of each request keeps the time
      bodyTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connect: handOver(socket),
    });
    const slot: Slot = { origin, client, socket, address, isBusy: true };
    slots.add(slot);
    // What was sent has had its error by now: what is still queued was not sent, and may be elsewhere.
    client.on("disconnect", () => drop(slot, new ConnectionGoneError()));
    client.on("connectionError", () => drop(slot, new ConnectionGoneError()));
    return slot;
  };

  const acquire: ConnectionPool["acquire"] = async (origin, open, { signal, fresh }) => {
    for (;;) {
      if (signal.aborted) wakeNext(); // we may have been woken for a place that we no longer want
      signal.throwIfAborted();
      const kept = fresh ? undefined : takeIdle(origin);
      if (kept !== undefined) return lend(kept, true);
      if (fresh) for (let old = takeIdle(origin); old !== undefined; old = takeIdle(origin)) drop(old, null);
      if (mayProceed(origin)) break;
      await turn(waiters, origin, signal);
    }
    if (reserved >= limits.maxConnections) {
      const [oldest] = idle.values().next().value ?? [];
      if (oldest !== undefined) drop(oldest, null);
    }
    reserve(origin, 1);
    try {
      const opened = await open();
      if (opened.kind === "opened") return lend(admit(origin, opened), false);
      reserve(origin, -1);
      return opened;
    } catch (thrown) {
      reserve(origin, -1);
      throw thrown;
    }
  };

  return {
    acquire,
    openCount: () => slots.size,
    close: async () => {
      const clients = [...slots].map((slot) => slot.client);
      for (const slot of slots) drop(slot, null);
      await Promise.allSettled(clients.map((client) => client.destroy()));
    },
  };
}

/** Gives the client the connection that was opened for it, once; it never makes one of its own. */
function handOver(socket: Socket) {
  let isGiven = false;
  return (_options: unknown, callback: (...result: [null, Socket] | [Error, null]) => void): void => {
    if (isGiven || socket.destroyed) {
      queueMicrotask(() => callback(new ConnectionGoneError(), null));
      return;
    }
    isGiven = true;
    queueMicrotask(() => callback(null, socket)); // a client that is called back at once never wakes up
  };
}

function turn(waiters: Waiter[], origin: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      const index = waiters.indexOf(waiter);
      if (index >= 0) waiters.splice(index, 1);
      reject(signal.reason as Error); // the deadline's own controller: always an Error
    };
    const waiter: Waiter = {
      origin,
      wake: () => {
        signal.removeEventListener("abort", stop);
        resolve();
      },
    };
    waiters.push(waiter);
    signal.addEventListener("abort", stop, { once: true });
  });
}
