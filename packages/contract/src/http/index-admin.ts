import { z } from "zod";

/** `GET /quarry/v1/index/tasks/{id}`. */
export const indexTaskParamsSchema = z.object({ id: z.string().min(1).max(200) });

/** A task for the writer of the index: reply of `POST /quarry/v1/index/optimize`, `…/verify` and `…/rebuild`. */
export const indexTaskSchema = z
  .object({
    id: z.string(),
    kind: z.enum(["optimize", "verify", "rebuild"]),
    status: z.enum(["queued", "running", "done", "failed"]),
    report: z
      .record(z.string(), z.union([z.number(), z.boolean()]))
      .nullable()
      .describe("When it is done: verify tells how many differences it found and had mended, by kind."),
    error: z.string().nullable().describe("Why it failed, when it did."),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: "IndexTask" });

/** The search index itself, all teams together: a part of `GET /quarry/v1/index`. */
export const searchIndexSchema = z
  .object({
    format: z.string(),
    model: z.string().describe("Whose vectors it holds."),
    pages: z.int(),
    chunks: z.int().describe("Passages with vectors."),
    unindexedPages: z.int().describe("The newest, searched in memory."),
    unindexedChunks: z.int().describe("Compared one by one until the next optimisation."),
    pageTables: z.int(),
    diskBytes: z.int(),
    cacheBytes: z.int(),
  })
  .meta({ id: "SearchIndex" });
