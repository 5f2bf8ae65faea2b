import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "@quarry/base";
import iconv from "iconv-lite";
import { describe, it } from "vitest";
import type { HttpGet } from "./page/http-exchange.ts";

export { canSandbox, describeBrowser } from "./render/testing-browser.ts";

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * Tests over a judged data set that is not part of the repository. `QUARRY_EVAL_DATA` says where the sets lie, by
 * default beside the repository; an absent one leaves a single skipped test that says so.
 */
export function describeData(name: string, run: (folder: string) => void): void {
  const root = process.env["QUARRY_EVAL_DATA"] ?? path.join(REPOSITORY, "../shared/data");
  const folder = path.join(root, name);
  if (!existsSync(folder)) {
    it.skip(`${name}: not found (set QUARRY_EVAL_DATA to the folder that holds it)`);
    return;
  }
  describe(name, () => run(folder));
}

/** Bytes as a stream gives them, in pieces of a size that splits whatever can be split. */
// eslint-disable-next-line @typescript-eslint/require-await -- a stream in memory has nothing to wait for
export async function* chunksOf(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

const TAR_BLOCK_BYTES = 512;

/** The plain files of a tar archive (ustar, as the data sets use), by name. */
export function filesOfTar(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const textAt = (start: number, length: number): string =>
    bytes.toString("latin1", start, start + length).split("\0", 1)[0] ?? "";
  const files = new Map<string, Uint8Array>();
  for (let offset = 0; offset + TAR_BLOCK_BYTES <= bytes.byteLength && bytes[offset] !== 0;) {
    const size = Number.parseInt(textAt(offset + 124, 12).trim(), 8);
    const prefix = textAt(offset + 345, 155);
    const name = textAt(offset, 100);
    const start = offset + TAR_BLOCK_BYTES;
    if (["0", ""].includes(textAt(offset + 156, 1))) {
      files.set((prefix === "" ? name : `${prefix}/${name}`).replace(/^\.\//, ""), bytes.subarray(start, start + size));
    }
    offset = start + Math.ceil(size / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
  }
  return files;
}

/** A page of a web that tests serve. */
export interface MiniWebPage {
  readonly body: string | Uint8Array;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** The pages of a web by path; a function, so that a web of any size needs no memory. */
export type MiniWebPages = (path: string) => MiniWebPage | undefined;

/** What the server does wrong, on purpose. */
export interface MiniWebFaults {
  /** Before every answer. */
  readonly delayMs?: number;
  /** So many answers of `failureStatus` for each page before it is given. */
  readonly failuresPerPage?: number;
  readonly failureStatus?: number;
  readonly retryAfterSeconds?: number;
  /** Paths that redirect back to themselves by way of another. */
  readonly loops?: readonly string[];
  /** Paths whose connection is cut in the middle of the body. */
  readonly cuts?: readonly string[];
  /** Paths whose body has no end. */
  readonly endless?: readonly string[];
  /** The charset that HTML pages are said to be in, whatever they are in. */
  readonly declaredCharset?: string;
  /** The charset that HTML pages really are in, without saying so. */
  readonly encoding?: string;
  readonly robotsTxt?: string;
  readonly robotsStatus?: number;
}

/** One request as the server saw it. */
export interface MiniWebRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly atMs: number;
}

/** A web on loopback. */
export interface MiniWeb {
  readonly origin: string;
  readonly requests: readonly MiniWebRequest[];
  /** Most requests that were answered at one time. */
  readonly mostAtOnce: () => number;
  readonly close: () => Promise<void>;
}

/** Serves pages on loopback at a free port, with faults by configuration; the caller closes it. */
export async function serveMiniWeb(pages: MiniWebPages, faults: MiniWebFaults = {}): Promise<MiniWeb> {
  const requests: MiniWebRequest[] = [];
  const failures = new Map<string, number>();
  let [open, most] = [0, 0];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push({ path, headers: request.headers, atMs: performance.now() });
    open += 1;
    most = Math.max(most, open);
    response.once("close", () => (open -= 1));
    const timer = setTimeout(
      () => answerMiniWeb({ pages, faults, failures }, path, request.headers, response),
      faults.delayMs ?? 0,
    );
    response.once("close", () => {
      clearTimeout(timer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    mostAtOnce: () => most,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Serves a web while `run` runs, and closes it whatever comes of that. */
export async function withMiniWeb(
  pages: MiniWebPages,
  faults: MiniWebFaults,
  run: (web: MiniWeb) => Promise<void>,
): Promise<void> {
  const web = await serveMiniWeb(pages, faults);
  try {
    await run(web);
  } finally {
    await web.close();
  }
}

interface MiniWebState {
  readonly pages: MiniWebPages;
  readonly faults: MiniWebFaults;
  readonly failures: Map<string, number>;
}

function answerMiniWeb(
  state: MiniWebState,
  target: string,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
): void {
  const { faults } = state;
  const path = target.split("?", 1)[0] ?? "/";
  if (path === "/robots.txt") {
    response.writeHead(faults.robotsStatus ?? (faults.robotsTxt === undefined ? 404 : 200), {
      "content-type": "text/plain",
    });
    response.end(faults.robotsTxt ?? "");
    return;
  }
  if (faults.loops?.includes(path) === true) {
    response.writeHead(302, { location: target.includes("?loop") ? path : `${path}?loop=1` }).end();
    return;
  }
  const failed = state.failures.get(path) ?? 0;
  if (failed < (faults.failuresPerPage ?? 0)) {
    state.failures.set(path, failed + 1);
    const wait = faults.retryAfterSeconds;
    response
      .writeHead(faults.failureStatus ?? 503, wait === undefined ? {} : { "retry-after": String(wait) })
      .end("not now");
    return;
  }
  const page = state.pages(path);
  if (page === undefined) {
    response.writeHead(404, { "content-type": "text/html" }).end("<html><title>Not found</title></html>");
    return;
  }
  sendMiniWebPage(faults, path, page, headers, response);
}

function sendMiniWebPage(
  faults: MiniWebFaults,
  path: string,
  page: MiniWebPage,
  asked: IncomingHttpHeaders,
  response: ServerResponse,
): void {
  const isHtml = (page.contentType ?? "text/html").startsWith("text/html");
  const text = typeof page.body === "string" ? page.body : Buffer.from(page.body).toString("utf8");
  const bytes = isHtml && faults.encoding !== undefined ? iconv.encode(text, faults.encoding) : Buffer.from(page.body);
  const etag = `"${createHash("sha1").update(bytes).digest("hex").slice(0, 16)}"`;
  const charset = isHtml && faults.declaredCharset !== undefined ? `; charset=${faults.declaredCharset}` : "";
  const headers = { "content-type": `${page.contentType ?? "text/html"}${charset}`, etag, ...page.headers };
  if (asked["if-none-match"] === etag) {
    response.writeHead(304, { etag }).end();
  } else if (faults.endless?.includes(path) === true) {
    response.writeHead(200, headers);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 97))) continue;
    };
    response.on("drain", more);
    more();
  } else if (faults.cuts?.includes(path) === true) {
    response.writeHead(200, { ...headers, "content-length": bytes.byteLength + 1000 });
    response.write(bytes, () => response.destroy());
  } else {
    response.writeHead(page.status ?? 200, { ...headers, "content-length": bytes.byteLength }).end(bytes);
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".txt": "text/plain",
  ".xml": "application/xml",
  ".pdf": "application/pdf",
};

/** Pages of files by name; `index` is what `/` shows. */
export function pagesOfFiles(files: ReadonlyMap<string, Uint8Array>, index: string): MiniWebPages {
  return (target) => {
    const name = decodeURIComponent(target.slice(1)) || index;
    const body = files.get(name);
    if (body === undefined) return undefined;
    return { body, contentType: CONTENT_TYPES[path.extname(name)] ?? "application/octet-stream" };
  };
}

/**
 * A web of `count` pages made up as they are asked for: `/` and `/page/1` onward, each a few hundred words, its links
 * leading to twice its number and the next, so that all can be reached from `/`, and back.
 */
export function generatedPages(count: number): MiniWebPages {
  return (target) => {
    const number = target === "/" ? 0 : Number(/^\/page\/(\d+)$/.exec(target)?.[1] ?? "-1");
    if (number < 0 || number >= count) return undefined;
    const links = [number * 2 + 1, number * 2 + 2]
      .filter((next) => next < count)
      .map((next) => `<a href="/page/${next}">Page ${next}</a>`);
    const words = Array.from({ length: 200 }, (_word, at) => `word${(number * 31 + at * at * 7) % 997}`).join(" ");
    return {
      body: `<!doctype html><html><head><title>Page ${number}</title></head><body><h1>Page ${number}</h1><p>${words}.</p>${links.join(" ")} <a href="/">Home</a></body></html>`,
    };
  };
}

/** A GET for loopback, without the guard that every other request goes through. */
export const loopbackGet: HttpGet = async ({ url, headers, maxBytes }, signal) => {
  let response: Response;
  try {
    response = await fetch(url, { headers, redirect: "manual", signal });
  } catch (cause) {
    signal.throwIfAborted();
    return {
      kind: "failed",
      reason: "connect",
      error: new AppError("upstream_failed", `${url} did not answer`, { retryable: true, cause }),
    };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
    }
  } catch (cause) {
    signal.throwIfAborted();
    return {
      kind: "failed",
      reason: "reset",
      error: new AppError("upstream_failed", `${url} broke off`, { retryable: true, cause }),
    };
  }
  const body = Buffer.concat(chunks).subarray(0, maxBytes);
  return {
    kind: "reply",
    url,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body,
    truncated: bytes > maxBytes,
  };
};
