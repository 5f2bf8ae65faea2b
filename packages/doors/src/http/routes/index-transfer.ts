import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { AppError } from "@quarry/base";
import {
  documentFileQuerySchema,
  documentFileReplySchema,
  indexExportQuerySchema,
  indexImportQuerySchema,
  indexImportReplySchema,
} from "@quarry/contract";
import { canonicalUrl, readWarc } from "@quarry/crawl";
import { exportDocuments, exportWarc, MAX_IMPORT_PAGE_BYTES, pageOfRecord, type SnapshotStore } from "@quarry/ingest";
import type { DocumentWithText } from "@quarry/store";
import { z } from "zod";
import { bytesReply } from "../reply.ts";
import { defineRoute, rawBodySchema, type RequestContext, type Route } from "../route.ts";
import { refusal, sharedOwner, showDocument, showOutcome, waitMsOf, type DocumentDeps } from "./documents.ts";

/** What the routes of a whole index need. */
export interface IndexTransferDeps extends DocumentDeps {
  readonly snapshots: SnapshotStore;
  /** Told in exported files. */
  readonly software: string;
}

const tag = "Index";
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Pages saved in one transaction. */
const BATCH = 50;
const BATCH_BYTES = 32 * 1024 * 1024;
/** How much a packed file may unpack to. */
const MAX_UNPACKED_BYTES = 1024 ** 3;

/** A whole index: the ways in and out. */
export function indexTransferRoutes(deps: IndexTransferDeps): readonly Route[] {
  return [
    defineRoute({
      name: "putDocumentFile",
      method: "POST",
      path: "/quarry/v1/documents/file",
      tag: "Documents",
      summary: "Add or replace one document: the body is the file, as it is",
      description:
        "HTML, Markdown, plain text, PDF, DOCX, PPTX or EPUB, at most 64 MB; its Content-Type says which, and where " +
        "that says nothing its first bytes do.",
      access: "index",
      query: documentFileQuerySchema,
      bodyKind: "bytes",
      body: rawBodySchema,
      maxBodyBytes: MAX_BODY_BYTES,
      response: documentFileReplySchema,
      handle: async ({ body, query }, { caller, headers, signal }) => {
        const teamId = query.shared ? sharedOwner(deps, caller) : caller.teamId;
        const url = canonicalUrl(query.url);
        if (url === undefined) throw invalid("url", "expected an absolute http or https address");
        if (body.bytes.byteLength === 0) throw invalid("body", "expected the file");
        const { title, author, publishedDate: publishedAt, category } = query;
        const given = { title, author, publishedAt, category };
        const content = { kind: "bytes", bytes: body.bytes, contentType: headers["content-type"] } as const;
        const page = { teamId, url, source: "api", fetchedAt: deps.clock.now(), given, content } as const;
        const [outcome] = await deps.ingest([page], signal);
        if (outcome?.kind === "unreadable") throw outcome.error;
        const indexed = await deps.isIndexed({ teamId, urls: [url], waitMs: waitMsOf(query) }, signal);
        return { ...showOutcome(url, outcome), indexed };
      },
    }),
    defineRoute({
      name: "importIndex",
      method: "POST",
      path: "/quarry/v1/index/import",
      tag,
      summary: "Add or replace the pages of a WARC or WET file",
      description:
        "Plain or gzip, at most 64 MB a request: `quarry index import` splits larger ones. A page is kept only where it " +
        "is newer than the one that is there, so a file can be sent twice.",
      access: "index",
      query: indexImportQuerySchema,
      bodyKind: "bytes",
      body: rawBodySchema,
      maxBodyBytes: MAX_BODY_BYTES,
      response: indexImportReplySchema,
      handle: async ({ body, query }, { caller, signal }) => {
        const teamId = query.shared ? sharedOwner(deps, caller) : caller.teamId;
        return importWarc(deps, body.bytes, { teamId, category: query.category, waitMs: waitMsOf(query), signal });
      },
    }),
    defineRoute({
      name: "exportIndex",
      method: "GET",
      path: "/quarry/v1/index/export",
      tag,
      summary: "Stream the team's documents as NDJSON, or its pages as WARC",
      description:
        "In the order of their URLs. Not one moment's state: a document that is there all the while comes exactly once, " +
        "as it is when its turn comes. A download that breaks off ends without its last chunk.",
      access: "search",
      query: indexExportQuerySchema,
      replyMediaType: "application/octet-stream",
      response: z.string(),
      handle: ({ query: { format } }, context) => Promise.resolve(exportIndex(deps, format, context)),
    }),
  ];
}

