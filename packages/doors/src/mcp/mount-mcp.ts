import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { AppError, type Clock } from "@quarry/base";
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  legacyStatelessFallback,
} from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { withInnerCalls } from "../inner-calls.ts";
import { loadTokenCounter } from "./budget/count-tokens.ts";
import { chooseTools } from "./choose-tools.ts";
import type { InputMode } from "./coerce-input.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { createInjectCall } from "./inject-call.ts";
import { readResource } from "./resources.ts";
import { McpSessions } from "./sessions.ts";
import { watchResources } from "./watch-resources.ts";

/** What the MCP door needs from outside. */
export interface McpDeps {
  readonly version: string;
  readonly clock: Clock;
  readonly withFixtures: boolean;
  /** Aborts when the server stops: sessions and streams end then. */
  readonly stopping: AbortSignal;
}

const PATH = "/mcp";
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Puts MCP over Streamable HTTP into the app. Keys, hosts, origins and limits are the app's. Clients of 2026-07-28 need no
 * session; those of 2025-11-25 get one when they initialize, and are served without one when they send none.
 * `?tools=` chooses the tools, `?input=strict` turns coercion off.
 */
export function mountMcp(app: FastifyInstance, deps: McpDeps): void {
  const sessions = new McpSessions(() => deps.clock.now().getTime());
  const closers = new Set<() => Promise<void>>();
  deps.stopping.addEventListener("abort", () => {
    for (const close of closers) void close().catch(() => undefined); // the process ends: nobody is left to tell
    void sessions.close().catch(() => undefined);
  });
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MAX_BODY_BYTES }, (_, body, parsed) =>
      parsed(null, body),
    );
    scope.route({
      method: ["GET", "POST", "DELETE"],
      url: PATH,
      bodyLimit: MAX_BODY_BYTES,
      exposeHeadRoute: false,
      config: { access: "any", countsInnerCalls: true },
      handler: (request, reply) => answer(app, { ...deps, sessions, closers }, request, reply),
    });
    done();
  });
}

interface DoorState extends McpDeps {
  readonly sessions: McpSessions;
  readonly closers: Set<() => Promise<void>>;
}

async function answer(
  app: FastifyInstance,
  state: DoorState,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wish = readWish(request);
  const web = toWebRequest(request);
  const made = { app, request, wish };
  const isLegacy = await isLegacyRequest(web);
  const work = (): Promise<Response> => (isLegacy ? answerLegacy(state, made, web) : answerModern(state, made, web));
  return send(reply, await (request.state === null ? work() : withInnerCalls(request.state, work)));
}

interface Wish {
  readonly tools: string | undefined;
  readonly inputMode: InputMode;
}

/** What the address chooses; a wrong choice is refused before anything else. */
function readWish(request: FastifyRequest): Wish {
  const { searchParams } = new URL(request.url, "http://localhost");
  const tools = searchParams.get("tools") ?? undefined;
  const input = searchParams.get("input") ?? "safe";
  if (input !== "safe" && input !== "strict") {
    throw new AppError("invalid_request", `input: expected safe or strict, received ${input.slice(0, 50)}`);
  }
  chooseTools(tools);
  return { tools, inputMode: input };
}

interface Made {
  readonly app: FastifyInstance;
  readonly request: FastifyRequest;
  readonly wish: Wish;
}

function makeServer(state: DoorState, { app, request, wish }: Made, watch: (uri: string, isWanted: boolean) => void) {
  return createMcpServer({
    api: createInjectCall(app, request),
    version: state.version,
    now: state.clock.now,
    ...wish,
    withFixtures: state.withFixtures,
    watch,
  });
}

const NO_WATCH = (): void => undefined;

/** One request of 2026-07-28: it carries all the server needs to know. */
async function answerModern(state: DoorState, made: Made, web: Request): Promise<Response> {
  const handler = createMcpHandler(() => makeServer(state, made, NO_WATCH), { legacy: "reject" });
  state.closers.add(handler.close);
  made.request.raw.once("close", () => state.closers.delete(handler.close));
  return handler.fetch(web);
}

/** One request of 2025-11-25 or before: in a session, beginning one, or without any. */
async function answerLegacy(state: DoorState, made: Made, web: Request): Promise<Response> {
  const owner = ownerOf(made.request);
  const id = web.headers.get("mcp-session-id");
  if (id !== null) {
    const transport = state.sessions.find(id, owner);
    return transport === undefined
      ? refuse(404, -32_001, "Session not found: initialize again")
      : transport.handleRequest(web);
  }
  if (web.method === "POST" && (await beginsSession(web))) {
    const transport = await state.sessions.open(owner, () => openSession(state, made));
    return transport.handleRequest(web);
  }
  return legacyStatelessFallback(() => makeServer(state, made, NO_WATCH))(web);
}

async function beginsSession(web: Request): Promise<boolean> {
  const text = await web.clone().text();
  try {
    return isInitializeRequest(JSON.parse(text));
  } catch {
    return false; // the transport says what is wrong with it
  }
}

function openSession(state: DoorState, made: Made) {
  const api = createInjectCall(made.app, made.request);
  const { log } = made.request;
  const watch = watchResources({
    read: async (uri, signal) => (await readResource({ api, count: await loadTokenCounter() }, uri, signal)).text,
    tell: (uri) => mcp.server.sendResourceUpdated({ uri }),
    onError: (error) => log.debug({ err: error }, "watching a resource"),
  });
  const mcp = makeServer(state, made, watch.set);
  return { mcp, close: watch.close };
}

/**
 * Who a session belongs to: who shows the secret that began it. Its calls are made with that one, so that after a rotation
 * clients must begin anew.
 */
function ownerOf(request: FastifyRequest): string {
  const authenticated = request.state?.authenticated;
  if (authenticated === undefined) throw new AppError("unauthenticated", "no API key was sent");
  const { caller, secret } = authenticated;
  return `${caller.teamId}:${createHash("sha256").update(secret).digest("base64")}`;
}

function toWebRequest(request: FastifyRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(":") || value === undefined) continue; // HTTP/2 has pseudo-headers
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  const body = request.body instanceof Buffer && request.body.length > 0 ? new Uint8Array(request.body) : null;
  return new Request(new URL(request.url, `http://${request.host}`), {
    method: request.method,
    headers,
    ...(body !== null && { body }),
    ...(request.state !== null && { signal: request.state.left.signal }),
  });
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  void reply.code(response.status);
  for (const [name, value] of response.headers) void reply.header(name, value);
  if (response.body === null) return reply.send();
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  if (isStream) void reply.header("x-accel-buffering", "no");
  void reply.send(Readable.fromWeb(response.body as NodeReadableStream<Uint8Array>));
  if (isStream) reply.raw.flushHeaders(); // the client learns at once that the stream is open
  return reply;
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
