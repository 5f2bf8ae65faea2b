import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createTrustedDialer, type Dialer } from "@quarry/net";

/** One request that a test model server got. */
export interface SeenModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers one request; `tries` counts from 1. */
export type ModelAnswer = (request: SeenModelRequest, response: ServerResponse, tries: number) => void;

/** A server on loopback that speaks, or should speak, OpenAI's protocol. */
export interface TestModelServer {
  readonly url: string;
  readonly seen: readonly SeenModelRequest[];
  /** Reaches this server, and never waits between tries but notes how long it would have. */
  readonly deps: { readonly fetch: Dialer["fetch"]; readonly wait: (milliseconds: number) => Promise<void> };
  readonly waits: readonly number[];
  /** Connections the other side ended before the answer was whole. */
  readonly abandoned: () => number;
  readonly close: () => Promise<void>;
}

/** Starts a model server whose replies `answer` writes. */
export async function startTestModelServer(answer: ModelAnswer): Promise<TestModelServer> {
  const seen: SeenModelRequest[] = [];
  const waits: number[] = [];
  let abandoned = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on("close", () => {
      if (!response.writableFinished) abandoned += 1;
    });
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      // A GET has none: a server's check asks which models there are.
      const text = Buffer.concat(chunks).toString();
      const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      const made = { path: request.url ?? "", headers: request.headers, body };
      seen.push(made);
      answer(made, response, seen.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const dialer = createTrustedDialer([url]);
  return {
    url,
    seen,
    waits,
    abandoned: () => abandoned,
    deps: { fetch: dialer.fetch, wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)) },
    close: async () => {
      await dialer.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
