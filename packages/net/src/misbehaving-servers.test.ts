import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { readBody } from "./body/read-body.ts";
import type { Dialer } from "./dialer.ts";
import type { RequestLimits } from "./limits.ts";
import { BodyStopError } from "./outcome.ts";
import { eventually, useDialer, useServer, useTcpServer, type TestServer } from "./testing.ts";

const never = new AbortController().signal;
const MIB = 1024 * 1024;

/** Dials and reads to the end; after a failure or a refusal nothing may be left open but a connection kept in the pool. */
async function visit(server: TestServer, limits: Partial<RequestLimits> = {}, dialer: Dialer = useDialer()) {
  const reply = await dialer.fetch({ url: server.url, limits }, never);
  const outcome = reply.kind === "reply" ? await readBody(reply) : reply;
  if (outcome.kind !== "read") await eventually(() => server.open() === dialer.openConnections());
  return outcome;
}

/** Writes without end, as fast as the other side reads. */
function flood(response: ServerResponse | Socket, chunk: Uint8Array | string): void {
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", write);
  write();
}

describe("time", () => {
  verifies("security:dialer:cap-time", "ends the wait for headers", async () => {
    const outcome = await visit(await useServer(() => undefined), { headersMs: 60 });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout", error: { code: "timeout", retryable: true } });
    expect(outcome).toHaveProperty("error.message", expect.stringContaining("no reply within 60 ms"));
  });

  it("ends headers that come letter by letter", async () => {
    const server = await useTcpServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("X-A: b\r\n"), 5);
      socket.on("close", () => clearInterval(timer));
      socket.resume();
    });
    expect(await visit(server, { headersMs: 100 })).toMatchObject({ kind: "failed", reason: "timeout" });
  });

  verifies("security:dialer:cap-time", "ends the wait for a body that pauses", async () => {
    const outcome = await visit(await useServer((_request, response) => response.write("begin")), { idleBodyMs: 60 });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    expect(outcome).toHaveProperty("error.message", expect.stringContaining("paused for more than 60 ms"));
  });

  verifies("security:dialer:cap-time", "ends a body that drips for ever", async () => {
    const server = await useServer((_request, response) => {
      const timer = setInterval(() => response.write("."), 5);
      response.on("close", () => clearInterval(timer));
    });
    const outcome = await visit(server, { idleBodyMs: 1_000, totalMs: 150 });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    expect(outcome).toHaveProperty("error.message", expect.stringContaining("not finished within 150 ms"));
  });

  it("does not count the reader's own pauses as the server's", async () => {
    const server = await useServer((_request, response) => response.end("x".repeat(200_000)));
    const idleBodyMs = 500; // a busy machine takes a while to bring even what is there
    const reply = await useDialer().fetch({ url: server.url, limits: { idleBodyMs } }, never);
    if (reply.kind !== "reply") throw new Error(reply.kind);
    let bytes = 0;
    for await (const chunk of reply.body) {
      if (bytes === 0) await new Promise((resolve) => setTimeout(resolve, idleBodyMs + 50));
      bytes += chunk.length;
    }
    expect(bytes).toBe(200_000);
  });

  verifies(
    "security:dialer:cap-time",
    "ends a name lookup, a connection and a handshake that never finish",
    async () => {
      const limits = { connectMs: 50 };
      const hanging = () => new Promise<never>(() => undefined);
      const mute = await useTcpServer((socket) => socket.resume());
      const outcomes = [
        await useDialer({ resolve: hanging }).fetch({ url: "http://a.example/", limits }, never),
        await useDialer({ openSocket: hanging }).fetch({ url: "http://93.184.215.14/", limits }, never),
        await useDialer().fetch({ url: `https://127.0.0.1:${mute.port}/`, limits }, never),
      ];
      for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
      await eventually(() => mute.open() === 0);
    },
  );

  it("ends a reply that nobody reads", async () => {
    const server = await useServer((_request, response) => flood(response, Buffer.alloc(65_536)));
    const dialer = useDialer();
    expect(await dialer.fetch({ url: server.url, limits: { totalMs: 700 } }, never)).toMatchObject({ kind: "reply" });
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });
});

