import { z } from "zod";
import { documentSchema, documentsQuerySchema, documentsReplySchema, documentStatusSchema } from "./documents.ts";
import { searchIndexSchema } from "./index-admin.ts";
import { instant } from "./values.ts";

const categorySchema = z.string().min(1).max(100);

/** `POST /quarry/v1/documents/file`: query; the body is the file. */
export const documentFileQuerySchema = documentsQuerySchema.extend({
  url: z.string().min(1).max(2_048).describe("The address under which the file is kept: http or https."),
  title: z.string().min(1).max(2_000).optional(),
  author: z.string().min(1).max(500).optional(),
  publishedDate: instant().optional(),
  category: categorySchema.optional(),
});

/** Reply of `POST /quarry/v1/documents/file`. */
export const documentFileReplySchema = documentStatusSchema
  .extend({ indexed: z.boolean().describe("Whether search finds it already.") })
  .meta({ id: "DocumentFileReply" });

/** `POST /quarry/v1/index/import`: query; the body is a WARC file. */
export const indexImportQuerySchema = documentsQuerySchema.extend({
  category: categorySchema.optional().describe("For every page that comes without one."),
});

/** Reply of `POST /quarry/v1/index/import`. */
export const indexImportReplySchema = documentsReplySchema
  .extend({
    documents: documentsReplySchema.shape.documents.describe("One for each record that holds a page, in that order."),
    skipped: z.int().describe("Records of pages that hold nothing to keep: errors, pictures, scripts."),
    notes: z.array(z.string()).describe("What is wrong with the file itself; the records around it are read."),
  })
  .meta({ id: "IndexImportReply" });

/** The forms in which the index can be exported. */
export const exportFormats = ["ndjson", "warc"] as const;

/** `GET /quarry/v1/index/export`: query. */
export const indexExportQuerySchema = z.object({
  format: z
    .enum(exportFormats)
    .default("ndjson")
    .describe("ndjson: a document with its text a line. warc: the pages as they were read, gzip, a record each."),
});

/** One line of an NDJSON export. */
export const exportedDocumentSchema = documentSchema
  .extend({ text: z.string(), markdown: z.string() })
  .meta({ id: "ExportedDocument" });

/** Reply of `GET /quarry/v1/index`. */
export const indexStatsSchema = z
  .object({
    documents: z.int().describe("The team's own."),
    sharedDocuments: z.int().describe("Those of all teams, which its searches find beside its own."),
    words: z.int(),
    duplicates: z.int().describe("Documents that another one stands for."),
    lastChangedAt: z.iso.datetime().nullable(),
    languages: z.array(z.object({ language: z.string().nullable(), documents: z.int() })).describe("Most used first."),
    hosts: z.array(z.object({ host: z.string(), documents: z.int() })).describe("Largest first."),
    hostCount: z.int(),
    snapshots: z.object({ count: z.int(), bytes: z.int().describe("Before compression.") }),
    outbox: z.int().describe("Changes that search has yet to learn of."),
    passages: z.int().describe("Passages that search compares by meaning."),
    vectorOutbox: z.int().describe("Documents that search finds by words and not yet by meaning."),
    searchIndex: searchIndexSchema.nullable().describe("Only for the team that runs the server, while it is open."),
  })
  .meta({ id: "IndexStats" });

/** What a WARC record of ours says of its page beside the bytes; in the header `x-quarry-facts`, percent-encoded JSON. */
export const importedFactsSchema = z.object({
  title: z.string().max(2_000).optional(),
  author: z.string().max(500).optional(),
  publishedDate: z.iso.datetime().optional(),
  category: z.string().max(100).optional(),
  language: z.string().max(35).optional(),
  fetchedAt: z.iso.datetime().optional().describe("The record's own date knows seconds only."),
  isText: z.boolean().optional().describe("The body is the text itself, not something to extract one from."),
});

/** Those facts, read. */
export type ImportedFacts = z.output<typeof importedFactsSchema>;
