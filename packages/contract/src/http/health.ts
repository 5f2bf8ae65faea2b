import { z } from "zod";

const stateSchema = z.enum(["ok", "degraded", "down"]);

/** One part of the server and how it does. */
export const healthComponentSchema = z
  .object({
    name: z.string(),
    status: stateSchema,
    detail: z.string().optional().describe("What is wrong and what to do, when something is."),
    figures: z.record(z.string(), z.number()).optional().describe("Depths, sizes and times of the part."),
  })
  .meta({ id: "HealthComponent" });

/** Reply of `GET /quarry/v1/health`. */
export const healthSchema = z
  .object({
    status: stateSchema.describe("The worst of the components."),
    version: z.string(),
    role: z.enum(["all", "api", "worker"]),
    uptimeSeconds: z.number(),
    components: z.array(healthComponentSchema),
  })
  .meta({ id: "Health" });

/** Reply of `/healthz`. */
export const aliveSchema = z.object({ status: z.literal("ok") });

/** Reply of `/readyz`: 200 when ready, 503 when not. */
export const readinessSchema = z
  .object({
    status: z.enum(["ready", "starting", "stopping"]),
    waitingFor: z.array(z.string()).describe("What is not ready yet."),
  })
  .meta({ id: "Readiness" });

/** How the server does. */
export type Health = z.output<typeof healthSchema>;
/** How one part of the server does. */
export type HealthComponent = z.output<typeof healthComponentSchema>;
/** Whether the server takes work. */
export type Readiness = z.output<typeof readinessSchema>;
