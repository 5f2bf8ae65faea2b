import { describe, expect, it, onTestFinished } from "vitest";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { DialerOptions } from "../dialer.ts";
import { eventually, fakeResolve, useDialer, useServer, useTcpServer } from "../testing.ts";
import { startGuardedProxy, type GuardedProxy } from "./guarded-proxy.ts";
import type { ProxyLimits } from "./proxy-limits.ts";

async function useProxy(options: DialerOptions = {}, limits: Partial<ProxyLimits> = {}): Promise<GuardedProxy> {
  const proxy = await startGuardedProxy(useDialer(options), { limits });
  onTestFinished(proxy.close);
  return proxy;
}

function credentials(proxy: GuardedProxy): string {
  return `Basic ${Buffer.from(`${proxy.username}:${proxy.password}`).toString("base64")}`;
}

interface Given {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A plain request as a proxy's client sends it. */
function ask(proxy: GuardedProxy, url: string, given: Given = {}): Promise<{ reply: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(proxy.url, {
      path: url,
      method: given.method ?? "GET",
      headers: { "proxy-authorization": credentials(proxy), host: "whatever.example", ...given.headers },
    });
    request.on("error", reject);
    request.on("response", (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("error", reject);
      reply.on("end", () => resolve({ reply, body: Buffer.concat(chunks) }));
    });
    request.end(given.body);
  });
}

/** Sends a CONNECT; gives the socket and what the proxy answered. */
async function tunnel(proxy: GuardedProxy, authority: string, lines = ""): Promise<{ socket: Socket; answer: string }> {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on("error", () => undefined); // cut on purpose
  const authorization = lines === "" ? `Proxy-Authorization: ${credentials(proxy)}\r\n` : lines;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const answer = await new Promise<string>((resolve) =>
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString())),
  );
  return { socket, answer };
}

/** Nothing is opened, and no name leads anywhere. */
const CLOSED: DialerOptions = { allowPrivateHosts: [], resolve: fakeResolve({}) };
const PRIVATE = ["10.0.0.1:80", "127.0.0.2:80", "[::1]:443", "169.254.169.254:80", "localhost.:80", "2130706434:80"];

describe("a plain request through the proxy", () => {
  it("arrives with its own headers, body and encoding, and the reply comes back as it is", async () => {
    const seen: string[] = [];
    const server = await useServer((request, response) => {
      request.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
      request.on("end", () => {
        seen.push(JSON.stringify(request.headers));
        response.setHeader("set-cookie", ["a=1", "b=2"]);
        response.writeHead(201, { "content-encoding": "gzip", "x-a": "1" }).end(gzipSync("hello"));
      });
    });
    const proxy = await useProxy();
    const headers = { cookie: "s=1", "x-own": "1", connection: "x-hop", "x-hop": "1", "user-agent": "Browser/1" };
    const { reply, body } = await ask(proxy, `${server.url}/p?q`, { method: "POST", headers, body: "data" });
    expect([reply.statusCode, reply.headers["set-cookie"], reply.headers["x-a"]]).toEqual([201, ["a=1", "b=2"], "1"]);
    expect(body).toEqual(gzipSync("hello"));
    expect(seen[0]).toBe("data");
    expect(JSON.parse(seen[1] ?? "")).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: "keep-alive",
      accept: "*/*",
      "accept-encoding": "gzip, br, zstd, deflate",
      "content-length": "4",
      cookie: "s=1",
      "user-agent": "Browser/1",
      "x-own": "1",
    });
  });

  it("gets a redirect as it is: the browser follows it through the proxy again", async () => {
    const server = await useServer((_request, response) =>
      response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
    );
    const { reply } = await ask(await useProxy(), server.url);
    expect([reply.statusCode, reply.headers.location]).toEqual([302, "http://10.0.0.1/"]);
  });

  it.each(PRIVATE)("is refused for %s", async (host) => {
    const { reply, body } = await ask(await useProxy(CLOSED), `http://${host}/`);
    expect(reply.statusCode).toBe(403);
    expect(body.toString()).toContain("QUARRY_ALLOW_PRIVATE_HOSTS");
  });

  it.each([
    ["/東京.js", "/%E6%9D%B1%E4%BA%AC.js"],
    ["/straße", "/stra%C3%9Fe"],
  ])("gets a redirect to %s in raw UTF-8 where that leads", async (path, escaped) => {
    const server = await useServer((request, response) => {
      response.writeHead(302, { location: Buffer.from(path).toString("latin1") }).end();
    });
    const { reply } = await ask(await useProxy(), `${server.url}/`);
    expect(reply.headers.location).toBe(server.url + escaped);
  });

  it("is refused for a name that leads inside", async () => {
    const proxy = await useProxy({ allowPrivateHosts: [], resolve: fakeResolve({ "a.example": [["10.0.0.1"]] }) });
    expect((await ask(proxy, "http://a.example/")).reply.statusCode).toBe(403);
  });

  it.each([
    ["no whole URL", "/path", {}, 400],
    ["another scheme", "ftp://a.example/", {}, 400],
    ["https without CONNECT", "https://a.example/", {}, 400],
    ["a method that is not forwarded", "http://a.example/", { method: "TRACE" }, 405],
    ["too large a body", "http://a.example/", { method: "POST", body: Buffer.alloc(2_000) }, 413],
    ["no such host", "http://nowhere.example/", {}, 502],
  ])("is answered when it has %s", async (_name, url, given, status) => {
    const proxy = await useProxy({ resolve: fakeResolve({}) }, { maxRequestBytes: 1_000 });
    expect((await ask(proxy, url, given)).reply.statusCode).toBe(status);
  });

  it("is answered with 504 when the far end is slow, and cut when a body is too large", async () => {
    const slow = await useServer(() => undefined);
    const large = await useServer((_request, response) => {
      response.write(Buffer.alloc(100_000));
      response.write(Buffer.alloc(100_000));
    });
    const hasty = await useProxy({ limits: { headersMs: 50 } });
    expect((await ask(hasty, slow.url)).reply.statusCode).toBe(504);
    const narrow = await useProxy({ limits: { maxWireBytes: 150_000 } });
    await expect(ask(narrow, large.url)).rejects.toThrow();
    await eventually(() => slow.open() === 0 && large.open() === 0);
  });

  it("ends at the far end when the client leaves", async () => {
    const server = await useServer(() => undefined);
    const proxy = await useProxy();
    const request = httpRequest(proxy.url, {
      path: server.url,
      headers: { "proxy-authorization": credentials(proxy) },
    });
    request.on("error", () => undefined); // destroyed on purpose
    request.end();
    await eventually(() => server.open() === 1);
    request.destroy();
    await eventually(() => server.open() === 0);
  });
});

