import { ApiError, messageOf, open } from "./send.ts";
import { readServerEvents, type ServerEvent } from "./server-events.ts";

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;

/** What a follower is told beside the frames. */
export interface Following {
  readonly onEvent: (event: ServerEvent) => void;
  /** False while the connection is down. */
  readonly onConnection?: (isUp: boolean) => void;
  /** Whether the last frame was the last one: the stream is over, not broken. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Follows a stream until it is over. A connection that drops is opened again, with Last-Event-ID where the frames have
 * ids, after pauses that grow; a refusal of the server ends it, with an ApiError.
 */
export async function followEvents(path: string, following: Following): Promise<void> {
  const { signal } = following;
  let lastId: string | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  const isLeft = (): boolean => signal.aborted;
  while (!isLeft()) {
    try {
      const response = await open(path, { signal, headers: lastId === undefined ? {} : { "last-event-id": lastId } });
      if (!response.ok) {
        throw new ApiError(messageOf(await response.json().catch(() => undefined), response.status), response.status);
      }
      following.onConnection?.(true);
      for await (const event of readServerEvents(response)) {
        pauseMs = FIRST_PAUSE_MS;
        lastId = event.id ?? lastId;
        following.onEvent(event);
      }
    } catch (error) {
      if (isLeft()) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) throw error;
    }
    if (following.isOver() || isLeft()) return;
    following.onConnection?.(false);
    await pause(pauseMs, signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