describe("size", () => {
  verifies("security:dialer:cap-bytes", "refuses a body that says it has 10 GB, unread", async () => {
    const server = await useServer((_request, response) => {
      response.writeHead(200, { "content-length": String(10 * 1024 ** 3) }).write("begin");
    });
    const outcome = await useDialer().fetch({ url: server.url }, never);
    expect(outcome).toMatchObject({ kind: "refused", reason: "body-too-large" });
    expect(outcome).toHaveProperty("message", expect.stringContaining("10737418240 bytes"));
    await eventually(() => server.open() === 0);
  });

  verifies(["security:dialer:cap-bytes", "promises:t15:bombs"], "stops an endless body at the limit", async () => {
    let sent = 0;
    const server = await useServer((_request, response) => {
      response.on("close", () => (sent = response.socket?.bytesWritten ?? sent));
      flood(response, Buffer.alloc(65_536, "x"));
    });
    const outcome = await visit(server, { maxBytes: MIB, maxWireBytes: MIB });
    expect(outcome).toMatchObject({ kind: "refused", reason: "body-too-large" });
    expect(sent).toBeLessThan(20 * MIB);
  });

  it("lets a body of exactly the limit through, and none of one byte more", async () => {
    const server = await useServer((_request, response) => {
      response.write("x".repeat(500));
      response.end("x".repeat(500));
    });
    const dialer = useDialer();
    const tooLarge = { kind: "refused", reason: "body-too-large" };
    expect(await visit(server, { maxBytes: 1_000 }, dialer)).toMatchObject({ kind: "read" });
    expect(await visit(server, { maxBytes: 999 }, dialer)).toMatchObject(tooLarge);
    expect(await visit(server, { maxWireBytes: 999 }, dialer)).toMatchObject(tooLarge);
  });

  verifies("security:dialer:cap-headers", "refuses a flood of headers", async () => {
    const many = await useTcpServer((socket) => {
      socket.resume().write("HTTP/1.1 200 OK\r\n");
      flood(socket, `X-Flood: ${"y".repeat(1_000)}\r\n`);
    });
    const long = await useTcpServer((socket) => {
      socket.resume().write("HTTP/1.1 200 OK\r\nX-Long: ");
      flood(socket, "y".repeat(65_536));
    });
    for (const server of [many, long]) {
      expect(await visit(server)).toMatchObject({ kind: "refused", reason: "headers-too-large" });
    }
  });

  it("hands a streaming reader the limit as an error that says why", async () => {
    const server = await useServer((_request, response) => flood(response, Buffer.alloc(65_536)));
    const dialer = useDialer();
    const reply = await dialer.fetch({ url: server.url, limits: { maxBytes: 100_000 } }, never);
    if (reply.kind !== "reply") throw new Error(reply.kind);
    const read = async (): Promise<void> => {
      for await (const chunk of reply.body) expect(chunk.length).toBeGreaterThan(0);
    };
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BodyStopError);
    expect(error).toMatchObject({ code: "too_large", stop: { reason: "body-too-large" } });
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });
});

