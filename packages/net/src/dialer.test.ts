import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createDialer, createTrustedDialer } from "./dialer.ts";
import { readBody } from "./body/read-body.ts";
import { closeWithTest, eventually, fakeResolve, openTo, useDialer, useServer } from "./testing.ts";
import type { DialOutcome, DialReply } from "./reply.ts";

const never = new AbortController().signal;

function asReply(outcome: DialOutcome): DialReply {
  if (outcome.kind !== "reply") throw new Error(JSON.stringify(outcome));
  return outcome;
}

async function textOf(outcome: DialOutcome): Promise<string> {
  const body = await readBody(asReply(outcome));
  if (body.kind !== "read") throw new Error(JSON.stringify(body));
  return Buffer.from(body.bytes).toString();
}

function echo(request: IncomingMessage, response: ServerResponse): void {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }));
  });
}

describe("a reply", () => {
  it("carries where it came from, and its body", async () => {
    const server = await useServer((_request, response) => response.writeHead(200, { "x-test": "1" }).end("hello"));
    const reply = asReply(await useDialer().fetch({ url: `${server.url}/a?b#c` }, never));
    expect(reply).toEqual({
      kind: "reply",
      url: `${server.url}/a?b`,
      redirects: [],
      status: 200,
      headers: expect.objectContaining({ "x-test": "1" }) as unknown,
      location: undefined,
      remoteAddress: "127.0.0.1",
      body: expect.anything() as unknown,
      discard: expect.any(Function) as unknown,
    });
    expect(await textOf(reply)).toBe("hello");
  });

  it("can be read once; a second reader is told", async () => {
    const server = await useServer((_request, response) => response.end("hello"));
    const reply = asReply(await useDialer().fetch({ url: server.url }, never));
    expect(await textOf(reply)).toBe("hello");
    await expect(readBody(reply)).rejects.toThrow("only once");
  });

  it.each([404, 410, 429, 500, 503])("is a reply also with status %i", async (status) => {
    const server = await useServer((_request, response) => response.writeHead(status).end("sorry"));
    const reply = asReply(await useDialer().fetch({ url: server.url }, never));
    expect([reply.status, await textOf(reply)]).toEqual([status, "sorry"]);
  });

  it.each([
    ["HEAD", 200, 3], // undici never keeps a connection after HEAD: too many servers send a body all the same
    ["GET", 204, 1],
    ["GET", 304, 1],
  ] as const)("to %s with status %i has no body to wait for", async (method, status, connections) => {
    const server = await useServer((_request, response) => {
      response.writeHead(status, method === "HEAD" ? { "content-length": "99000000" } : {}).end();
    });
    const dialer = useDialer();
    for (let count = 0; count < 3; count += 1) {
      const reply = asReply(await dialer.fetch({ url: server.url, method }, never));
      expect([reply.status, await textOf(reply)]).toEqual([status, ""]);
    }
    expect(server.accepted()).toBe(connections);
  });

  it("sends the method, the headers and the body it was given, and our own", async () => {
    const server = await useServer(echo);
    const dialer = useDialer({ userAgent: "QuarryTest/1" });
    const headers = { "X-Key": "k", "Content-Type": "text/plain" };
    const outcome = await dialer.fetch({ url: `${server.url}/p`, method: "PUT", headers, body: "données" }, never);
    expect(JSON.parse(await textOf(outcome))).toEqual({
      method: "PUT",
      url: "/p",
      body: "données",
      headers: {
        host: `127.0.0.1:${server.port}`,
        connection: "keep-alive",
        accept: "*/*",
        "accept-encoding": "gzip, br, zstd, deflate",
        "user-agent": "QuarryTest/1",
        "content-length": "8",
        "content-type": "text/plain",
        "x-key": "k",
      },
    });
  });

  it.each([
    ["Host", "127.0.0.1"],
    ["host", "internal"],
    ["Connection", "close"],
    ["Transfer-Encoding", "chunked"],
    ["Content-Length", "3"],
    ["Proxy-Authorization", "Basic eA=="],
    ["x\r\ny", "1"],
    ["x", "1\r\nHost: inside"],
    ["x", "1\u0000"],
    ["", "1"],
  ])("is refused when the request sets %j to %j", async (name, value) => {
    const outcome = await useDialer().fetch({ url: "http://127.0.0.1:9999/", headers: { [name]: value } }, never);
    expect(outcome).toMatchObject({ kind: "refused", reason: "invalid-header" });
  });
});

