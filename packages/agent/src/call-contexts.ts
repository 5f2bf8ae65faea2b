import { readCallContext, type CallContext, type Database } from "@quarry/store";
import type { CallChanges } from "./call-changes.ts";

/** What calls are judged by, session by session. */
export interface CallContexts {
  /** As it was last read, which may be a little old: the store refuses a call that was judged by an outdated one. */
  readonly get: (teamId: string, sessionId: string) => Promise<CallContext>;
  /** As it is. */
  readonly renew: (teamId: string, sessionId: string) => Promise<CallContext>;
}

/** How many sessions are kept in memory; the one read longest ago goes first. */
const MAX_KEPT = 1_000;

/** Keeps contexts in memory until the store tells of a change: a call then takes no round trip to be judged. */
export function keepCallContexts(
  db: Database,
  changes: Pick<CallChanges, "onChange">,
): CallContexts & { readonly close: () => void } {
  const kept = new Map<string, CallContext>();
  const close = changes.onChange((change) => {
    if (change === undefined || change.sessionId === null) kept.clear();
    else if (change.callId === null) kept.delete(change.sessionId);
  });
  const renew: CallContexts["renew"] = async (teamId, sessionId) => {
    const context = await readCallContext(db, teamId, sessionId);
    kept.delete(sessionId);
    kept.set(sessionId, context);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return context;
  };
  return {
    close,
    renew,
    get: async (teamId, sessionId) => {
      const known = kept.get(sessionId);
      return known?.session.teamId === teamId ? known : renew(teamId, sessionId);
    },
  };
}
