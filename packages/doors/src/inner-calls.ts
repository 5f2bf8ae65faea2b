import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestState } from "./http/request-state.ts";

/** How inner calls address the server: a name of this machine that its guard of hosts always knows. */
export const INNER_HOST = "mcp.localhost";

const outerStates = new AsyncLocalStorage<RequestState>();

/** Runs `work` so that the calls it makes on the app's own routes count as parts of one request, and not once more. */
export function withInnerCalls<T>(outer: RequestState, work: () => T): T {
  return outerStates.run(outer, work);
}

/** The request whose part a call to that host is; undefined for one from outside. */
export function outerOf(host: string | undefined): RequestState | undefined {
  return host === INNER_HOST ? outerStates.getStore() : undefined;
}

/** Says what the request at work is for; the usage record names it. */
export function nameUse(endpoint: string): void {
  const state = outerStates.getStore();
  if (state !== undefined) state.use = endpoint;
}
