import { z } from "zod";
import { timestampSchema } from "./values.ts";

/** The kinds of files a webset can be written to. */
export const EXPORT_FORMATS = ["csv", "json", "jsonl", "xlsx", "parquet"] as const;

/** A kind of file. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `POST /websets/v0/websets/{webset}/exports`. */
export const createExportSchema = z
  .object({
    format: z.enum(EXPORT_FORMATS).describe("csv and xlsx show a row per item; formulas in cells are made text."),
  })
  .meta({ id: "CreateExport" });

/** An export as the wire shows it. */
export const exportSchema = z
  .object({
    id: z.string(),
    object: z.literal("export"),
    websetId: z.string(),
    format: z.enum(EXPORT_FORMATS),
    status: z.enum(["pending", "processing", "completed", "failed"]),
    downloadUrl: z
      .string()
      .nullable()
      .describe("Signed, needs no key, works until expiresAt; read the export for a new one."),
    expiresAt: timestampSchema.nullable(),
    count: z.number().nullable().describe("How many items the file holds."),
    failedMessage: z.string().nullable(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "Export" });

/** An export as the wire shows it. */
export type ExportWire = z.output<typeof exportSchema>;
