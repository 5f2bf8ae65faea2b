import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { trace } from "@opentelemetry/api";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { startTracing } from "./tracing.ts";

verifies("server:tracing:spans-when-set", "sends spans to the collector that the settings name", async () => {
  const bodies: string[] = [];
  const collector = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("latin1")));
    request.on("end", () => {
      bodies.push(`${request.url ?? ""} ${body}`);
      response.end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  const stop = await startTracing({
    tracesUrl: `http://127.0.0.1:${port}/v1/traces`,
    serviceName: "quarry-under-test",
  });
  trace.getTracer("test").startSpan("a-span-of-ours").end();
  await stop();
  await new Promise((resolve) => collector.close(resolve));
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toContain("/v1/traces");
  expect(bodies[0]).toContain("a-span-of-ours");
  expect(bodies[0]).toContain("quarry-under-test");
});

verifies("server:tracing:off-by-default", "registers nothing when no collector is named", async () => {
  const stop = await startTracing({ tracesUrl: undefined, serviceName: "quarry" });
  const span = trace.getTracer("test").startSpan("unseen");
  expect(span.isRecording()).toBe(false);
  await stop();
});