type ImportReply = z.input<typeof indexImportReplySchema>;

async function importWarc(
  deps: IndexTransferDeps,
  file: Buffer,
  wish: {
    readonly teamId: string;
    readonly category: string | undefined;
    readonly waitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<ImportReply> {
  const { teamId, category, waitMs, signal } = wish;
  const now = deps.clock.now();
  const documents: ImportReply["documents"] = [];
  const notes: string[] = [];
  let skipped = 0;
  let batchBytes = 0;
  let batch: { readonly place: number; readonly page: Parameters<DocumentDeps["ingest"]>[0][number] }[] = [];
  const save = async (): Promise<void> => {
    const outcomes = await deps.ingest(
      batch.map(({ page }) => page),
      signal,
    );
    batch.forEach(({ place, page }, index) => (documents[place] = showOutcome(page.url, outcomes[index])));
    [batch, batchBytes] = [[], 0];
  };
  const limits = { maxBlockBytes: MAX_IMPORT_PAGE_BYTES, maxBytes: MAX_UNPACKED_BYTES };
  for await (const record of readWarc(Readable.from([file]), signal, limits)) {
    if (record.kind === "note") {
      notes.push(record.message);
      continue;
    }
    const reading = pageOfRecord(record, now);
    if (reading.kind === "skipped") skipped += 1;
    if (reading.kind === "failed") documents.push(refusal(reading.url, reading.message));
    if (reading.kind !== "page") continue;
    const { page } = reading;
    const given = { ...page.given, category: page.given.category ?? category };
    // Its place is held by the line below until the batch has been saved.
    batch.push({ place: documents.length, page: { ...page, teamId, source: "import", given } });
    documents.push(refusal(page.url, "it was not saved; send it again"));
    batchBytes += record.block.byteLength;
    if (batch.length === BATCH || batchBytes >= BATCH_BYTES) await save();
  }
  if (batch.length > 0) await save();
  const urls = documents.filter(({ status }) => status !== "error").map(({ url }) => url);
  return { documents, skipped, notes, indexed: await deps.isIndexed({ teamId, urls, waitMs }, signal) };
}

function exportIndex(
  deps: IndexTransferDeps,
  format: "ndjson" | "warc",
  { caller, signal, log }: RequestContext<NonNullable<RequestContext["caller"]>>,
): ReturnType<typeof bytesReply> {
  const stream =
    format === "ndjson"
      ? Readable.from(toLines(exportDocuments(deps.db, caller.teamId, signal)), { objectMode: false })
      : Readable.from(
          exportWarc({ database: deps.db, snapshots: deps.snapshots }, caller.teamId, {
            signal,
            writing: { gzip: true, software: deps.software, writtenAt: deps.clock.now(), makeUuid: randomUUID },
          }),
          { objectMode: false },
        );
  // The status is out already: a stream that is cut is how the client learns.
  stream.on("error", (error) => log.warn({ err: error }, "an export broke off"));
  const name = format === "ndjson" ? "quarry-index.ndjson" : "quarry-index.warc.gz";
  return bytesReply(stream, {
    mediaType: format === "ndjson" ? "application/x-ndjson" : "application/warc",
    headers: { "content-disposition": `attachment; filename="${name}"` },
  });
}

async function* toLines(documents: AsyncIterable<DocumentWithText>): AsyncGenerator<string> {
  for await (const { document, text, markdown } of documents) {
    yield `${JSON.stringify({ ...showDocument(document), text, markdown })}\n`;
  }
}

function invalid(field: string, problem: string): AppError {
  return new AppError("invalid_request", `${field}: ${problem}`, { details: { field } });
}
