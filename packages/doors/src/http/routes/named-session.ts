import type { ToolRuntime } from "@quarry/agent";
import type { Caller } from "@quarry/contract";
import { getToolSession, type ToolSession } from "@quarry/store";

/** What a path says instead of an id for the session that a key's calls belong to when they name none. */
export const OWN_SESSION = "own";

/** The session of a key's calls that name none; made when it is new. */
export function ownSession(tools: ToolRuntime, caller: Caller): Promise<ToolSession> {
  const name = `key ${caller.keyId ?? "none"}`;
  return tools.session({ teamId: caller.teamId, name: caller.name }, { name });
}

/** The team's session of that id, or the caller's own. Throws `not_found`, also for another team's. */
export function namedSession(tools: ToolRuntime, caller: Caller, id: string): Promise<ToolSession> {
  return id === OWN_SESSION ? ownSession(tools, caller) : getToolSession(tools.deps.db, caller.teamId, id);
}
