import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from "node:net";
import { onTestFinished } from "vitest";
import type { OpenSocket } from "./connection/open-socket.ts";
import type { ResolveHost } from "./connection/resolve-host.ts";
import { createDialer, type Dialer, type DialerOptions } from "./dialer.ts";

/** A server on loopback that lives as long as the test. */
export interface TestServer {
  readonly port: number;
  /** `http://127.0.0.1:port`, without a final slash. */
  readonly url: string;
  /** Connections ever accepted. */
  readonly accepted: () => number;
  /** Connections open now. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

/** Serves HTTP on loopback until the test ends. */
export async function useServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  const listener: RequestListener = handle;
  return listen(createServer({ keepAliveTimeout: 60_000 }, listener));
}

/** Serves bare TCP on loopback until the test ends. */
export async function useTcpServer(handle: (socket: Socket) => void): Promise<TestServer> {
  return listen(createTcpServer(handle));
}

/** Starts a server that was made elsewhere, and counts its connections. */
export async function listen(server: Server | TcpServer): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined); // tests cut connections on purpose
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(close);
  return { port, url: `http://127.0.0.1:${port}`, accepted: () => accepted, open: () => sockets.size, close };
}

/** A dialer that is closed with the test. It may reach loopback unless the options say otherwise. */
export function useDialer(options: DialerOptions = {}): Dialer {
  return closeWithTest(createDialer({ allowPrivateHosts: ["127.0.0.1", "localhost"], ...options }));
}

/** Closes a dialer when the test ends. */
export function closeWithTest(dialer: Dialer): Dialer {
  onTestFinished(() => dialer.close());
  return dialer;
}

/** A resolver that knows only these names; one given several answers goes from each to the next. */
export function fakeResolve(answers: Readonly<Record<string, readonly (readonly string[])[]>>): ResolveHost {
  const asked = new Map<string, number>();
  return (host) => {
    const known = answers[host];
    const turn = asked.get(host) ?? 0;
    asked.set(host, turn + 1);
    const answer = known?.[Math.min(turn, known.length - 1)];
    if (answer !== undefined) return Promise.resolve(answer);
    return Promise.reject(Object.assign(new Error(`no such host: ${host}`), { code: "ENOTFOUND" }));
  };
}

/** Opens every connection to a loopback port of the test's choice; undefined refuses it. */
export function openTo(choose: (address: string, port: number) => number | undefined): OpenSocket {
  return (address, port) =>
    new Promise((resolve, reject) => {
      const chosen = choose(address, port);
      if (chosen === undefined) {
        reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
        return;
      }
      const socket = connect(chosen, "127.0.0.1", () => resolve(socket));
      socket.on("error", reject);
    });
}

/** Waits until `check` holds; fails the test after two seconds. */
export async function eventually(check: () => boolean): Promise<void> {
  const until = Date.now() + 2_000;
  while (!check()) {
    if (Date.now() > until) throw new Error("did not come true within two seconds");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
