import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, instant, queryBoolean, timestampSchema } from "./values.ts";

/** Longest text or HTML of one document, in characters. */
export const MAX_DOCUMENT_CHARACTERS = 20_000_000;

const urlSchema = z
  .string()
  .min(1)
  .max(2_048)
  .describe("An http or https address; it is kept in its canonical spelling.");

/** A language by its BCP 47 tag, of which the first part is kept: rules for words go by it. */
const languageSchema = z
  .string()
  .max(35)
  .regex(/^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i, { error: "expected a language tag such as en or pt-BR" })
  .transform((tag) => tag.slice(0, tag.indexOf("-") === -1 ? undefined : tag.indexOf("-")).toLowerCase());

/** One document given to us: `POST /quarry/v1/documents`. */
export const documentInputSchema = z
  .strictObject({
    url: urlSchema,
    title: absentable(z.string().max(2_000)),
    text: absentable(z.string().min(1).max(MAX_DOCUMENT_CHARACTERS)).describe("The text itself; it is its own source."),
    html: absentable(z.string().min(1).max(MAX_DOCUMENT_CHARACTERS)).describe("A page, whose main text is extracted."),
    publishedDate: absentable(instant()),
    author: absentable(z.string().max(500)),
    category: absentable(z.string().max(100)),
    language: absentable(languageSchema).describe(
      "Such as en or pt-BR: words are found by their stems in it. HTML is recognised without; a text counts as English.",
    ),
  })
  .refine(({ text, html }) => (text === undefined) !== (html === undefined), { error: "expected either text or html" })
  .meta({ id: "DocumentInput" });

/** What becomes of one given document. */
export const documentStatusSchema = z
  .object({
    url: z.string().describe("As it is kept; as given when it was refused."),
    status: z.enum(["created", "updated", "unchanged", "stale", "error"]),
    version: z.int().nullable().describe("Grows with every change."),
    snapshotId: z.string().nullable(),
    canonicalUrl: z.string().nullable().describe("The page that stands for this one when it is a duplicate."),
    error: z.string().optional().describe("What is wrong with it and what to do."),
  })
  .meta({ id: "DocumentStatus" });

/** Reply of `POST /quarry/v1/documents`. */
export const documentsReplySchema = z
  .object({
    documents: z.array(documentStatusSchema).describe("One for each given, in that order."),
    indexed: z.boolean().describe("Whether search finds all of them already."),
  })
  .meta({ id: "DocumentsReply" });

/** `POST /quarry/v1/documents`: query. */
export const documentsQuerySchema = z.object({
  wait: queryBoolean().default(false).describe("Answer once search finds them by their words, or after 30 s."),
  shared: queryBoolean().default(false).describe("Give them to every team; only the team that runs the server may."),
});

/** `GET /quarry/v1/documents`: one by its URL, or a page of all. */
export const findDocumentsQuerySchema = z.object({
  ...pagingQuery({ max: 100, default: 25 }),
  url: urlSchema.optional().describe("Only this one, with its text."),
});

/** What a page says of itself. */
const factsShape = {
  title: z.string().nullable(),
  author: z.string().nullable(),
  publishedDate: timestampSchema.nullable(),
  language: z.string().nullable(),
  siteName: z.string().nullable(),
  description: z.string().nullable(),
  favicon: z.string().nullable(),
  image: z.string().nullable(),
};

/** A document as lists show it. */
export const documentSchema = z
  .object({
    url: z.string(),
    ...factsShape,
    category: z.string().nullable(),
    wordCount: z.int(),
    version: z.int(),
    snapshotId: z.string(),
    extractorVersion: z.string(),
    canonicalUrl: z.string().nullable(),
    source: z.enum(["crawl", "api", "import", "sample", "upstream"]),
    shared: z.boolean(),
    crawledAt: timestampSchema,
    changedAt: timestampSchema,
  })
  .meta({ id: "Document" });

