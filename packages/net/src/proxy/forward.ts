import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Dialer } from "../dialer.ts";
import { BodyStopError, type DialStop } from "../outcome.ts";
import type { DialReply } from "../reply.ts";
import type { DialRequest } from "../request.ts";
import type { ProxyLimits } from "./proxy-limits.ts";

/** Sends a plain request of a client on through the dialer, redirects and encoding untouched. Never rejects. */
export async function forward(
  dialer: Dialer,
  request: IncomingMessage,
  response: ServerResponse,
  limits: Pick<ProxyLimits, "maxRequestBytes">,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const url = request.url ?? "";
  const method = METHODS.find((known) => known === request.method);
  if (!/^http:\/\//i.test(url)) {
    refuse(response, 400, "this is a proxy: send the whole http:// URL, or CONNECT");
    return;
  }
  if (method === undefined) {
    refuse(response, 405, `the proxy does not forward ${request.method ?? "this method"}`);
    return;
  }
  try {
    const body = await readRequest(request, limits.maxRequestBytes);
    if (body === undefined) {
      refuse(response, 413, `the request has more than ${limits.maxRequestBytes} bytes`);
      return;
    }
    const headers = endToEnd(request.headers);
    const dial: DialRequest = { url, method, headers, redirects: "manual", decoding: "raw" };
    const outcome = await dialer.fetch(body.length === 0 ? dial : { ...dial, body }, gone.signal);
    if (outcome.kind !== "reply") {
      refuse(response, statusOf(outcome), outcome.kind === "refused" ? outcome.message : outcome.error.message);
      return;
    }
    await relay(outcome, response);
  } catch (thrown) {
    // The client left, or the reply broke off: a response that is cut tells the client all there is to tell.
    response.destroy(thrown instanceof BodyStopError ? thrown : undefined);
  }
}

/** The status by which a client learns of a stop. */
export function statusOf(stop: DialStop): number {
  if (stop.kind === "refused") return 403;
  return stop.reason === "timeout" ? 504 : 502;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${message}\n`);
}

async function readRequest(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function relay(reply: DialReply, response: ServerResponse): Promise<void> {
  response.statusCode = reply.status;
  // Location as it was understood: raw UTF-8 in it cannot be written into a header again
  const { location = reply.headers["location"] } = reply;
  for (const [name, value] of Object.entries({ ...reply.headers, location })) {
    if (value === undefined || HOP_BY_HOP.has(name)) continue;
    const lines = typeof value === "string" ? [value] : value;
    const sayable = lines.filter((line) => SAYABLE.test(line));
    if (sayable.length > 0) response.setHeader(name, sayable);
  }
  await pipeline(reply.body, response);
}

/** Node refuses to write a header with anything else in it. */
const SAYABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers meant for the far end, not for the next one on the way. */
function endToEnd(headers: IncomingMessage["headers"]): Record<string, string> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (HOP_BY_HOP.has(name) || SET_BY_DIALER.has(name) || named.includes(name) || typeof value !== "string") continue;
    kept[name] = value;
  }
  return kept;
}

/** RFC 9110, section 7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const SET_BY_DIALER: ReadonlySet<string> = new Set(["content-length", "expect", "host"]);
