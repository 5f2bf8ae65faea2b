import { makeWakeUp, TOOLS_CHANNEL, type Database, type ToolCallState } from "@quarry/store";

/** What a notification of the store says. */
export interface CallChange {
  readonly teamId: string;
  /** Null when it is about a team's rules. */
  readonly sessionId: string | null;
  /** Null when it is about a session or rules. */
  readonly callId: string | null;
  readonly approvalId: string | null;
  /** Of a call that ended. */
  readonly state?: ToolCallState;
}

/** An ear for one call. What it hears while nobody waits ends the next wait at once, so that nothing is missed in between. */
export interface CallWatch {
  /** Resolves when something may have happened to the call, and after `atMostMs` in any case; rejects when `signal` aborts. */
  readonly wait: (atMostMs: number, signal: AbortSignal) => Promise<void>;
  readonly stop: () => void;
}

/** Hears of answered approvals and ended calls, of this process and of others. */
export interface CallChanges {
  readonly watchCall: (callId: string) => CallWatch;
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
    watchCall: (callId) => {
      const bell = makeWakeUp();
      const stop = onChange((change) => {
        if (change === undefined || change.callId === callId) bell.ring();
      });
      return {
        stop,
        wait: async (atMostMs, signal) => {
          await bell.wait(atMostMs, signal);
          signal.throwIfAborted();
        },
      };
    },
  };
}
