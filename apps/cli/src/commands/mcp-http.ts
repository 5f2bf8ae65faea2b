import http from "node:http";
import https from "node:https";
import type { ApiTarget } from "../api-client.ts";

/** A message of the protocol, as far as a bridge looks into it. */
export interface McpMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Where messages go, and in which session. */
export interface McpPlace {
  readonly target: ApiTarget;
  /** With the question mark; empty when nothing is chosen. */
  readonly search: string;
  readonly sessionId: string | undefined;
  /** What a client of 2025-11-25 agreed on; one of 2026-07-28 says it in every message. */
  readonly protocolVersion: string | undefined;
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Which parameter of a method stands in the header Mcp-Name. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** The revision a message names for itself: only those of 2026-07-28 and later do. */
export function versionOf({ params }: McpMessage): string | undefined {
  const meta = params?.["_meta"];
  if (typeof meta !== "object" || meta === null) return undefined;
  const version: unknown = Object.entries(meta).find(([key]) => key === VERSION_KEY)?.[1];
  return typeof version === "string" ? version : undefined;
}

/** Sends a message, or opens the stream of what the server has to say by itself. Rejects when nobody answers. */
export function openExchange(
  place: McpPlace,
  message: McpMessage | undefined,
  options: { readonly signal: AbortSignal; readonly lastEventId?: string | undefined; readonly method?: "DELETE" },
): Promise<http.IncomingMessage> {
  const url = new URL(`${place.target.url.replace(/(?<!\/)\/+$/, "")}/mcp${place.search}`);
  const body = message === undefined ? undefined : JSON.stringify(message);
  const headers: http.OutgoingHttpHeaders = {
    accept: "application/json, text/event-stream",
    ...(place.target.key !== undefined && { authorization: `Bearer ${place.target.key}` }),
    ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    ...(options.lastEventId !== undefined && { "last-event-id": options.lastEventId }),
    ...(message === undefined || versionOf(message) === undefined ? sessionHeaders(place) : ownHeaders(message)),
  };
  const method = options.method ?? (message === undefined ? "GET" : "POST");
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? https : http;
    const call = send.request(url, { method, headers, signal: options.signal, agent: false }, resolve);
    call.on("error", reject);
    call.end(body);
  });
}

function sessionHeaders({ sessionId, protocolVersion }: McpPlace): http.OutgoingHttpHeaders {
  return {
    ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
    ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
  };
}

function ownHeaders(message: McpMessage): http.OutgoingHttpHeaders {
  const { method = "", params = {} } = message;
  const name = params[NAMED[method] ?? ""];
  return {
    "mcp-protocol-version": versionOf(message),
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}

/** Headers take printable ASCII alone; anything else goes as Base64 with the protocol's mark. */
function headerValue(name: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith("=?base64?")
    ? name
    : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}

/** One event of a stream. */
export interface McpEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a reply, as they come. */
export async function* readStream(reply: http.IncomingMessage): AsyncGenerator<McpEvent> {
  let rest = "";
  reply.setEncoding("utf8");
  for await (const part of reply) {
    rest += (part as string).replaceAll("\r\n", "\n");
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const field = (name: string): readonly string[] =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
      yield { id: field("id")[0], data: field("data").join("\n") };
    }
  }
}

/** The whole body of a reply. */
export async function readWhole(reply: http.IncomingMessage): Promise<string> {
  let text = "";
  reply.setEncoding("utf8");
  for await (const part of reply) text += part as string;
  return text;
}
