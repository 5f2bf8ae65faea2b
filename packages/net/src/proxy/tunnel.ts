import type { Socket } from "node:net";
import type { Dialer } from "../dialer.ts";
import { statusOf } from "./forward.ts";
import type { ProxyLimits } from "./proxy-limits.ts";

/** What a CONNECT request brings. */
export interface TunnelRequest {
  /** `host:port`, as the client wrote it. */
  readonly authority: string;
  readonly client: Socket;
  /** What the client sent right behind its request. */
  readonly head: Buffer;
}

/** Answers a CONNECT: opens a checked connection and carries bytes both ways within the limits. Never rejects. */
export async function openTunnel(dialer: Dialer, request: TunnelRequest, limits: ProxyLimits): Promise<void> {
  const { client, head } = request;
  const gone = new AbortController();
  client.on("close", () => gone.abort());
  const peer = parseAuthority(request.authority);
  if (peer === undefined) {
    answer(client, 400, "CONNECT needs host:port");
    return;
  }
  try {
    const outcome = await dialer.connect(peer, gone.signal);
    if (outcome.kind !== "opened") {
      answer(client, statusOf(outcome), outcome.kind === "refused" ? outcome.message : outcome.error.message);
      return;
    }
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) outcome.socket.write(head);
    join(client, outcome.socket, limits);
  } catch {
    client.destroy(); // dialing rejects only when the client left
  }
}

function parseAuthority(text: string): { readonly host: string; readonly port: number } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+):(\d{1,5})$/i.exec(text);
  const [, host, port] = match ?? [];
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

/** Carries bytes until both sides are done, one is gone, or a limit is reached; then both are closed. */
function join(client: Socket, far: Socket, limits: ProxyLimits): void {
  let bytes = 0;
  const cut = (): void => {
    clearTimeout(timer);
    client.destroy();
    far.destroy();
  };
  const timer = setTimeout(cut, limits.tunnelTotalMs);
  for (const [socket, other] of [
    [client, far],
    [far, client],
  ] as const) {
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.maxTunnelBytes) cut();
    });
    socket.on("error", cut);
    socket.on("close", () => {
      clearTimeout(timer);
      other.destroySoon(); // what was received is still handed on
    });
  }
  client.setTimeout(limits.tunnelIdleMs, cut); // bytes of either direction pass here
  client.pipe(far).pipe(client);
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  502: "Bad Gateway",
  504: "Gateway Timeout",
};

function answer(client: Socket, status: number, message: string): void {
  const body = `${message}\n`;
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
  client.end(`HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n${headers}\r\n${body}`);
}
