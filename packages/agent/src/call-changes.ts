import { TOOLS_CHANNEL, type Database } from "@quarry/store";

/** What a notification of the store says. */
export interface CallChange {
  readonly teamId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly approvalId: string | null;
}

/** Hears of answered approvals and ended calls, of this process and of others. */
export interface CallChanges {
  /** Resolves when something may have happened to the call, and after `atMostMs` in any case; rejects when `signal` aborts. */
  readonly waitForChange: (callId: string, atMostMs: number, signal: AbortSignal) => Promise<void>;
  /** Calls back for every change; undefined when some may have been missed. Ends with the returned function. */
  readonly onChange: (heard: (change: CallChange | undefined) => void) => () => void;
  readonly close: () => Promise<void>;
}

/** Listens to the store's notifications until closed. */
export async function listenToCalls(db: Database): Promise<CallChanges> {
  const listeners = new Set<(change: CallChange | undefined) => void>();
  const subscription = await db.listen(TOOLS_CHANNEL, (payload) => {
    // An empty payload tells that the connection was renewed; others are written by the store.
    const change = payload === "" ? undefined : (JSON.parse(payload) as CallChange);
    for (const listener of listeners) listener(change);
  });
  const onChange: CallChanges["onChange"] = (heard) => {
    listeners.add(heard);
    return () => listeners.delete(heard);
  };
  return {
    onChange,
    close: subscription.close,
    waitForChange: (callId, atMostMs, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          stop();
          signal.removeEventListener("abort", end);
          if (signal.aborted) reject(signal.reason as Error);
          else resolve();
        };
        const timer = setTimeout(end, atMostMs);
        const stop = onChange((change) => {
          if (change === undefined || change.callId === callId) end();
        });
        signal.addEventListener("abort", end);
        if (signal.aborted) end();
      }),
  };
}
