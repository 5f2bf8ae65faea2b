import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { readBody } from "./body/read-body.ts";
import { eventually, openTo, useDialer, useServer, useTcpServer } from "./testing.ts";

/** Whatever the phase: the call rejects with the caller's reason, and no connection is left. */
describe("an abort", () => {
  const reason = new Error("the user went away");

  it("before the start sends nothing", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    await expect(useDialer().fetch({ url: server.url }, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.accepted()).toBe(0);
  });

  it("during the lookup", async () => {
    const stop = new AbortController();
    const dialer = useDialer({
      resolve: () => {
        setImmediate(() => stop.abort(reason));
        return new Promise(() => undefined);
      },
    });
    await expect(dialer.fetch({ url: "http://a.example/" }, stop.signal)).rejects.toBe(reason);
  });

  it("during the connection, which is closed even if it comes later", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    const stop = new AbortController();
    let finish: (() => void) | undefined;
    const late: Socket[] = [];
    const dialer = useDialer({
      openSocket: async (address, port, signal) => {
        setImmediate(() => stop.abort(reason));
        await new Promise<void>((resolve) => (finish = resolve));
        const socket = await openTo(() => server.port)(address, port, signal);
        late.push(socket);
        return socket;
      },
    });
    await expect(dialer.fetch({ url: "http://93.184.215.14/" }, stop.signal)).rejects.toBe(reason);
    finish?.();
    await eventually(() => late.length === 1 && server.open() === 0 && late[0]?.destroyed === true);
  });

  verifies("security:dialer:abort", "during the handshake", async () => {
    const stop = new AbortController();
    const server = await useTcpServer((socket) => socket.once("data", () => stop.abort(reason)));
    const dialer = useDialer();
    await expect(dialer.fetch({ url: `https://127.0.0.1:${server.port}/` }, stop.signal)).rejects.toBe(reason);
    await eventually(() => server.open() === 0);
  });

  verifies("security:dialer:abort", "while waiting for headers", async () => {
    const stop = new AbortController();
    const server = await useServer(() => stop.abort(reason));
    const dialer = useDialer();
    await expect(dialer.fetch({ url: server.url }, stop.signal)).rejects.toBe(reason);
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });

  it("while waiting for a free connection, without harm to the one that uses it", async () => {
    const stop = new AbortController();
    let answer: (() => void) | undefined;
    const server = await useServer((_request, response) => (answer = () => response.end("first")));
    const dialer = useDialer({ limits: { maxConnectionsPerOrigin: 1 } });
    const first = dialer.fetch({ url: server.url }, new AbortController().signal);
    await eventually(() => answer !== undefined);
    const second = dialer.fetch({ url: server.url }, stop.signal);
    stop.abort(reason);
    await expect(second).rejects.toBe(reason);
    answer?.();
    const reply = await first;
    if (reply.kind !== "reply") throw new Error(reply.kind);
    expect(await readBody(reply)).toEqual({ kind: "read", bytes: Buffer.from("first") });
    expect(server.accepted()).toBe(1);
  });

  it.each(["identity", "gzip"])("in the middle of a body (%s)", async (coding) => {
    const stop = new AbortController();
    const server = await useServer((_request, response) => {
      response.writeHead(200, { "content-encoding": coding });
      // the first bytes of a gzip stream, then silence
      response.write(coding === "gzip" ? Buffer.from("1f8b0800000000000003", "hex") : "begin");
    });
    const dialer = useDialer();
    const reply = await dialer.fetch({ url: server.url }, stop.signal);
    if (reply.kind !== "reply") throw new Error(reply.kind);
    const reading = readBody(reply);
    setTimeout(() => stop.abort(reason), 10);
    await expect(reading).rejects.toBe(reason);
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });

  it("between redirects", async () => {
    const stop = new AbortController();
    const server = await useServer((request, response) => {
      if (request.url === "/2") stop.abort(reason);
      response.writeHead(302, { location: `/${Number(request.url?.slice(1)) + 1}` }).end();
    });
    const dialer = useDialer();
    await expect(dialer.fetch({ url: `${server.url}/0` }, stop.signal)).rejects.toBe(reason);
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });

  it("after the reply was read changes nothing, and leaves no listener behind", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    const stop = new AbortController();
    const dialer = useDialer();
    for (let count = 0; count < 50; count += 1) {
      const reply = await dialer.fetch({ url: server.url }, stop.signal);
      if (reply.kind !== "reply") throw new Error(reply.kind);
      await readBody(reply);
    }
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    stop.abort(reason);
    expect([server.accepted(), dialer.openConnections()]).toEqual([1, 1]);
  });

  it("is what leaving a body early, or discarding it, amounts to", async () => {
    const server = await useServer((_request, response) => response.write("x".repeat(500_000)));
    const dialer = useDialer();
    const signal = new AbortController().signal;
    const left = await dialer.fetch({ url: server.url }, signal);
    if (left.kind !== "reply") throw new Error(left.kind);
    for await (const chunk of left.body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    const discarded = await dialer.fetch({ url: server.url }, signal);
    if (discarded.kind !== "reply") throw new Error(discarded.kind);
    discarded.discard();
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });
});
