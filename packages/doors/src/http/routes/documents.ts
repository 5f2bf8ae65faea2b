import { AppError, decodeCursor, type Clock } from "@quarry/base";
import {
  deletedDocumentsSchema,
  deleteDocumentsQuerySchema,
  deleteDocumentsSchema,
  documentInputSchema,
  documentSchema,
  documentsQuerySchema,
  documentsReplySchema,
  findDocumentsQuerySchema,
  pageOf,
  wholeDocumentSchema,
  type Caller,
} from "@quarry/contract";
import { canonicalUrl } from "@quarry/crawl";
import type { IngestOutcome, PageToIngest } from "@quarry/ingest";
import {
  deleteDocuments,
  deleteDocumentsOf,
  findDocument,
  getExtractedText,
  listDocuments,
  SHARED_TEAM,
  type Database,
  type StoredDocument,
} from "@quarry/store";
import { z } from "zod";
import { defineRoute, rawBodySchema, type RawBody, type Route } from "../route.ts";
import { requireOperator, type OperatorDeps } from "./operator.ts";

/** What the document routes need. */
export interface DocumentDeps extends OperatorDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly ingest: (pages: readonly PageToIngest[], signal: AbortSignal) => Promise<readonly IngestOutcome[]>;
  /** Whether searches find these documents already; waits for it as long as asked to. */
  readonly isIndexed: (
    question: { readonly teamId: string; readonly urls: readonly string[]; readonly waitMs: number },
    signal: AbortSignal,
  ) => Promise<boolean>;
}

const tag = "Documents";
/** Bodies hold many documents; a longer list comes in several requests. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_DOCUMENTS = 1_000;
/** Documents saved in one transaction: enough to be quick, few enough to hold locks briefly. */
const BATCH = 100;
/** Words are searchable within two seconds; a long queue may take more. */
const MAX_WAIT_MS = 30_000;

/** Documents given, found and deleted by URL. */
export function documentRoutes(deps: DocumentDeps): readonly Route[] {
  return [
    defineRoute({
      name: "putDocuments",
      method: "POST",
      path: "/quarry/v1/documents",
      tag,
      summary: "Add or replace documents by URL",
      description:
        "JSON: one document, a list, or {documents: […]}; or NDJSON (application/x-ndjson), one a line. " +
        `At most ${MAX_DOCUMENTS} a request. One that is refused does not hold back the others: see its status.`,
      access: "index",
      query: documentsQuerySchema,
      bodyKind: "bytes",
      body: rawBodySchema,
      maxBodyBytes: MAX_BODY_BYTES,
      response: documentsReplySchema,
      handle: async ({ body, query }, { caller, signal }) => {
        const teamId = query.shared ? sharedOwner(deps, caller) : caller.teamId;
        const given = readDocuments(body).map((value) => toPage(value, teamId, deps.clock.now()));
        const documents: Status[] = [];
        for (let start = 0; start < given.length; start += BATCH) {
          documents.push(...(await ingestBatch(deps, given.slice(start, start + BATCH), signal)));
        }
        const urls = documents.filter(({ status }) => status !== "error").map(({ url }) => url);
        return { documents, indexed: await deps.isIndexed({ teamId, urls, waitMs: waitMsOf(query) }, signal) };
      },
    }),
    defineRoute({
      name: "findDocuments",
      method: "GET",
      path: "/quarry/v1/documents",
      tag,
      summary: "Get one document by its URL, or list the team's, newest visit first",
      access: "search",
      query: findDocumentsQuerySchema,
      response: z.union([wholeDocumentSchema, pageOf(documentSchema)]),
      handle: async ({ query }, { caller }) => {
        if (query.url !== undefined) return showWhole(deps.db, caller, query.url);
        const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, 2);
        if (after !== undefined && Number.isNaN(Date.parse(after[0] ?? ""))) {
          throw new AppError(
            "invalid_request",
            "cursor: not one of this list; pass nextCursor of the page before, unchanged",
          );
        }
        const page = await listDocuments(deps.db, caller.teamId, { after, limit: query.limit });
        return { ...page, data: page.data.map(showDocument) };
      },
    }),
    defineRoute({
      name: "deleteDocuments",
      method: "DELETE",
      path: "/quarry/v1/documents",
      tag,
      summary: "Delete documents by URL, or all that came one way",
      access: "index",
      query: deleteDocumentsQuerySchema,
      body: deleteDocumentsSchema,
      response: deletedDocumentsSchema,
      handle: async ({ body, query }, { caller }) => {
        const teamId = query.shared ? sharedOwner(deps, caller) : caller.teamId;
        const now = deps.clock.now();
        const { source } = body;
        if (source !== undefined) {
          const deleted = await deps.db.transaction((tx) => deleteDocumentsOf(tx, { teamId, source }, now));
          return { deleted: [...deleted], notFound: [] };
        }
        const urls = new Map((body.urls ?? []).map((url) => [url, canonicalUrl(url)]));
        const known = [...urls.values()].filter((url) => url !== undefined);
        const gone = new Set(await deps.db.transaction((tx) => deleteDocuments(tx, teamId, known, now)));
        return {
          deleted: [...gone],
          notFound: [...urls].filter(([, url]) => url === undefined || !gone.has(url)).map(([url]) => url),
        };
      },
    }),
  ];
}

/** How long a caller who asks for that waits until what was given can be found. */
export function waitMsOf({ wait }: { readonly wait: boolean }): number {
  return wait ? MAX_WAIT_MS : 0;
}