describe("a tunnel", () => {
  it("carries bytes both ways, until one side ends", async () => {
    const server = await useTcpServer((socket) =>
      socket.on("data", (chunk: Buffer) => socket.end(`got ${chunk.toString()}`)),
    );
    const { socket, answer } = await tunnel(await useProxy(), `127.0.0.1:${server.port}`);
    expect(answer).toBe("HTTP/1.1 200 Connection Established\r\n\r\n");
    const received: string[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk.toString()));
    socket.write("ping");
    await eventually(() => received.join("") === "got ping" && server.open() === 0);
  });

  it.each([...PRIVATE, "127.0.0.1:22", "metadata.google.internal:80", "wpad:80"])(
    "is refused to %s",
    async (authority) => {
      const { answer } = await tunnel(await useProxy(CLOSED), authority);
      expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    },
  );

  it.each(["a.example", "a.example:99999", "user@a.example:443", "a.example:443/path", "[::1%25lo]:443", ":443"])(
    "needs a host and a port: %s",
    async (authority) => {
      const { answer } = await tunnel(await useProxy(CLOSED), authority);
      expect(answer).toMatch(/^HTTP\/1\.1 (400|403) /);
    },
  );

  it("is cut at its limits of bytes, silence and time, and with the proxy", async () => {
    const flood = await useTcpServer((socket) => {
      const timer = setInterval(() => socket.write(Buffer.alloc(10_000)), 5);
      socket.on("close", () => clearInterval(timer));
    });
    const mute = await useTcpServer((socket) => socket.resume());
    const proxies = [
      [await useProxy({}, { maxTunnelBytes: 50_000 }), flood],
      [await useProxy({}, { tunnelIdleMs: 50 }), mute],
      [await useProxy({}, { tunnelTotalMs: 100 }), flood],
    ] as const;
    for (const [proxy, server] of proxies) {
      const { socket } = await tunnel(proxy, `127.0.0.1:${server.port}`);
      socket.resume();
      await eventually(() => socket.destroyed && server.open() === 0);
    }
    const proxy = await useProxy();
    const { socket } = await tunnel(proxy, `127.0.0.1:${mute.port}`);
    await proxy.close();
    await eventually(() => socket.destroyed && mute.open() === 0);
  });
});

describe("without the password", () => {
  it.each(["", "Basic x", "Bearer y", `Basic ${Buffer.from("quarry:guess").toString("base64")}`])(
    "%j opens nothing",
    async (authorization) => {
      const server = await useServer((_request, response) => response.end("x"));
      const proxy = await useProxy();
      const { reply } = await ask(proxy, server.url, { headers: { "proxy-authorization": authorization } });
      expect([reply.statusCode, reply.headers["proxy-authenticate"]]).toEqual([407, 'Basic realm="quarry"']);
      const { answer } = await tunnel(proxy, `127.0.0.1:${server.port}`, `Proxy-Authorization: ${authorization}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 407 /);
      expect(server.accepted()).toBe(0);
    },
  );
});
