import { randomUUID } from "node:crypto";
import { AppError, sleep } from "@quarry/base";
import { documentsReplySchema, indexImportReplySchema } from "@quarry/contract";
import { writeWarc } from "@quarry/crawl";
import { toWarcEntry } from "@quarry/ingest";
import type { ImportItem } from "@quarry/ingest";
import { callApi } from "./api-client.ts";
import type { ApiRequest, ApiTarget } from "./api-client.ts";

/** What came of an import so far. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  /** The same as what was there, or older than that. */
  readonly unchanged: number;
  readonly skipped: number;
  readonly failed: number;
  readonly bytes: number;
}

/** Something that was not imported, and why. */
export interface ImportFailure {
  readonly place: string;
  readonly message: string;
}

/** A step of an import: the counts after it, and what failed in it. */
export interface ImportStep {
  readonly counts: ImportCounts;
  readonly failures: readonly ImportFailure[];
}

/** How an import is sent. */
export interface SendOptions {
  readonly target: ApiTarget;
  readonly shared: boolean;
  readonly category: string | undefined;
  readonly software: string;
  readonly signal: AbortSignal;
}

export const NO_COUNTS: ImportCounts = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0, bytes: 0 };

/** What one request carries: enough to be quick, little enough to be held twice. */
const BATCH_ITEMS = 100;
const BATCH_BYTES = 8 * 1024 * 1024;
/** How long the server may read one batch. */
const BATCH_TIMEOUT_MS = 10 * 60 * 1000;
const MAX_RETRIES = 5;
const FIRST_RETRY_MS = 500;

type Sendable = Extract<ImportItem, { kind: "document" | "page" }>;

/**
 * Sends items to the server in batches, one on its way while the next is gathered. Documents are put by their URL, so a
 * batch whose reply is lost is sent again, and a whole import can be. Rejects when the server cannot be reached any more.
 */
export async function* sendImport(items: AsyncIterable<ImportItem>, options: SendOptions): AsyncGenerator<ImportStep> {
  const queues = { document: emptyBatch(), page: emptyBatch() };
  let counts = NO_COUNTS;
  let onItsWay: Promise<ImportStep> | undefined;
  const add = (step: ImportStep): ImportStep => {
    counts = sum(counts, step.counts);
    return { counts, failures: step.failures };
  };
  async function* send(kind: "document" | "page"): AsyncGenerator<ImportStep> {
    const batch = queues[kind];
    queues[kind] = emptyBatch();
    if (onItsWay !== undefined) yield add(await onItsWay);
    onItsWay = sendBatch(kind, batch.items, options);
    onItsWay.catch(() => undefined); // told when it is awaited
  }
  for await (const item of items) {
    if (item.kind === "skipped") {
      yield add({ counts: { ...NO_COUNTS, skipped: 1 }, failures: [] });
    } else if (item.kind === "failed") {
      yield add(failureOf([item.place], item.message));
    } else {
      const queue = queues[item.kind];
      queue.items.push(item);
      queue.bytes += item.byteLength;
      if (queue.items.length >= BATCH_ITEMS || queue.bytes >= BATCH_BYTES) yield* send(item.kind);
    }
  }
  for (const kind of ["document", "page"] as const) if (queues[kind].items.length > 0) yield* send(kind);
  if (onItsWay !== undefined) yield add(await onItsWay);
}

interface Batch {
  readonly items: Sendable[];
  bytes: number;
}

function emptyBatch(): Batch {
  return { items: [], bytes: 0 };
}

async function sendBatch(
  kind: "document" | "page",
  items: readonly Sendable[],
  options: SendOptions,
): Promise<ImportStep> {
  const places = items.map(({ place }) => place);
  const request = kind === "document" ? documentsRequest(items, options) : await pagesRequest(items, options);
  try {
    const schema = kind === "document" ? documentsReplySchema : indexImportReplySchema;
    const reply = await withRetries(() => callApi(options.target, request, schema, options.signal), options.signal);
    return toStep(places, reply.documents, request.file?.bytes.byteLength ?? 0);
  } catch (error) {
    options.signal.throwIfAborted();
    // The batch is refused as a whole; the next one may be taken. Whatever else went wrong concerns all of them.
    if (error instanceof AppError && ["invalid_request", "too_large", "unprocessable"].includes(error.code)) {
      return failureOf(places, error.message);
    }
    throw error;
  }
}

function documentsRequest(items: readonly Sendable[], { shared, category }: SendOptions): ApiRequest {
  const lines = items.flatMap((item) => {
    if (item.kind !== "document") return [];
    const { document } = item;
    return [
      JSON.stringify(category === undefined ? document : { ...document, category: document["category"] ?? category }),
    ];
  });
  return {
    method: "POST",
    path: "/quarry/v1/documents",
    query: { shared: shared ? "true" : undefined },
    file: { bytes: Buffer.from(lines.join("\n")), mediaType: "application/x-ndjson" },
    timeoutMs: BATCH_TIMEOUT_MS,
  };
}

/** Pages travel as a WARC file of their own: bytes and facts of many in one body. */
async function pagesRequest(items: readonly Sendable[], options: SendOptions): Promise<ApiRequest> {
  // eslint-disable-next-line @typescript-eslint/require-await -- the entries are there already
  async function* entries() {
    for (const item of items) if (item.kind === "page") yield toWarcEntry(item.page);
  }
  const parts: Uint8Array[] = [];
  const writing = { gzip: false, software: options.software, writtenAt: new Date(), makeUuid: randomUUID };
  for await (const part of writeWarc(entries(), writing)) parts.push(part);
  return {
    method: "POST",
    path: "/quarry/v1/index/import",
    query: { shared: options.shared ? "true" : undefined, category: options.category },
    file: { bytes: Buffer.concat(parts), mediaType: "application/warc" },
    timeoutMs: BATCH_TIMEOUT_MS,
  };
}

async function withRetries<Reply>(call: () => Promise<Reply>, signal: AbortSignal): Promise<Reply> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      const mayPass = error instanceof AppError && (error.code === "unavailable" || error.code === "rate_limited");
      if (!mayPass || attempt === MAX_RETRIES) throw error;
      await sleep(error.retryAfterMs ?? FIRST_RETRY_MS * 2 ** attempt, signal);
    }
  }
}

interface DocumentStatus {
  readonly url: string;
  readonly status: "created" | "updated" | "unchanged" | "stale" | "error";
  readonly error?: string | undefined;
}

function toStep(places: readonly string[], documents: readonly DocumentStatus[], bytes: number): ImportStep {
  const count = (status: DocumentStatus["status"]): number =>
    documents.filter((document) => document.status === status).length;
  const failures = documents.flatMap(({ status, url, error }, index) =>
    status === "error" ? [{ place: places[index] ?? url, message: error ?? "refused" }] : [],
  );
  return {
    counts: {
      created: count("created"),
      updated: count("updated"),
      unchanged: count("unchanged") + count("stale"),
      // What the server has no word about holds nothing to keep, as it sees it.
      skipped: Math.max(0, places.length - documents.length),
      failed: failures.length,
      bytes,
    },
    failures,
  };
}

function failureOf(places: readonly string[], message: string): ImportStep {
  return {
    counts: { ...NO_COUNTS, failed: places.length },
    failures: places.map((place) => ({ place, message })),
  };
}

function sum(one: ImportCounts, other: ImportCounts): ImportCounts {
  return {
    created: one.created + other.created,
    updated: one.updated + other.updated,
    unchanged: one.unchanged + other.unchanged,
    skipped: one.skipped + other.skipped,
    failed: one.failed + other.failed,
    bytes: one.bytes + other.bytes,
  };
}
