import { z } from "zod";
import { timestampSchema } from "./values.ts";

/** One change of one file by a tool, or by taking one back. */
export const fileChangeSchema = z.object({
  id: z.string(),
  toolCallId: z.string(),
  path: z.string(),
  kind: z.enum(["created", "changed", "deleted"]),
  at: timestampSchema,
  undoes: z.string().nullable().describe("The change that this one took back."),
});

/** The state of the files before a turn that changed some. */
export const checkpointSchema = z.object({
  id: z.string(),
  turnId: z.string(),
  at: timestampSchema,
  changes: z.array(fileChangeSchema),
});

/** A file that restoring a checkpoint would change. */
export const checkpointDifferenceSchema = z.object({
  path: z.string(),
  diff: z.string().describe("Unified, from now to then; empty where one of the two is no text."),
});

/** What taking changes back did. */
export const undoneSchema = z.object({ changes: z.array(fileChangeSchema) });
