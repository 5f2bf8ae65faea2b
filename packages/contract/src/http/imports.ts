import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, timestampSchema } from "./values.ts";
import { metadataSchema, websetEntitySchema } from "./webset-entity.ts";

/** The largest file an import takes. */
export const MAX_IMPORT_BYTES = 50_000_000;

const titleSchema = z.string().trim().min(1).max(1_000);

/** `POST /websets/v0/imports`. */
export const createImportSchema = z
  .object({
    size: z.int().min(1).max(MAX_IMPORT_BYTES).describe("The file's size in bytes: the upload may not be larger."),
    count: z.int().min(0).describe("How many records the file has."),
    format: z.literal("csv"),
    entity: websetEntitySchema.describe("What the rows are."),
    title: absentable(titleSchema),
    csv: absentable(
      z.object({
        identifier: absentable(z.int().min(0)).describe(
          "The column that names the entity, counted from 0: an address, a name or an e-mail. Found unless given.",
        ),
      }),
    ),
    metadata: absentable(metadataSchema),
  })
  .meta({ id: "CreateImport" });

/** `PATCH /websets/v0/imports/{id}`. */
export const updateImportSchema = z
  .object({ title: absentable(titleSchema), metadata: metadataSchema.nullish() })
  .meta({ id: "UpdateImport" });

/** `GET /websets/v0/imports`. */
export const listImportsQuerySchema = z.object(pagingQuery({ max: 200, default: 25 }));

const importShape = {
  id: z.string(),
  object: z.literal("import"),
  status: z.enum(["pending", "processing", "completed", "failed"]).describe("pending: it waits for its file."),
  format: z.enum(["csv", "webset"]),
  entity: websetEntitySchema,
  title: z.string(),
  count: z.number().describe("What the caller counted; once completed, the rows that are kept."),
  metadata: z.record(z.string(), z.string()),
  failedReason: z.enum(["invalid_format", "invalid_file_content", "missing_identifier"]).nullable(),
  failedAt: timestampSchema.nullable(),
  failedMessage: z.string().nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
} as const;

/** An import as the wire shows it. */
export const importSchema = z.object(importShape).meta({ id: "Import" });

/** What creating an import answers: beside the import, where its file goes. */
export const createdImportSchema = z
  .object({
    ...importShape,
    uploadUrl: z.string().describe("PUT the CSV here, once, within an hour. It needs no key: keep it to yourself."),
    uploadValidUntil: timestampSchema,
  })
  .meta({ id: "CreatedImport" });

/** An import as the wire shows it. */
export type ImportWire = z.output<typeof importSchema>;
/** What creating an import takes. */
export type CreateImport = z.output<typeof createImportSchema>;
