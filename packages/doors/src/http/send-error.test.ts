import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { sampleRoutes, withHttpApp } from "../testing.ts";

it("takes a client that leaves in the middle of its body for no fault of the server's", async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (line, _, done) => {
      lines.push(String(line));
      done();
    },
  });
  await withHttpApp(
    async ({ app, key }) => {
      await app.listen({ host: "127.0.0.1", port: 0 });
      const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
      const head = `POST /search HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\nexpect: 100-continue\r\n`;
      socket.write(`${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"q`);
      await new Promise((resolve) => socket.once("data", resolve)); // "100 Continue": the request has begun
      socket.destroy();
      await expect.poll(() => lines.join(""), { timeout: 10_000 }).toContain('"clientLeft":true');
      expect(lines.filter((line) => line.includes('"level":50'))).toEqual([]);
    },
    {
      log: fastify({ logger: { level: "info", stream } }).log,
      routes: sampleRoutes({ made: [], gate: undefined, failure: undefined }),
    },
  );
});
