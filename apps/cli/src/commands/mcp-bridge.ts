import type { IncomingMessage } from "node:http";
import { AppError } from "@quarry/base";
import type { ApiTarget } from "../api-client.ts";
import { openExchange, readStream, readWhole, versionOf, type McpMessage, type McpPlace } from "./mcp-http.ts";

/** What a bridge needs. */
export interface McpBridgeDeps {
  /** The server, started when none runs. */
  readonly connect: () => Promise<ApiTarget>;
  /** Which tools and what coercion, for the server's address; empty or with a question mark. */
  readonly search: string;
  readonly write: (message: McpMessage) => void;
  /** For the person who reads the log of their client. */
  readonly say: (line: string) => void;
}

/** Between a client that speaks over stdio and the server that listens on HTTP. */
export interface McpBridge {
  /** Takes a message of the client. Never rejects: what goes wrong is answered. */
  readonly receive: (message: McpMessage) => Promise<void>;
  readonly close: () => Promise<void>;
}

const INTERNAL_ERROR = -32_603;
const CLOSE_MS = 1_000;

/**
 * Passes messages on in both directions. A server that was stopped or killed is found or started again with the next
 * message, and a client of 2025-11-25 gets a new session behind its back; what was under way at that moment is answered
 * with an error, since nobody knows how far it came.
 */
export function createMcpBridge(deps: McpBridgeDeps): McpBridge {
  const closing = new AbortController();
  const underWay = new Map<string | number, AbortController>();
  let place: Promise<McpPlace> | undefined;
  let initialize: McpMessage | undefined;
  let isInitialized = false;
  let listening: AbortController | undefined;

  const placeNow = (): Promise<McpPlace> => {
    place ??= deps
      .connect()
      .then((target) => ({ target, search: deps.search, sessionId: undefined, protocolVersion: undefined }));
    return place;
  };

  /** Finds the server anew, and begins the client's session there as it was begun before. */
  const reconnect = (old: Promise<McpPlace>): Promise<McpPlace> => {
    if (place !== old) return placeNow(); // someone else has done so
    listening?.abort();
    place = undefined;
    if (initialize === undefined) return placeNow();
    const begin = { ...initialize, id: "quarry-mcp-again" };
    const again = (async (): Promise<McpPlace> => {
      const fresh: McpPlace = {
        target: await deps.connect(),
        search: deps.search,
        sessionId: undefined,
        protocolVersion: undefined,
      };
      const reply = await openExchange(fresh, begin, { signal: closing.signal });
      const begun = await noteSession(fresh, reply, () => undefined);
      if (isInitialized) {
        const told = { jsonrpc: "2.0", method: "notifications/initialized" } as const;
        (await openExchange(begun, told, { signal: closing.signal })).resume();
        void listen(begun);
      }
      return begun;
    })();
    place = again;
    deps.say("Quarry's server was found again");
    return again;
  };

  /** What the server says without being asked, such as that a resource changed. */
  const listen = async (at: McpPlace): Promise<void> => {
    const stop = new AbortController();
    listening = stop;
    try {
      const reply = await openExchange(at, undefined, { signal: AbortSignal.any([stop.signal, closing.signal]) });
      if (reply.statusCode !== 200) reply.resume();
      else for await (const { data } of readStream(reply)) if (data !== "") deps.write(JSON.parse(data) as McpMessage);
    } catch {
      // The stream is a convenience: it is opened again with the next session.
    }
  };

  const exchange = async (message: McpMessage, signal: AbortSignal): Promise<void> => {
    for (let isAgain = false; ; isAgain = true) {
      const current = placeNow();
      const at = await current;
      let reply: IncomingMessage;
      try {
        reply = await openExchange(at, message, { signal });
      } catch (error) {
        if (signal.aborted || isAgain || !isRefused(error)) throw error;
        await reconnect(current);
        continue;
      }
      // A server that was started again knows neither the session nor the local key that the one before had made.
      const isForgotten = reply.statusCode === 401 || (reply.statusCode === 404 && at.sessionId !== undefined);
      if (isForgotten && !isAgain) {
        reply.resume();
        await reconnect(current);
        continue;
      }
      if (message.method === "initialize") {
        place = noteSession(at, reply, deps.write);
        await place;
        return;
      }
      await passOn(message, reply);
      return;
    }
  };

  const passOn = async (message: McpMessage, reply: IncomingMessage): Promise<void> => {
    const type = reply.headers["content-type"] ?? "";
    if (type.includes("text/event-stream")) {
      await passStream(message, reply, undefined);
      return;
    }
    const text = await readWhole(reply);
    if (text === "") return;
    if (!text.includes('"jsonrpc"')) {
      const status = reply.statusCode ?? 0;
      throw new AppError("upstream_failed", `the server answered with status ${status}: ${text.slice(0, 500)}`);
    }
    const body = JSON.parse(text) as McpMessage;
    deps.write(message.id !== undefined && body.id === null ? { ...body, id: message.id } : body);
  };

  /** A stream that ends before the answer is taken up again where it ended. */
  const passStream = async (message: McpMessage, reply: IncomingMessage, after: string | undefined): Promise<void> => {
    let last = after;
    let isAnswered = message.id === undefined;
    for await (const { id, data } of readStream(reply)) {
      last = id ?? last;
      if (data === "") continue;
      const said = JSON.parse(data) as McpMessage;
      if (said.id === message.id && said.method === undefined) isAnswered = true;
      deps.write(said);
    }
    if (isAnswered) return;
    const at = await placeNow();
    if (last === undefined || last === after || at.sessionId === undefined)
      throw new Error("the stream ended before the answer");
    const again = await openExchange(at, undefined, { signal: closing.signal, lastEventId: last });
    if (again.statusCode !== 200)
      throw new Error(`the stream could not be taken up again (status ${again.statusCode ?? 0})`);
    await passStream(message, again, last);
  };

  return {
    receive: async (message) => {
      if (message.method === "notifications/cancelled") {
        const open = underWay.get(message.params?.["requestId"] as string | number);
        if (open !== undefined && versionOf(message) !== undefined) {
          open.abort(); // over HTTP, 2026-07-28 cancels by hanging up
          return;
        }
      }
      if (message.method === "initialize") initialize = message;
      const stop = new AbortController();
      const isRequest = message.id !== undefined && message.id !== null && message.method !== undefined;
      if (isRequest) underWay.set(message.id, stop);
      try {
        await exchange(message, AbortSignal.any([stop.signal, closing.signal]));
        if (message.method === "notifications/initialized") {
          isInitialized = true;
          void listen(await placeNow());
        }
      } catch (error) {
        if (isRequest && !stop.signal.aborted && !closing.signal.aborted) deps.write(toError(message.id, error));
        if (!isRequest) deps.say(`A message could not be passed on: ${AppError.from(error).message}`);
      } finally {
        if (isRequest) underWay.delete(message.id);
      }
    },
    close: async () => {
      const last = await Promise.resolve(place).catch(() => undefined);
      closing.abort();
      if (last?.sessionId === undefined) return;
      const options = { signal: AbortSignal.timeout(CLOSE_MS), method: "DELETE" } as const;
      await openExchange(last, undefined, options).then(
        (reply) => reply.resume(),
        () => undefined, // the session ends by itself when nobody uses it
      );
    },
  };
}

