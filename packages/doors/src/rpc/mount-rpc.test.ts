import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { createToolRegistry, ToolRuntime } from "@quarry/agent";
import { ApprovalService } from "@quarry/contract";
import { expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../testing.ts";
import { mountRpc } from "./mount-rpc.ts";

/** A message of Connect's stream: its flags, its length, and an empty JSON object. */
const EMPTY_MESSAGE = Buffer.from([0, 0, 0, 0, 2, 0x7b, 0x7d]);

/** Opens a stream that says nothing, not even its headers; resolves when it is over. */
function watch({ app }: HttpWorld, secret: string): Promise<void> {
  const { port } = app.server.address() as AddressInfo;
  const request = httpRequest({
    port,
    method: "POST",
    path: `/${ApprovalService.typeName}/Watch`,
    headers: { "x-api-key": secret, "content-type": "application/connect+json", "connect-protocol-version": "1" },
    agent: false,
  });
  request.on("error", () => undefined); // being cut off is how it ends
  request.end(EMPTY_MESSAGE);
  return new Promise<void>((resolve) => request.once("close", resolve));
}

it("ends a stream that has said nothing yet when its key is revoked, and no other", () =>
  withHttpApp(async (world) => {
    const { app, db, clock, call } = world;
    const stopping = new AbortController();
    const tools = await ToolRuntime.start({
      db,
      clock,
      registry: createToolRegistry([]),
      filesOf: () => [],
      headless: undefined,
      onFailure: (error) => {
        throw error;
      },
    });
    let admitted = 0;
    app.addHook("preHandler", (_request, _reply, done) => {
      admitted += 1;
      done();
    });
    mountRpc(app, { tools, stopping: stopping.signal });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { key, secret } = await world.makeKey();
    const untouched = watch(world, world.key);
    const watched = watch(world, secret);
    await expect.poll(() => admitted).toBe(2);
    await call("DELETE", `/quarry/v1/keys/${key.id}`);
    await watched;
    expect(await Promise.race([untouched.then(() => "over"), Promise.resolve("open")])).toBe("open");
    stopping.abort();
    await untouched;
    await tools.close();
  }));
