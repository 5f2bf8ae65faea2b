import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import { createServer as createNetServer, type AddressInfo, type Socket } from "node:net";

/** Answers one request, whichever HTTP version carried it. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Limits against clients that open a connection and dawdle. */
export interface ListenerLimits {
  /** How long a new connection may take to send the bytes that tell its protocol. */
  readonly firstBytesTimeoutMs: number;
  /** How long the headers of an HTTP/1.1 request may take. */
  readonly headersTimeoutMs: number;
  /** How long an idle HTTP/1.1 connection is kept: longer than clients keep theirs, so that none writes into one we just closed. */
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/** A listening port and the way to close it. */
export interface Listener {
  readonly address: AddressInfo;
  /** Closes gently: no new connections, open requests finish; what is left at the deadline is cut. */
  readonly close: (deadlineMs: number) => Promise<void>;
}

const DEFAULT_LIMITS: ListenerLimits = {
  firstBytesTimeoutMs: 10_000,
  headersTimeoutMs: 15_000,
  keepAliveTimeoutMs: 75_000,
  maxHeaderBytes: 32_768,
};

/** Enough of the HTTP/2 preface (`PRI * HTTP/2.0`) to tell it from every HTTP/1.1 method. */
const PREFACE_START = Buffer.from("PRI", "ascii");

/**
 * Listens on one port for HTTP/1.1 and for HTTP/2 without TLS (h2c, prior
 * knowledge), told apart by the first three bytes. Rejects when the port is taken.
 */
export async function listenOnOnePort(
  onRequest: RequestHandler,
  options: {
    readonly host: string;
    readonly port: number;
    readonly limits?: Partial<ListenerLimits>;
    /** Answers what Node could not read as HTTP/1.1, and hangs up. */
    readonly onClientError: (error: Error, socket: Socket) => void;
  },
): Promise<Listener> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const sockets = new Set<Socket>();
  /** Connections that have not said yet what they speak. */
  const silent = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();

  const http1 = createHttp1Server(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: 0, // long uploads and streams are legitimate; bodies are capped by size
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      requireHostHeader: false, // the door refuses with a body that says what to do
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    onRequest,
  );
  // This server never listens itself, and Node starts its timeout checks on this event only.
  http1.emit("listening");
  http1.on("clientError", (error, socket) => {
    options.onClientError(error, socket as Socket);
  });

  const http2 = createHttp2Server(
    { settings: { maxConcurrentStreams: 256 }, maxSessionMemory: 32 },
    (request, response) => {
      // Node's compatibility objects have the shape that HTTP/1.1 handlers use.
      onRequest(request as unknown as IncomingMessage, response as unknown as ServerResponse);
    },
  );
  http2.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // A peer that breaks the protocol ends its own session; nothing of ours is at fault.
    session.on("error", () => session.destroy());
  });
  http2.on("sessionError", () => undefined);

  const front = createNetServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    silent.add(socket);
    socket.on("close", () => silent.delete(socket));
    readFirstBytes(socket, limits.firstBytesTimeoutMs, (isHttp2) => {
      silent.delete(socket);
      if (closing && isHttp2) socket.destroy();
      else (isHttp2 ? http2 : http1).emit("connection", socket);
    });
  });
  let closing = false;

  await new Promise<void>((resolve, reject) => {
    front.once("error", reject);
    front.listen(options.port, options.host, () => {
      front.off("error", reject);
      resolve();
    });
  });

  return {
    address: front.address() as AddressInfo,
    close: async (deadlineMs) => {
      closing = true;
      const closed = new Promise<void>((resolve) => front.close(() => resolve()));
      for (const session of sessions) session.close();
      for (const socket of silent) socket.destroy(); // a browser opens some in advance; nobody has asked anything
      http1.closeIdleConnections();
      // An HTTP/1.1 connection becomes idle only when its last reply is out: look again until then.
      const sweep = setInterval(() => http1.closeIdleConnections(), 50);
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      }, deadlineMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
      http1.close();
    },
  };
}

/** Waits for the bytes that decide, gives them back to the socket, and calls `decided` once. */
function readFirstBytes(socket: Socket, timeoutMs: number, decided: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("data", onData);
    socket.off("end", onEnd);
  };
  const onEnd = (): void => {
    stop();
    socket.destroy();
  };
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const known = Math.min(seen.length, PREFACE_START.length);
    const mayBeHttp2 = seen.subarray(0, known).equals(PREFACE_START.subarray(0, known));
    if (mayBeHttp2 && known < PREFACE_START.length) return;
    stop();
    socket.pause();
    socket.unshift(seen);
    decided(mayBeHttp2);
    process.nextTick(() => socket.resume());
  };
  socket.on("close", () => clearTimeout(timer));
  socket.on("end", onEnd);
  socket.on("data", onData);
}
