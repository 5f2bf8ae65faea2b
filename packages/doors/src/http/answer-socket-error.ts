import type { Socket } from "node:net";
import { STATUS_CODES } from "node:http";
import { makeRequestId } from "@quarry/base";
import { SECURITY_HEADERS } from "./response-headers.ts";

const ANSWERS: Readonly<Record<string, { readonly status: number; readonly error: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, error: "the request headers are too large; send fewer or shorter ones" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: "the request did not arrive in time; send it again" },
};

/**
 * Answers what is not HTTP before any route could: oversized headers, a request
 * that never ends, garbage. Nobody knows the path yet, so the search family's shape is used.
 */
export function answerSocketError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, error: message } = ANSWERS[error.code ?? ""] ?? {
    status: 400,
    error: "this is not a valid HTTP request",
  };
  const requestId = makeRequestId();
  const body = JSON.stringify({ requestId, error: message, tag: "INVALID_REQUEST" });
  const headers = {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${lines.join("")}\r\n${body}`);
}
