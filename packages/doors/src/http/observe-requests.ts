import type { Clock } from "@quarry/base";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { outerOf } from "../inner-calls.ts";
import type { Metrics } from "./metrics.ts";
import { SECURITY_HEADERS } from "./response-headers.ts";
import { endRequestSpan, startRequestSpan } from "./trace-request.ts";
import type { UsageRecorder } from "./usage-recorder.ts";

/** Where what is seen goes. */
export interface ObserveDeps {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly recorder: Pick<UsageRecorder, "add">;
}

const LATENCY_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Follows every request from its first byte to the end of its reply: id, headers, span, metrics, usage, log line. */
export function observeRequests(app: FastifyInstance, deps: ObserveDeps): void {
  const requests = deps.metrics.counter("quarry_http_requests_total", "Requests by route and status.");
  const latency = deps.metrics.histogram(
    "quarry_http_request_seconds",
    "Time from the request to the end of its reply.",
    LATENCY_BUCKETS_SECONDS,
  );
  let open = 0;
  deps.metrics.gauge("quarry_http_requests_open", "Requests under way.", () => open);

  app.addHook("onRequest", (request, reply, done) => {
    const startedAt = performance.now();
    open += 1;
    request.state = {
      span: startRequestSpan({
        method: request.method,
        route: routeOf(request),
        path: request.url.split("?", 1)[0] ?? "/",
        headers: request.headers,
      }),
      authenticated: undefined,
      tokens: 0,
      costDollars: 0,
      outer: outerOf(request.headers.host),
      use: undefined,
      left: new AbortController(),
    };
    void reply.headers({ ...SECURITY_HEADERS, "x-request-id": request.id });
    reply.raw.once("close", () => {
      open -= 1;
      finish(request, reply, performance.now() - startedAt);
    });
    done();
  });

  function finish(request: FastifyRequest, reply: FastifyReply, latencyMs: number): void {
    const { state } = request;
    if (state === null) return;
    const isComplete = reply.raw.writableFinished;
    if (!isComplete) state.left.abort();
    const status = reply.raw.headersSent ? reply.statusCode : CLIENT_LEFT;
    const route = routeOf(request);
    requests.add({ method: request.method, route, status: String(status) });
    latency.observe(latencyMs / 1000, { method: request.method, route });
    endRequestSpan(state.span, status);
    const caller = state.authenticated?.caller;
    const use = state.use ?? (request.routeOptions.config.countsInnerCalls ? undefined : `${request.method} ${route}`);
    if (state.outer !== undefined) {
      state.outer.tokens += state.tokens;
      state.outer.costDollars += state.costDollars;
    } else if (caller !== undefined && use !== undefined) {
      deps.recorder.add({
        teamId: caller.teamId,
        keyId: caller.keyId,
        endpoint: use,
        status,
        latencyMs,
        tokens: state.tokens,
        costDollars: state.costDollars,
        at: deps.clock.now(),
      });
    }
    request.log.info(
      {
        method: request.method,
        route,
        status,
        ms: Math.round(latencyMs * 10) / 10,
        ...(caller === undefined ? {} : { team: caller.teamId, caller: caller.keyId }),
        ...(isComplete ? {} : { clientLeft: true }),
      },
      "request",
    );
  }
}

/** The status of a request whose client left before there was one, as proxies write it. */
const CLIENT_LEFT = 499;

/** The pattern, never the path: patterns are few, and hold no ids, tokens or queries. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.config.route?.path ?? request.routeOptions.url ?? "(none)";
}
