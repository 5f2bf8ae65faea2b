import { AppError, makeId, type Clock } from "@quarry/base";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { checkInput } from "./check-input.ts";
import { readIdempotencyKey, type AnswerOnce } from "./idempotency.ts";
import type { RequestState } from "./request-state.ts";
import type { RequestContext, Route } from "./route.ts";
import { withinSpan } from "./trace-request.ts";
import { JSON_HEADERS, prepareReply, sendWhole, type PreparedReply } from "./send-reply.ts";

/** What mounted routes share. */
export interface MountDeps {
  readonly answerOnce: AnswerOnce;
  readonly clock: Clock;
  readonly baseUrlOf: (request: FastifyRequest) => string;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  readonly maxBodyBytes: number;
  /** Checks every JSON body against the route's schema: for tests, since it costs time. */
  readonly checkResponses: boolean;
}

/** The paths a route answers at: its own, and Exa's short form of the websets API. */
export function pathsOf(route: Route): readonly string[] {
  const alias = /^\/websets(\/v0(?:\/.*)?)$/.exec(route.path)?.[1];
  return alias === undefined ? [route.path] : [route.path, alias];
}

/** Puts a route into the app. Host, key, scope and limits were checked in the app's first hook. */
export function mountRoute(app: FastifyInstance, deps: MountDeps, route: Route): void {
  for (const url of pathsOf(route)) {
    app.route({
      method: route.head === true ? [route.method, "HEAD"] : route.method,
      url,
      exposeHeadRoute: false,
      bodyLimit: route.maxBodyBytes ?? deps.maxBodyBytes,
      config: { route },
      handler: (request, reply) => answer(deps, route, request, reply),
    });
  }
}

/** One request: check the input, run the handler (once per Idempotency-Key), send what it returned. */
async function answer(
  deps: MountDeps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const state = requireState(request);
  const input = {
    params: route.params === undefined ? undefined : checkInput(route.params, "params", request.params),
    query: route.query === undefined ? undefined : checkInput(route.query, "query", request.query),
    body: readBody(route, request),
  };
  const handle = async (operationId: string | undefined): Promise<PreparedReply> => {
    const context = makeContext(deps, { request, state, operationId });
    const result = await withinSpan(state.span, () => route.handle(input, context));
    const prepared = prepareReply(route, result);
    if (deps.checkResponses) checkResponse(route, prepared);
    makeLastOnConnection(deps, request, reply);
    return prepared;
  };

  const key = route.creates === undefined ? undefined : readIdempotencyKey(request.headers["idempotency-key"]);
  const authenticated = state.authenticated;
  if (key === undefined || authenticated === undefined) return send(reply, await handle(undefined));

  let flowing: PreparedReply | undefined;
  const answered = await deps.answerOnce(
    {
      teamId: authenticated.caller.teamId,
      route: `${route.method} ${route.path}`,
      key,
      content: JSON.stringify([request.params, request.query, request.body ?? null]),
      sealWith: route.creates === "secret" ? authenticated.secret : undefined,
    },
    async (operationId) => {
      const prepared = await handle(operationId);
      if (prepared.kind === "whole") return prepared;
      flowing = prepared; // a stream cannot be kept: a retry runs the handler again, with the same operationId
      return undefined;
    },
    state.left.signal,
  );
  if (answered.kind === "not-kept") return send(reply, flowing ?? prepareReply(route, {}));
  if (answered.kind === "replayed") void reply.header("idempotent-replayed", "true");
  return sendWhole(reply, { ...answered.reply, headers: JSON_HEADERS });
}

/** A JSON body that is missing counts as an empty object, so that the errors name the missing fields. */
function readBody(route: Route, request: FastifyRequest): unknown {
  if (route.body === undefined) return undefined;
  if (route.bodyKind !== "bytes") return checkInput(route.body, "body", request.body ?? {}, route.bodyHint);
  if (request.body !== undefined) return request.body;
  throw new AppError("invalid_request", "Invalid request body | body: expected content, received none", {
    details: { tag: "INVALID_REQUEST_BODY", field: "body", issues: [] },
  });
}

function makeContext(
  deps: MountDeps,
  made: { readonly request: FastifyRequest; readonly state: RequestState; readonly operationId: string | undefined },
): RequestContext {
  const { request, state, operationId } = made;
  return {
    requestId: request.id,
    caller: state.authenticated?.caller,
    baseUrl: deps.baseUrlOf(request),
    headers: request.headers,
    log: request.log,
    signal: state.left.signal,
    get streamSignal() {
      return AbortSignal.any([state.left.signal, deps.stopping]);
    },
    newId: (prefix) => (operationId === undefined ? makeId(prefix, deps.clock.now()) : `${prefix}_${operationId}`),
    addUsage: ({ tokens = 0, costDollars = 0 }) => {
      state.tokens += tokens;
      state.costDollars += costDollars;
    },
  };
}

/** What is answered while the server stops is the last on its connection. */
function makeLastOnConnection(deps: MountDeps, request: FastifyRequest, reply: FastifyReply): void {
  if (deps.stopping.aborted && request.raw.httpVersionMajor === 1) void reply.header("connection", "close");
}

function send(reply: FastifyReply, prepared: PreparedReply): FastifyReply {
  return prepared.kind === "flowing" ? prepared.send(reply) : sendWhole(reply, prepared);
}

function checkResponse(route: Route, prepared: PreparedReply): void {
  if (prepared.kind === "flowing" || !String(prepared.headers["content-type"]).startsWith("application/json")) return;
  if (prepared.status >= 300) return;
  const result = route.response.safeParse(JSON.parse(prepared.body.toString("utf8")));
  if (!result.success)
    throw new Error(`${route.name} answered what its schema does not allow: ${result.error.message}`);
}

function requireState(request: FastifyRequest): RequestState {
  if (request.state === null) throw new AppError("internal", "a route ran before the door's first hook");
  return request.state;
}
