import { createContextKey, type ContextKey, type HandlerContext } from "@connectrpc/connect";
import type { ToolCaller, ToolRuntime } from "@quarry/agent";
import { AppError } from "@quarry/base";
import type { Caller } from "@quarry/contract";
import type { ToolSession } from "@quarry/store";

/** What the services need from outside. */
export interface RpcDeps {
  readonly tools: ToolRuntime;
  /** Aborts when the server stops: streams end then. */
  readonly stopping: AbortSignal;
}

/** Who calls; put there by the app that checked the key. */
export const CALLER: ContextKey<Caller | undefined> = createContextKey<Caller | undefined>(undefined);

/** The caller of a handler; there is one, since every service asks for a scope. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(CALLER);
  if (caller === undefined) throw new AppError("unauthenticated", "no API key was sent");
  return caller;
}

/** The caller as the agent room names it. */
export function toolCallerOf(caller: Caller): ToolCaller {
  return { teamId: caller.teamId, name: caller.name };
}

/** The session a request names; without a name, the one that belongs to the caller's key. */
export function sessionOf(
  deps: RpcDeps,
  caller: Caller,
  wish: { readonly id?: string; readonly name?: string; readonly workspaceRoot?: string },
): Promise<ToolSession> {
  const name = wish.name === undefined || wish.name === "" ? `key ${caller.keyId ?? "none"}` : wish.name;
  const { id, workspaceRoot } = wish;
  return deps.tools.session(toolCallerOf(caller), {
    name,
    ...(id === undefined ? {} : { id }),
    ...(workspaceRoot === undefined ? {} : { workspaceRoot }),
  });
}

/** Aborts when the client leaves or the server stops. */
export function streamSignal(deps: RpcDeps, context: HandlerContext): AbortSignal {
  return AbortSignal.any([context.signal, deps.stopping]);
}
