import type { Readiness } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { withHttpApp } from "../../testing.ts";
import { createMetrics } from "../metrics.ts";
import { registerProcessMetrics } from "../process-metrics.ts";

verifies(
  ["server:health:healthz", "server:health:readyz"],
  "says whether it is ready, and what it waits for",
  async () => {
    let readiness: Readiness = { status: "starting", waitingFor: ["database"] };
    await withHttpApp(
      async ({ call }) => {
        const waiting = await call("GET", "/readyz", { key: null });
        expect([waiting.statusCode, waiting.json()]).toEqual([503, { status: "starting", waitingFor: ["database"] }]);
        readiness = { status: "ready", waitingFor: [] };
        const ready = await call("GET", "/readyz", { key: null });
        expect([ready.statusCode, ready.json()]).toEqual([200, { status: "ready", waitingFor: [] }]);
        const head = await call("HEAD", "/healthz", { key: null });
        expect([head.statusCode, head.headers["content-length"]]).toEqual([200, "15"]);
      },
      { readiness: () => readiness },
    );
  },
);

verifies(
  "http:routes:quarry-v1-health",
  "tells version, role and each part, and is as well as the worst of them",
  async () => {
    const health = {
      version: "1.2.3",
      role: "all" as const,
      uptimeSeconds: 7,
      components: [
        { name: "database", status: "ok" as const, figures: { answerMs: 1 } },
        { name: "queue", status: "degraded" as const, detail: "3 jobs failed for good" },
      ],
    };
    await withHttpApp(
      async ({ call, makeKey }) => {
        const { secret } = await makeKey({ scopes: ["tools"] });
        const reply = await call("GET", "/quarry/v1/health", { key: secret });
        expect(reply.json()).toEqual({ status: "degraded", ...health });
      },
      { health: () => Promise.resolve(health) },
    );
  },
);

verifies(
  ["server:metrics:prometheus-text", "server:metrics:request-figures", "server:metrics:event-loop-delay"],
  "gives the figures of requests and of the process as Prometheus text",
  async () => {
    const metrics = createMetrics();
    const watched = registerProcessMetrics(metrics);
    try {
      await withHttpApp(
        async ({ call }) => {
          await call("GET", "/quarry/v1/keys/none");
          await call("GET", "/nowhere/at/all");
          const reply = await call("GET", "/metrics");
          expect(reply.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
          for (const line of [
            'quarry_http_requests_total{method="GET",route="/quarry/v1/keys/:id",status="404"} 1',
            'quarry_http_requests_total{method="GET",route="(none)",status="404"} 1',
            'quarry_http_request_seconds_count{method="GET",route="/quarry/v1/keys/:id"} 1',
            "quarry_http_requests_open 1",
            'quarry_event_loop_lag_seconds{quantile="0.99"} ',
            "process_resident_memory_bytes ",
          ]) {
            expect(reply.body).toContain(`\n${line}`);
          }
          expect(reply.body).toMatch(/^(?:(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{[^\n]*\})? -?[\d.e+-]+)\n)+$/);
        },
        { metrics },
      );
    } finally {
      watched.close();
    }
  },
);
