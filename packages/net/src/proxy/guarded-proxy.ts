import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Dialer } from "../dialer.ts";
import { withLimits } from "../limits.ts";
import { forward } from "./forward.ts";
import { DEFAULT_PROXY_LIMITS, type ProxyLimits } from "./proxy-limits.ts";
import { openTunnel } from "./tunnel.ts";

/** A running proxy; what a browser needs to use it. */
export interface GuardedProxy {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly username: string;
  /** A secret of this proxy: without it every request gets 407. */
  readonly password: string;
  /** Cuts every client off and stops listening. */
  readonly close: () => Promise<void>;
}

/** Longer than this nobody needs to send a request's headers from the same machine. */
const HEADERS_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Starts an HTTP proxy on loopback for programs that dial by themselves, such
 * as a browser: plain requests and CONNECT tunnels go out through the dialer,
 * under its guard. A refusal is a 403 that says why, no answer a 502 or 504.
 * The caller closes it; the dialer stays the caller's.
 */
export async function startGuardedProxy(
  dialer: Dialer,
  options: { readonly limits?: Partial<ProxyLimits> } = {},
): Promise<GuardedProxy> {
  const limits = withLimits(DEFAULT_PROXY_LIMITS, options.limits);
  const username = "quarry";
  const password = randomBytes(24).toString("base64url");
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  const clients = new Set<Socket>();

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS });
  server.maxConnections = limits.maxClients;
  server.on("connection", (socket) => {
    clients.add(socket);
    socket.on("error", () => socket.destroy()); // a client that went away
    socket.on("close", () => clients.delete(socket));
  });
  server.on("request", (request, response) => {
    if (!isAuthorized(request, expected)) {
      response.writeHead(407, CHALLENGE).end("the proxy's user name and password are needed");
      return;
    }
    void forward(dialer, request, response, limits); // answers on the response; never rejects
  });
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
    if (!isAuthorized(request, expected)) {
      client.end(`HTTP/1.1 407 Proxy Authentication Required\r\n${CHALLENGE_LINES}Content-Length: 0\r\n\r\n`);
      return;
    }
    void openTunnel(dialer, { authority: request.url ?? "", client, head }, limits); // answers on the socket; never rejects
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });

  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    username,
    password,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

const CHALLENGE = { "proxy-authenticate": 'Basic realm="quarry"' };
const CHALLENGE_LINES = 'Proxy-Authenticate: Basic realm="quarry"\r\n';

function isAuthorized(request: IncomingMessage, expected: Buffer): boolean {
  const given = Buffer.from(request.headers["proxy-authorization"] ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