type Status = z.input<typeof documentsReplySchema>["documents"][number];
type Given = { readonly page: PageToIngest } | { readonly refused: Status };

/** The documents of a body, still unchecked; throws when there is no list of them. */
function readDocuments(body: RawBody): readonly unknown[] {
  const text = body.bytes.toString("utf8");
  const documents = /ndjson|jsonl|json-lines/.test(body.mediaType)
    ? readLines(text)
    : readList(parseJson(text, "the body"));
  if (documents.length === 0) throw new AppError("invalid_request", "the body: expected at least one document");
  if (documents.length > MAX_DOCUMENTS) {
    throw new AppError(
      "invalid_request",
      `the body: expected at most ${MAX_DOCUMENTS} documents, got ${documents.length}; send several requests`,
    );
  }
  return documents;
}

function readLines(text: string): readonly unknown[] {
  return text
    .split("\n")
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "")
    .map(({ line, number }) => parseJson(line, `line ${number}`));
}

function readList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === "object" && value !== null && "documents" in value && Array.isArray(value.documents))
    return value.documents;
  return [value];
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError(
      "invalid_request",
      `${place}: not valid JSON; send {"url": …, "text": …}, a list of them, or NDJSON`,
      { cause },
    );
  }
}

function toPage(value: unknown, teamId: string, now: Date): Given {
  const parsed = documentInputSchema.safeParse(value);
  if (!parsed.success) return { refused: refusal(urlOf(value), describeIssue(parsed.error)) };
  const { url: givenUrl, text, html, title, author, publishedDate, category, language } = parsed.data;
  const url = canonicalUrl(givenUrl);
  if (url === undefined) return { refused: refusal(givenUrl, "url: expected an absolute http or https address") };
  const content =
    text === undefined
      ? ({ kind: "bytes", bytes: Buffer.from(html ?? "", "utf8"), contentType: "text/html; charset=utf-8" } as const)
      : ({ kind: "text", text } as const);
  const given = { title, author, publishedAt: publishedDate, category, language };
  return { page: { teamId, url, source: "api", fetchedAt: now, given, content } };
}

async function ingestBatch(
  deps: DocumentDeps,
  batch: readonly Given[],
  signal: AbortSignal,
): Promise<readonly Status[]> {
  const pages = batch.flatMap((one) => ("page" in one ? [one.page] : []));
  const outcomes = [...(await deps.ingest(pages, signal))];
  return batch.map((one) => {
    if ("refused" in one) return one.refused;
    return showOutcome(one.page.url, outcomes.shift());
  });
}

/** What became of one given page, as the wire says it. */
export function showOutcome(url: string, outcome: IngestOutcome | undefined): Status {
  if (outcome?.kind === "unreadable") return refusal(url, outcome.error.message);
  if (outcome?.kind !== "saved") return refusal(url, "it was not saved; send it again");
  const { saved, snapshotId, canonicalUrl: canonical } = outcome;
  return { url: saved.url, status: saved.status, version: saved.version, snapshotId, canonicalUrl: canonical };
}

/** The status of a page that was not kept, and why. */
export function refusal(url: string, error: string): Status {
  return { url, status: "error", version: null, snapshotId: null, canonicalUrl: null, error };
}

function urlOf(value: unknown): string {
  const url: unknown = typeof value === "object" && value !== null && "url" in value ? value.url : undefined;
  return typeof url === "string" ? url : "";
}

function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message ?? "not a document"}`;
}

/** The owner of documents for all; throws unless the caller may give them. */
export function sharedOwner(deps: OperatorDeps, caller: Caller): string {
  requireOperator(deps, caller, "shared: these documents are given to every team");
  return SHARED_TEAM;
}

async function showWhole(db: Database, caller: Caller, url: string): Promise<z.input<typeof wholeDocumentSchema>> {
  const document = await findDocument(db, [caller.teamId, SHARED_TEAM], canonicalUrl(url) ?? url);
  const content = document && (await getExtractedText(db, document.snapshotId, document.extractorVersion));
  if (document === undefined || content === undefined) {
    throw new AppError(
      "not_found",
      "there is no document with this URL; add it with POST /quarry/v1/documents, or crawl it",
    );
  }
  const { headings = [], links = [], imageLinks = [], codeBlocks = [], structuredData = [] } = document.details;
  return {
    ...showDocument(document),
    text: content.text,
    markdown: content.markdown,
    headings: [...headings],
    links: [...links],
    imageLinks: [...imageLinks],
    codeBlocks: [...codeBlocks],
    structuredData,
    rendered: document.details.rendered === true,
  };
}

/** A document as lists show it. */
export function showDocument(document: StoredDocument): z.input<typeof documentSchema> {
  return {
    url: document.url,
    title: document.title,
    author: document.author,
    publishedDate: document.publishedAt?.toISOString() ?? null,
    language: document.language,
    category: document.category,
    siteName: document.siteName,
    description: document.description,
    favicon: document.favicon,
    image: document.image,
    wordCount: document.wordCount,
    version: document.version,
    snapshotId: document.snapshotId,
    extractorVersion: document.extractorVersion,
    canonicalUrl: document.canonicalUrl,
    source: document.source,
    shared: document.teamId === SHARED_TEAM,
    crawledAt: document.crawledAt.toISOString(),
    changedAt: document.changedAt.toISOString(),
  };
}
