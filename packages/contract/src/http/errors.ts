import { z } from "zod";

/** The families of routes; each has its own shape of error (Exa's wire, section 1.8). */
export type ErrorFamily = "search" | "websets" | "agent";

const requestId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .describe("Name it when you report a problem; the same as the x-request-id header.");

/** An error of the search family, and of Quarry's own routes. */
export const searchErrorSchema = z
  .object({
    requestId,
    error: z.string().describe("What went wrong and what to do."),
    tag: z.string().describe("The kind of error in capitals; branch on the HTTP status first."),
  })
  .meta({ id: "SearchError" });

/** An error of the websets family. */
export const websetsErrorSchema = z
  .object({
    statusCode: z.int(),
    timestamp: z.iso.datetime(),
    path: z.string(),
    error: z.string().describe("The name of the HTTP status."),
    message: z.string().describe("What went wrong and what to do."),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe("One entry per field that was refused."),
  })
  .meta({ id: "WebsetsError" });

/** The kinds of error of the agent family. */
export const agentErrorTypes = [
  "INVALID_REQUEST",
  "AUTHENTICATION_ERROR",
  "RATE_LIMIT_ERROR",
  "NOT_FOUND",
  "CONFLICT",
  "SERVER_ERROR",
] as const;

/** An error of the agent family. */
export const agentErrorSchema = z
  .object({
    error: z.object({
      type: z.enum(agentErrorTypes),
      code: z.string(),
      message: z.string().describe("What went wrong and what to do."),
      detail: z.record(z.string(), z.unknown()),
    }),
    requestId,
  })
  .meta({ id: "AgentError" });

/** The error schema of each family. */
export const errorSchemas = {
  search: searchErrorSchema,
  websets: websetsErrorSchema,
  agent: agentErrorSchema,
} as const satisfies Record<ErrorFamily, z.ZodType>;

/** The kind of an agent error. */
export type AgentErrorType = (typeof agentErrorTypes)[number];
/** Body of an error in the search family. */
export type SearchError = z.output<typeof searchErrorSchema>;
/** Body of an error in the websets family. */
export type WebsetsError = z.output<typeof websetsErrorSchema>;
/** Body of an error in the agent family. */
export type AgentError = z.output<typeof agentErrorSchema>;