describe("connections", () => {
  verifies("security:dialer:resolve-once-and-pin", "are kept and used again, with one lookup for all", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    let lookups = 0;
    const dialer = useDialer({
      resolve: () => {
        lookups += 1;
        return Promise.resolve(["127.0.0.1"]);
      },
    });
    for (let count = 0; count < 20; count += 1)
      await textOf(await dialer.fetch({ url: `http://a.example:${server.port}/` }, never));
    expect([server.accepted(), lookups, dialer.openConnections()]).toEqual([1, 1, 1]);
  });

  it("of one host are never used for another, even at the same address", async () => {
    const server = await useServer((request, response) => response.end(request.headers.host));
    const dialer = useDialer({ resolve: () => Promise.resolve(["127.0.0.1"]) });
    for (const host of ["a.example", "b.example"]) {
      const url = `http://${host}:${server.port}/`;
      expect(await textOf(await dialer.fetch({ url }, never))).toBe(`${host}:${server.port}`);
    }
    expect(server.accepted()).toBe(2);
  });

  verifies("security:dialer:resolve-once-and-pin", "are checked anew when a name changes between them", async () => {
    const server = await useServer((_request, response) => response.writeHead(200, { connection: "close" }).end("x"));
    const dialer = closeWithTest(
      createDialer({
        resolve: fakeResolve({ "a.example": [["93.184.215.14"], ["127.0.0.1"]] }),
        openSocket: openTo(() => server.port),
      }),
    );
    expect(await textOf(await dialer.fetch({ url: "http://a.example/" }, never))).toBe("x");
    expect(await dialer.fetch({ url: "http://a.example/" }, never)).toMatchObject({
      kind: "refused",
      reason: "private-address",
      message: expect.stringContaining("a.example leads to 127.0.0.1, which is loopback") as string,
    });
    expect(server.accepted()).toBe(1);
  });

  it("to one origin are limited; the others wait their turn", async () => {
    let busy = 0;
    let most = 0;
    const server = await useServer((_request, response) => {
      busy += 1;
      most = Math.max(most, busy);
      setTimeout(() => {
        busy -= 1;
        response.end("x");
      }, 5);
    });
    const dialer = useDialer({ limits: { maxConnectionsPerOrigin: 3 } });
    const texts = await Promise.all(
      Array.from({ length: 20 }, async () => textOf(await dialer.fetch({ url: server.url }, never))),
    );
    expect(texts).toEqual(Array.from({ length: 20 }, () => "x"));
    expect([most, server.accepted()]).toEqual([3, 3]);
  });

  it("in all are limited; an idle one makes room for another origin", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    const dialer = useDialer({ limits: { maxConnections: 2 }, resolve: () => Promise.resolve(["127.0.0.1"]) });
    const hosts = Array.from({ length: 10 }, (_value, index) => `http://h${index}.example:${server.port}/`);
    await Promise.all(hosts.map(async (url) => textOf(await dialer.fetch({ url }, never))));
    expect(dialer.openConnections()).toBeLessThanOrEqual(2);
    expect(server.accepted()).toBe(10);
  });

  it("are all given back after any mix of replies, failures and aborts", async () => {
    const server = await useServer((request, response) => {
      const turn = Number(request.url?.slice(1));
      if (turn % 5 === 0) request.socket.destroy();
      else if (turn % 5 === 1) setTimeout(() => response.end("late"), turn % 20);
      else if (turn % 5 === 2) response.writeHead(200, { connection: "close" }).end("x");
      else response.end("x");
    });
    const dialer = useDialer({
      limits: { maxConnections: 4, maxConnectionsPerOrigin: 2, headersMs: 500 },
      resolve: () => Promise.resolve(["127.0.0.1"]),
    });
    const visit = async (turn: number): Promise<void> => {
      const stop = new AbortController();
      if (turn % 3 === 0) setTimeout(() => stop.abort(), turn % 30);
      const url = `http://h${turn % 4}.example:${server.port}/${turn}`;
      const outcome = await dialer.fetch({ url }, stop.signal);
      if (outcome.kind !== "reply") return;
      if (turn % 7 === 0) outcome.discard();
      else await readBody(outcome);
    };
    await Promise.allSettled(Array.from({ length: 300 }, (_value, turn) => visit(turn)));
    expect(dialer.openConnections()).toBeLessThanOrEqual(4);
    await eventually(() => server.open() === dialer.openConnections());
    for (let host = 0; host < 4; host += 1) {
      expect(await textOf(await dialer.fetch({ url: `http://h${host}.example:${server.port}/3` }, never))).toBe("x");
    }
  });

  it("that the server closed unasked are replaced for a GET", async () => {
    let count = 0;
    const server = await useServer((request, response) => {
      count += 1;
      if (count === 2) request.socket.destroy();
      else response.end(`answer ${count}`);
    });
    const dialer = useDialer();
    expect(await textOf(await dialer.fetch({ url: server.url }, never))).toBe("answer 1");
    expect(await textOf(await dialer.fetch({ url: server.url }, never))).toBe("answer 3");
  });

  it("that break during a POST are not replaced: it may have been done", async () => {
    let count = 0;
    const server = await useServer((request, response) => {
      count += 1;
      if (count === 2) request.socket.destroy();
      else response.end("x");
    });
    const dialer = useDialer();
    await textOf(await dialer.fetch({ url: server.url }, never));
    const outcome = await dialer.fetch({ url: server.url, method: "POST", body: "pay" }, never);
    expect(outcome).toMatchObject({ kind: "failed", reason: "reset", error: { retryable: true } });
    expect(count).toBe(2);
  });

  it("that the server closed while idle are replaced for any method", async () => {
    const server = await useServer((request, response) => response.end("x", () => request.socket.end()));
    const dialer = useDialer({ limits: { keepAliveMs: 60_000 } });
    for (let round = 1; round <= 5; round += 1) {
      expect(await textOf(await dialer.fetch({ url: server.url, method: "POST", body: "a" }, never))).toBe("x");
      await eventually(() => server.open() === 0);
      expect(server.accepted()).toBe(round);
    }
  });

  it("are closed when nobody used them for a while", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    const dialer = useDialer({ limits: { keepAliveMs: 50 } });
    await textOf(await dialer.fetch({ url: server.url }, never));
    await eventually(() => server.open() === 0 && dialer.openConnections() === 0);
  });

  it("go to the next address when the first does not answer", async () => {
    const server = await useServer((_request, response) => response.end("x"));
    const dialer = closeWithTest(
      createDialer({
        resolve: fakeResolve({ "a.example": [["93.184.215.1", "2606:2800::1", "93.184.215.2"]] }),
        openSocket: (address, port, signal) =>
          address === "93.184.215.2"
            ? openTo(() => server.port)(address, port, signal)
            : new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
      }),
    );
    const reply = asReply(await dialer.fetch({ url: "http://a.example/" }, never));
    expect([reply.remoteAddress, await textOf(reply)]).toEqual(["93.184.215.2", "x"]);
  });

  verifies("security:dialer:proxy-variables-ignored", "use no proxy of the environment", async () => {
    const proxy = await useServer((_request, response) => response.end("proxied"));
    const server = await useServer((_request, response) => response.end("direct"));
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = proxy.url;
    try {
      expect(await textOf(await useDialer().fetch({ url: server.url }, never))).toBe("direct");
      expect(proxy.accepted()).toBe(0);
    } finally {
      for (const [index, name] of names.entries()) {
        const value = before[index];
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
    }
  });
});

