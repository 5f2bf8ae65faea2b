import { request as http1Request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as http2Connect, type ClientHttp2Session } from "node:http2";
import { connect as netConnect, type Socket } from "node:net";
import { answerSocketError } from "@quarry/doors";
import { verifies } from "@quarry/tests";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listenOnOnePort, type Listener, type ListenerLimits } from "./one-port-listener.ts";

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

/** Requests to `/slow` that have arrived. */
let slowRequests = 0;

/** Echoes version, method and body; `/slow` takes 300 ms; `/events` streams until the client or the deadline ends it. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => response.write("data: tick\n\n"), 10);
    response.on("close", () => clearInterval(timer));
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = `${request.httpVersion} ${request.method ?? ""} ${Buffer.concat(chunks).toString()}`;
    if (request.url === "/slow") slowRequests += 1;
    setTimeout(() => response.end(body), request.url === "/slow" ? 300 : 0);
  });
}

async function listen(limits: Partial<ListenerLimits> = {}): Promise<Listener> {
  const listener = await listenOnOnePort(echo, {
    host: "127.0.0.1",
    port: 0,
    limits,
    onClientError: answerSocketError,
  });
  open.push({ close: () => listener.close(0) });
  return listener;
}

function dial(listener: Listener): Socket {
  const socket = netConnect(listener.address.port, "127.0.0.1");
  socket.on("error", () => undefined);
  open.push({ close: () => socket.destroy() });
  return socket;
}

function overHttp1(listener: Listener, path: string, body = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http1Request(
      { port: listener.address.port, host: "127.0.0.1", path, method: "POST", agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () => resolve(text));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

function overHttp2(session: ClientHttp2Session, path: string, body = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path, ":method": "POST" });
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.on("end", () => resolve(text));
    stream.on("error", reject);
    stream.end(body);
  });
}

function dialHttp2(listener: Listener): ClientHttp2Session {
  const session = http2Connect(`http://127.0.0.1:${listener.address.port}`);
  session.on("error", () => undefined);
  open.push({ close: () => session.destroy() });
  return session;
}

function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("close", () => resolve(text));
  });
}

describe("listenOnOnePort", () => {
  verifies("server:port:http1-and-h2c", "serves HTTP/1.1 and HTTP/2 on one port", async () => {
    const listener = await listen();
    const session = dialHttp2(listener);
    const large = "x".repeat(300_000);
    expect(await overHttp1(listener, "/", "one")).toBe("1.1 POST one");
    expect(await overHttp2(session, "/", "two")).toBe("2.0 POST two");
    expect(await overHttp2(session, "/", large)).toBe(`2.0 POST ${large}`);
    expect(await overHttp1(listener, "/", large)).toBe(`1.1 POST ${large}`);
  });

  verifies("server:port:split-preface", "understands a preface in two pieces, wherever it is cut", async () => {
    for (const cut of [1, 2, 3, 5, 24]) await understandsCut(cut);
  });

  async function understandsCut(cut: number): Promise<void> {
    const listener = await listen();
    const socket = dial(listener);
    const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1");
    socket.write(preface.subarray(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.write(preface.subarray(cut));
    const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
    expect(first[3]).toBe(4); // the frame type of SETTINGS
  }

  it.each(["P", "PO", "POST", "G", "PU", "PA"])(
    "understands an HTTP/1.1 request that starts slowly with %s",
    async (start) => {
      const listener = await listen();
      const socket = dial(listener);
      const line = { P: "PUT", PO: "POST", POST: "POST", G: "GET", PU: "PUT", PA: "PATCH" }[start] ?? "";
      socket.write(start);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const reply = readAll(socket);
      socket.write(
        `${line.slice(start.length)} / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      expect(await reply).toContain(`1.1 ${line}`);
    },
  );

  it("hangs up on a connection that says nothing, or half a preface", async () => {
    const listener = await listen({ firstBytesTimeoutMs: 50 });
    const silent = dial(listener);
    const half = dial(listener);
    half.write("PR");
    expect(await Promise.all([readAll(silent), readAll(half)])).toEqual(["", ""]);
  });

  verifies(
    ["server:port:slow-headers", "server:port:garbage-bytes"],
    "answers 408 to headers that never end, 431 to headers that are too large, 400 to what is not HTTP",
    async () => {
      const listener = await listen({ headersTimeoutMs: 100 });
      const slow = dial(listener);
      slow.write("GET / HTTP/1.1\r\nhost: x\r\n");
      const large = dial(listener);
      large.write(`GET / HTTP/1.1\r\nhost: x\r\nx-large: ${"x".repeat(40_000)}\r\n\r\n`);
      const garbage = dial(listener);
      garbage.write("\x16\x03\x01 hello\r\n\r\n");
      const replies = await Promise.all([readAll(slow), readAll(large), readAll(garbage)]);
      expect(replies.map((reply) => reply.split("\r\n")[0])).toEqual([
        "HTTP/1.1 408 Request Timeout",
        "HTTP/1.1 431 Request Header Fields Too Large",
        "HTTP/1.1 400 Bad Request",
      ]);
    },
  );

  it("finishes what is under way when closed, in both protocols, then refuses", async () => {
    const listener = await listen();
    const session = dialHttp2(listener);
    await overHttp2(session, "/");
    slowRequests = 0;
    const running = [overHttp1(listener, "/slow", "a"), overHttp2(session, "/slow", "b")];
    await vi.waitUntil(() => slowRequests === 2);
    await listener.close(5_000);
    expect(await Promise.all(running)).toEqual(["1.1 POST a", "2.0 POST b"]);
    await expect(overHttp1(listener, "/")).rejects.toThrow("ECONNREFUSED");
  });

  it("cuts streams that outlast the deadline, idle and undecided connections included", async () => {
    const listener = await listen();
    const session = dialHttp2(listener);
    const stream = session.request({ ":path": "/events" });
    stream.on("error", () => undefined);
    const ended = new Promise<void>((resolve) => stream.on("close", () => resolve()));
    stream.resume();
    const events = dial(listener);
    events.write("GET /events HTTP/1.1\r\nhost: x\r\n\r\n");
    const undecided = dial(listener);
    const all = Promise.all([readAll(events), readAll(undecided), ended]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const started = Date.now();
    await listener.close(200);
    await all;
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  it("waits for no connection that has asked nothing", async () => {
    const listener = await listen();
    const undecided = dial(listener);
    await new Promise((resolve) => undecided.once("connect", resolve));
    await overHttp1(listener, "/"); // by now the other one was let in too
    const gone = readAll(undecided);
    const started = Date.now();
    await listener.close(60_000);
    await gone;
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it("says so when the port is taken", async () => {
    const listener = await listen();
    await expect(
      listenOnOnePort(echo, { host: "127.0.0.1", port: listener.address.port, onClientError: answerSocketError }),
    ).rejects.toThrow("EADDRINUSE");
  });
});