describe("compressed bodies", () => {
  const zeros = Buffer.alloc(64 * MIB);
  /** A zstd frame of 128 KiB blocks, each the same byte. */
  const zstdBomb = (blocks: number): Buffer =>
    Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]),
      Buffer.alloc(4 * (blocks - 1), Buffer.from([0x02, 0x00, 0x10, 0x00])),
      Buffer.from([0x03, 0x00, 0x10, 0x00]),
    ]);

  const bombs = [
    ["gzip", gzipSync(zeros)],
    ["br", brotliCompressSync(zeros)],
    ["deflate", deflateSync(zeros)],
    ["deflate", deflateRawSync(zeros)],
    ["zstd", zstdBomb(100_000)],
    ["gzip, gzip", gzipSync(gzipSync(zeros))],
    ["br, gzip", gzipSync(brotliCompressSync(zeros))],
  ] as const;
  for (const [coding, bytes] of bombs) {
    const name = `are refused when they are bombs: ${coding} of ${bytes.length} bytes`;
    verifies(["security:dialer:cap-decompression", "promises:t15:bombs"], name, async () => {
      const server = await useServer((_request, response) => {
        response.writeHead(200, { "content-encoding": coding }).end(bytes);
      });
      const before = process.memoryUsage().rss;
      const outcome = await visit(server, { maxBytes: 1024 * MIB });
      expect(outcome).toMatchObject({ kind: "refused", reason: "decompression-bomb" });
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
    });
  }

  it("are held to the limit of decoded bytes", async () => {
    const server = await useServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(900_000)));
    });
    expect(await visit(server, { maxBytes: 800_000 })).toMatchObject({ kind: "refused", reason: "body-too-large" });
    expect(await visit(server)).toMatchObject({ kind: "read" });
  });

  it.each(["gzip", "br", "deflate", "zstd"])("that are no %s, or only half, are failures", async (coding) => {
    const server = await useServer((_request, response) => {
      response.writeHead(200, { "content-encoding": coding }).end("<html>not compressed at all</html>");
    });
    const outcome = await visit(server);
    expect(outcome).toMatchObject({ kind: "failed", reason: "decode", error: { retryable: false } });
  });

  it("in a coding we cannot undo are refused, unless asked for raw", async () => {
    const server = await useServer((_request, response) => {
      response.writeHead(200, { "content-encoding": "compress" }).end("packed");
    });
    const dialer = useDialer();
    expect(await visit(server, {}, dialer)).toMatchObject({ kind: "refused", reason: "unsupported-encoding" });
    const reply = await dialer.fetch({ url: server.url, decoding: "raw" }, never);
    if (reply.kind !== "reply") throw new Error(reply.kind);
    expect(await readBody(reply)).toEqual({ kind: "read", bytes: Buffer.from("packed") });
  });
});

describe("broken replies", () => {
  const speaking = (text: string, end: "end" | "reset" | "stay" = "end"): Promise<TestServer> =>
    useTcpServer((socket) => {
      socket.once("data", () => {
        socket.write(text, () => {
          if (end === "end") socket.end();
          if (end === "reset") setTimeout(() => socket.resetAndDestroy(), 20);
        });
      });
    });

  it.each([
    ["a body shorter than its length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "end", "reset"],
    ["a reset in the body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "reset", "reset"],
    [
      "a chunked body that stops",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "end",
      "reset",
    ],
    ["a reset before the headers", "", "reset", "reset"],
    ["half of the headers", "HTTP/1.1 200 OK\r\nContent-", "end", "reset"],
    ["an end before anything", "", "end", "reset"],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "stay", "protocol"],
    ["a chunk length that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "stay", "protocol"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", "stay", "reset"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "stay",
      "reset",
    ],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "stay", "protocol"],
  ] as const)("are failures: %s", async (_name, text, end, reason) => {
    expect(await visit(await speaking(text, end))).toMatchObject({ kind: "failed", reason });
  });

  it("give the bytes that were declared when more follow, and the connection is not used again", async () => {
    const server = await speaking(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\nsmuggled",
      "stay",
    );
    const dialer = useDialer();
    for (let count = 1; count <= 2; count += 1) {
      expect(await visit(server, {}, dialer)).toEqual({ kind: "read", bytes: Buffer.from("hello") });
      await eventually(() => dialer.openConnections() === 0);
    }
    expect(server.accepted()).toBe(2);
  });

  it("may end with the connection when they have no length", async () => {
    const server = await speaking("HTTP/1.0 200 OK\r\n\r\nold but fine");
    expect(await visit(server)).toEqual({ kind: "read", bytes: Buffer.from("old but fine") });
  });

  it("may be preceded by interim ones", async () => {
    const server = await speaking(
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "stay",
    );
    expect(await visit(server)).toEqual({ kind: "read", bytes: Buffer.from("ok") });
  });

  it("include nobody listening, and no such name", async () => {
    const server = await useServer(() => undefined);
    await server.close();
    const dialer = useDialer({
      resolve: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
    });
    expect(await dialer.fetch({ url: server.url }, never)).toMatchObject({
      kind: "failed",
      reason: "connect",
      error: { code: "upstream_failed", retryable: true },
    });
    expect(await dialer.fetch({ url: "http://nowhere.example/" }, never)).toMatchObject({
      kind: "failed",
      reason: "dns",
      error: { retryable: false },
    });
  });
});
