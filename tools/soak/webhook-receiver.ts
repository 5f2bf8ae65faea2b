import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as a receiver got it. */
export interface ReceivedDelivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
}

/** How a receiver answers; whatever it does not end itself hangs. */
export type Answer = (delivery: ReceivedDelivery, response: ServerResponse) => void;

/** A program on loopback that webhooks send to. */
export interface WebhookReceiver {
  /** Without a path. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts one on a port of its own. */
export async function startWebhookReceiver(answer: Answer): Promise<WebhookReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () =>
      answer({ path: request.url ?? "", headers: request.headers, rawBody: Buffer.concat(chunks) }, response),
    );
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // cut on purpose
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** One header; of a repeated one the first. */
export function headerOf(delivery: ReceivedDelivery, name: string): string | undefined {
  const value = delivery.headers[name];
  return typeof value === "string" ? value : value?.[0];
}