const linkSchema = z.object({ url: z.string(), text: z.string() });
const imageLinkSchema = z.object({ url: z.string(), alt: z.string() });
const codeBlockSchema = z.object({ text: z.string(), language: z.string() });
const headingSchema = z.object({ level: z.int(), text: z.string(), start: z.int().describe("Where in the text.") });

/** What a page's text and structure are: shared by a whole document and by `POST /quarry/v1/extract`. */
const contentShape = {
  text: z.string().describe("The main text; offsets of references count its UTF-16 units."),
  markdown: z.string(),
  headings: z.array(headingSchema),
  links: z.array(linkSchema),
  imageLinks: z.array(imageLinkSchema),
  codeBlocks: z.array(codeBlockSchema),
  structuredData: z.unknown(),
};

/** A document with all that is known of it. */
export const wholeDocumentSchema = documentSchema
  .extend({
    ...contentShape,
    rendered: z.boolean().describe("Whether a browser made the page: its snapshot is what its scripts made of it."),
  })
  .meta({ id: "WholeDocument" });

/** `DELETE /quarry/v1/documents`: query. */
export const deleteDocumentsQuerySchema = z.object({
  shared: queryBoolean()
    .default(false)
    .describe("Delete what every team may read; only the team that runs the server may."),
});

/** `DELETE /quarry/v1/documents`. */
export const deleteDocumentsSchema = z
  .strictObject({
    urls: z.array(urlSchema).min(1).max(1_000).optional(),
    source: z
      .enum(["crawl", "api", "import", "sample", "upstream"])
      .optional()
      .describe("All that came this way; sample with ?shared=true is how the sample goes."),
  })
  .refine(({ urls, source }) => (urls === undefined) !== (source === undefined), {
    error: "expected urls or source, and not both",
  })
  .meta({ id: "DeleteDocuments" });

/** Reply of `DELETE /quarry/v1/documents`. */
export const deletedDocumentsSchema = z
  .object({ deleted: z.array(z.string()), notFound: z.array(z.string()) })
  .meta({ id: "DeletedDocuments" });

/** `POST /quarry/v1/extract`. */
export const extractSchema = z
  .strictObject({ url: urlSchema, html: z.string().min(1).max(MAX_DOCUMENT_CHARACTERS) })
  .meta({ id: "Extract" });

/** Reply of `POST /quarry/v1/extract`. */
export const extractedSchema = z
  .object({
    url: z.string(),
    ...factsShape,
    canonicalUrl: z.string().nullable(),
    extractorVersion: z.string(),
    ...contentShape,
  })
  .meta({ id: "Extracted" });

/** Reply of `GET /quarry/v1/snapshots/{id}`. */
export const snapshotSchema = z
  .object({
    id: z.string(),
    mediaType: z.string(),
    charset: z.string().nullable(),
    byteLength: z.int(),
    createdAt: timestampSchema,
    contentUrl: z
      .url()
      .describe("The bytes as they were read; a page shown from there runs no script and loads nothing."),
  })
  .meta({ id: "Snapshot" });

/** `GET /quarry/v1/changes`. */
export const changesQuerySchema = z.object({
  url: urlSchema,
  from: z.coerce.number().int().positive().optional().describe("A version; the one before `to` when left out."),
  to: z.coerce.number().int().positive().optional().describe("A version; the newest when left out."),
});

/** One version of a document's text. */
const pastVersionSchema = z.object({ version: z.int(), snapshotId: z.string(), seenAt: timestampSchema });

/** Reply of `GET /quarry/v1/changes`. */
export const changesSchema = z
  .object({
    url: z.string(),
    versions: z.array(pastVersionSchema).describe("Newest first, at most 100."),
    from: pastVersionSchema.nullable(),
    to: pastVersionSchema.nullable(),
    added: z.int().describe("Lines that are new."),
    removed: z.int().describe("Lines that are gone."),
    diff: z.string().describe("A unified diff of the two texts; empty when they are equal or there is only one."),
  })
  .meta({ id: "Changes" });
