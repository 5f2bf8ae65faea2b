import {
  aliveSchema,
  healthSchema,
  readinessSchema,
  type Health,
  type HealthComponent,
  type Readiness,
} from "@quarry/contract";
import { z } from "zod";
import type { Metrics } from "../metrics.ts";
import { bytesReply, jsonReply } from "../reply.ts";
import { defineRoute, type Route } from "../route.ts";

/** How the server's parts are asked. */
export interface HealthDeps {
  readonly readiness: () => Promise<Readiness> | Readiness;
  /** Everything of the reply but the status, which is the worst of the components. */
  readonly health: () => Promise<Omit<Health, "status">>;
  readonly metrics: Pick<Metrics, "render">;
}

const tag = "Health";

/** Whether the process lives, takes work, and how its parts do. */
export function healthRoutes(deps: HealthDeps): readonly Route[] {
  return [
    defineRoute({
      name: "isAlive",
      method: "GET",
      path: "/healthz",
      tag,
      summary: "Say that the process answers",
      access: "open",
      head: true,
      response: aliveSchema,
      handle: () => Promise.resolve({ status: "ok" as const }),
    }),
    defineRoute({
      name: "isReady",
      method: "GET",
      path: "/readyz",
      tag,
      summary: "Say whether the server takes work: 200, or 503 with what it waits for",
      access: "open",
      head: true,
      response: readinessSchema,
      handle: async () => {
        const readiness = await deps.readiness();
        return jsonReply(readiness, { status: readiness.status === "ready" ? 200 : 503 });
      },
    }),
    defineRoute({
      name: "getHealth",
      method: "GET",
      path: "/quarry/v1/health",
      tag,
      summary: "Tell version, role and the state of each part",
      access: "any",
      response: healthSchema,
      handle: async () => {
        const health = await deps.health();
        return { status: worstOf(health.components), ...health };
      },
    }),
    defineRoute({
      name: "getMetrics",
      method: "GET",
      path: "/metrics",
      tag,
      summary: "Give the figures of this process as Prometheus text",
      access: "admin",
      replyMediaType: "text/plain",
      response: z.string(),
      handle: async () =>
        bytesReply(await deps.metrics.render(), { mediaType: "text/plain; version=0.0.4; charset=utf-8" }),
    }),
  ];
}

function worstOf(components: readonly HealthComponent[]): Health["status"] {
  const states = components.map((component) => component.status);
  if (states.includes("down")) return "down";
  return states.includes("degraded") ? "degraded" : "ok";
}
