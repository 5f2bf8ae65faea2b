import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { AskEndpoint, EndpointReply } from "./upstream-provider.ts";

/** What a provider's server was asked. */
export interface AskedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A provider's server on loopback that lives as long as the test, and what it was asked so far. */
export async function useProviderServer(
  answer: (request: AskedRequest, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly asked: readonly AskedRequest[] }> {
  const asked: AskedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = {
        method: request.method ?? "",
        url: new URL(request.url ?? "/", "http://provider"),
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Asks over real HTTP, as the server's own dialer does; `timeoutMs` replaces the one that is asked for. */
export function askByHttp(timeoutMs?: number): AskEndpoint {
  return (wish, signal) =>
    new Promise<EndpointReply>((resolve, reject) => {
      const sent = httpRequest(wish.url, { method: wish.method, headers: { ...wish.headers }, signal }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const seconds = Number(response.headers["retry-after"]);
          resolve({
            kind: "reply",
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString("utf8"),
            retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
          });
        });
      });
      sent.setTimeout(timeoutMs ?? wish.timeoutMs, () => sent.destroy(new Error("no answer in time")));
      sent.on("error", (error) => {
        if (signal.aborted) reject(error);
        else resolve({ kind: "failed", reason: error.message });
      });
      sent.end(wish.body);
    });
}
