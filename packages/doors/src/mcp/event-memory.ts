import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** So many messages of a session are kept for a client that lost its stream. */
const MAX_EVENTS = 500;

/** Keeps the last messages of a session, so that a stream that broke goes on where it broke. */
export function createEventMemory(): EventStore {
  const events: { readonly id: string; readonly streamId: string; readonly message: JSONRPCMessage }[] = [];
  let count = 0;
  return {
    storeEvent: (streamId, message) => {
      count += 1;
      const id = `${streamId}_${count}`;
      events.push({ id, streamId, message });
      if (events.length > MAX_EVENTS) events.shift();
      return Promise.resolve(id);
    },
    getStreamIdForEventId: (eventId) => Promise.resolve(events.find(({ id }) => id === eventId)?.streamId),
    replayEventsAfter: async (lastEventId, { send }) => {
      const last = events.findIndex(({ id }) => id === lastEventId);
      const streamId = events[last]?.streamId ?? "";
      const missed = events.slice(last + 1).filter((event) => event.streamId === streamId);
      for (const { id, message } of missed) if (Object.keys(message).length > 0) await send(id, message);
      return streamId;
    },
  };
}
