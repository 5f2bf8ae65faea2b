import { AppError, makeId, makeRequestId, type Clock } from "@quarry/base";
import type { Caller } from "@quarry/contract";
import type { FastifyBaseLogger } from "fastify";
import { requireAccess } from "./authenticate.ts";
import { checkInput } from "./check-input.ts";
import { describeError } from "./error-body.ts";
import { familyOfPath } from "./error-family.ts";
import { ERROR_TABLE } from "./error-table.ts";
import type { RequestContext, Route } from "./route.ts";
import { prepareReply } from "./send-reply.ts";

/** What a call without a request needs. */
export interface CallRouteDeps {
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly baseUrl: () => string;
}

/** What a call is made of: what a request would bring. */
export interface RouteCall {
  readonly caller: Caller;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The id of what the route makes; a new one unless given. */
  readonly newId?: string;
}

/** What a route answered, an error in the shape of its family too. */
export interface RouteAnswer {
  readonly statusCode: number;
  readonly body: unknown;
  readonly tokens: number;
  readonly costDollars: number;
}

/**
 * Calls a route by its name as a request of the caller would: scope and input are checked, errors look as they do on the wire.
 * For work that is done later than it was asked for. Rejects only when `signal` aborts.
 */
export function createRouteCaller(deps: CallRouteDeps, routes: readonly Route[]) {
  return async (name: string, call: RouteCall, signal: AbortSignal): Promise<RouteAnswer> => {
    const route = routes.find((known) => known.name === name);
    if (route === undefined) throw new AppError("internal", `there is no operation ${name}`);
    const used = { tokens: 0, costDollars: 0 };
    const requestId = makeRequestId();
    try {
      requireAccess(route.access, call.caller);
      const input = {
        params: route.params === undefined ? undefined : checkInput(route.params, "params", call.params ?? {}),
        query: route.query === undefined ? undefined : checkInput(route.query, "query", {}),
        body: route.body === undefined ? undefined : checkInput(route.body, "body", call.body ?? {}, route.bodyHint),
      };
      const prepared = prepareReply(
        route,
        await route.handle(input, contextOf(deps, { call, requestId, signal, used })),
      );
      if (prepared.kind === "whole") {
        return { statusCode: prepared.status, body: JSON.parse(prepared.body.toString("utf8")) as unknown, ...used };
      }
      throw new AppError("invalid_request", "stream: nobody could read a stream here; leave it out");
    } catch (thrown) {
      signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (ERROR_TABLE[error.code].status >= 500) deps.log.error({ err: thrown }, error.message);
      const request = { requestId, path: route.path, now: deps.clock.now() };
      const { status, body } = describeError(familyOfPath(route.path), error, request);
      return { statusCode: status, body, ...used };
    }
  };
}

function contextOf(
  deps: CallRouteDeps,
  made: {
    readonly call: RouteCall;
    readonly requestId: string;
    readonly signal: AbortSignal;
    readonly used: { tokens: number; costDollars: number };
  },
): RequestContext {
  const { call, requestId, signal, used } = made;
  return {
    requestId,
    caller: call.caller,
    baseUrl: deps.baseUrl(),
    headers: {},
    log: deps.log,
    signal,
    streamSignal: signal,
    newId: (prefix) => call.newId ?? makeId(prefix, deps.clock.now()),
    addUsage: ({ tokens = 0, costDollars = 0 }) => {
      used.tokens += tokens;
      used.costDollars += costDollars;
    },
  };
}