/** Reads the answer to `initialize`: the session and the revision that were agreed on. */
async function noteSession(
  at: McpPlace,
  reply: IncomingMessage,
  write: (message: McpMessage) => void,
): Promise<McpPlace> {
  const session = reply.headers["mcp-session-id"];
  let protocolVersion: string | undefined;
  const note = (text: string): void => {
    const message = JSON.parse(text) as McpMessage;
    const { result } = message;
    if (typeof result === "object" && result !== null && "protocolVersion" in result) {
      protocolVersion = String(result.protocolVersion);
    }
    write(message);
  };
  if ((reply.headers["content-type"] ?? "").includes("text/event-stream")) {
    for await (const { data } of readStream(reply)) if (data !== "") note(data);
  } else {
    const text = await readWhole(reply);
    if ((reply.statusCode ?? 500) >= 400 && !text.includes('"jsonrpc"')) {
      throw new AppError(
        "upstream_failed",
        `the server refused the connection (status ${reply.statusCode ?? 0}): ${text.slice(0, 300)}`,
      );
    }
    note(text);
  }
  return { ...at, sessionId: typeof session === "string" ? session : undefined, protocolVersion };
}

/** Whether the message never reached a server, so that it may be sent again. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNREFUSED" || error.code === "ENOENT");
}

function toError(id: McpMessage["id"], error: unknown): McpMessage {
  const { message } = AppError.from(error);
  const hint = "the server went away while it worked on this; look at how things stand before you call again";
  const text = error instanceof AppError ? message : `${hint} (${message})`;
  return { jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code: INTERNAL_ERROR, message: text } };
}
