import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { readBody } from "./body/read-body.ts";
import { createDialer, type DialerOptions } from "./dialer.ts";
import { closeWithTest, fakeResolve, listen, openTo, useTcpServer, type TestServer } from "./testing.ts";

/** A certificate for tls.example and 127.0.0.1, by an authority of our own. */
const fixture = (name: string): string => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8");
const authority = fixture("authority.pem");
const never = new AbortController().signal;

async function useTlsServer(): Promise<TestServer & { readonly requests: () => number }> {
  let requests = 0;
  const names: (string | false)[] = [];
  const server = createServer(
    { cert: fixture("server.pem"), key: fixture("server-key.pem"), keepAliveTimeout: 60_000 },
    (_request, response) => {
      requests += 1;
      response.end(JSON.stringify(names));
    },
  );
  server.on("secureConnection", (socket) => names.push(socket.servername ?? false));
  return { ...(await listen(server)), requests: () => requests };
}

function dialerTo(server: TestServer, options: DialerOptions = {}) {
  return closeWithTest(
    createDialer({
      resolve: fakeResolve({ "tls.example": [["93.184.215.14"]], "other.example": [["93.184.215.14"]] }),
      openSocket: openTo(() => server.port),
      certificateAuthorities: [authority],
      ...options,
    }),
  );
}

describe("https", () => {
  it("goes to the checked address and shows the host's name, on one connection for many requests", async () => {
    const server = await useTlsServer();
    const dialer = dialerTo(server);
    for (const url of ["https://tls.example/a", "https://tls.example/b", "https://TLS.example/c"]) {
      const reply = await dialer.fetch({ url }, never);
      if (reply.kind !== "reply") throw new Error(JSON.stringify(reply));
      expect(reply.remoteAddress).toBe("93.184.215.14");
      expect(await readBody(reply)).toEqual({ kind: "read", bytes: Buffer.from('["tls.example"]') });
    }
    expect(server.accepted()).toBe(1);
  });

  it("takes a host with a final dot by the same certificate", async () => {
    const server = await useTlsServer();
    expect(await dialerTo(server).fetch({ url: "https://tls.example./" }, never)).toMatchObject({ kind: "reply" });
  });

  it("takes an address that the certificate names", async () => {
    const server = await useTlsServer();
    const dialer = dialerTo(server, { allowPrivateHosts: ["127.0.0.1"] });
    const reply = await dialer.fetch({ url: "https://127.0.0.1/" }, never);
    if (reply.kind !== "reply") throw new Error(JSON.stringify(reply));
    expect(await readBody(reply)).toEqual({ kind: "read", bytes: Buffer.from("[false]") });
  });

  const distrusted: readonly (readonly [string, string, DialerOptions])[] = [
    ["another host's certificate", "https://other.example/", {}],
    ["another address's certificate", "https://93.184.215.14/", {}],
    ["an authority we do not know", "https://tls.example/", { certificateAuthorities: [fixture("server.pem")] }],
  ];
  for (const [what, url, options] of distrusted) {
    verifies("security:dialer:https-certificate-checked", `fails with ${what}, and no request is sent`, async () => {
      const server = await useTlsServer();
      const dialer = dialerTo(server, options);
      const outcome = await dialer.fetch({ url }, never);
      expect(outcome).toMatchObject({ kind: "failed", reason: "tls", error: { retryable: false } });
      expect([dialer.openConnections(), server.requests()]).toEqual([0, 0]);
    });
  }

  it("fails on a port that does not speak TLS", async () => {
    const server = await useTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const outcome = await dialerTo(server).fetch({ url: "https://tls.example/" }, never);
    expect(outcome).toMatchObject({ kind: "failed", reason: "tls" });
  });
});
