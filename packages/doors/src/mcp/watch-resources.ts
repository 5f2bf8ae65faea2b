import { createHash } from "node:crypto";
import { sleep } from "@quarry/base";

/** How often resources are looked at that a client wants to hear of. */
const LOOK_MS = 3_000;
/** A client may watch so many at once. */
const MAX_WATCHED = 50;

/** Looks at the resources a client subscribed to, and tells it of those that changed. */
export interface ResourceWatch {
  readonly set: (uri: string, isWanted: boolean) => void;
  readonly close: () => void;
}

/** What a watch needs. */
export interface ResourceWatchDeps {
  readonly read: (uri: string, signal: AbortSignal) => Promise<string>;
  readonly tell: (uri: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A watch that sleeps until something is subscribed. */
export function watchResources(deps: ResourceWatchDeps): ResourceWatch {
  const seen = new Map<string, string | undefined>();
  const closing = new AbortController();
  let isLooking = false;
  const look = async (): Promise<void> => {
    while (seen.size > 0 && !closing.signal.aborted) {
      for (const [uri, before] of seen) {
        const now = createHash("sha256")
          .update(await deps.read(uri, closing.signal))
          .digest("hex");
        if (!seen.has(uri)) continue;
        seen.set(uri, now);
        if (before !== undefined && before !== now) await deps.tell(uri);
      }
      await sleep(LOOK_MS, closing.signal);
    }
  };
  const start = (): void => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => {
        if (!closing.signal.aborted) deps.onError(error);
      })
      .finally(() => {
        isLooking = false;
      });
  };
  return {
    set: (uri, isWanted) => {
      if (!isWanted) seen.delete(uri);
      else if (seen.size < MAX_WATCHED && !seen.has(uri)) seen.set(uri, undefined);
      if (seen.size > 0) start();
    },
    close: () => {
      seen.clear();
      closing.abort();
    },
  };
}