describe("what the operator opened", () => {
  verifies("security:dialer:allow-list", "is reached, and nothing else", async () => {
    const server = await useServer((_request, response) => response.end("inside"));
    const dialer = closeWithTest(createDialer({ allowPrivateHosts: [`127.0.0.1:${server.port}`] }));
    expect(await textOf(await dialer.fetch({ url: server.url }, never))).toBe("inside");
    const other = await useServer((_request, response) => response.end("other"));
    expect(await dialer.fetch({ url: other.url }, never)).toMatchObject({ kind: "refused", reason: "private-address" });
    expect(other.accepted()).toBe(0);
  });

  verifies(
    "security:dialer:operator-endpoints",
    "includes an endpoint of a trusted dialer, but not where it redirects to",
    async () => {
      const secret = await useServer((_request, response) => response.end("secret"));
      const model = await useServer((request, response) => {
        if (request.url === "/v1") response.end("model");
        else response.writeHead(307, { location: secret.url }).end();
      });
      const dialer = closeWithTest(createTrustedDialer([`http://localhost:${model.port}/v1`]));
      const base = `http://localhost:${model.port}`;
      expect(await textOf(await dialer.fetch({ url: `${base}/v1` }, never))).toBe("model");
      expect(await dialer.fetch({ url: `${base}/away` }, never)).toMatchObject({
        kind: "refused",
        reason: "private-address",
      });
      expect(secret.accepted()).toBe(0);
    },
  );

  it("must be readable", () => {
    expect(() => createTrustedDialer(["model server"])).toThrow("is not a URL");
    expect(() => createDialer({ allowPrivateHosts: ["10.0.0.0/33"] })).toThrow("10.0.0.0/33");
    expect(() => createDialer({ limits: { totalMs: 0 } })).toThrow("totalMs");
    expect(() => createDialer({ limits: { maxBytes: Number.NaN } })).toThrow("maxBytes");
  });
});

describe("closing", () => {
  it("ends what runs as a failure, and answers no more", async () => {
    const server = await useServer(() => undefined);
    const dialer = useDialer();
    const running = dialer.fetch({ url: server.url }, never);
    await eventually(() => server.accepted() === 1);
    await dialer.close();
    expect(await running).toMatchObject({ kind: "failed", reason: "closed", error: { code: "unavailable" } });
    expect(await dialer.fetch({ url: server.url }, never)).toMatchObject({ kind: "failed", reason: "closed" });
    await eventually(() => server.open() === 0);
  });
});
