import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createSignInLink, redeemSignInLink } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { fastify } from "fastify";
import { expect, it, onTestFinished, vi } from "vitest";
import { withHttpApp, type HttpWorld } from "../testing.ts";
import { createStreamEnder } from "./end-streams.ts";
import type { RequestState } from "./request-state.ts";
import { eventStreamRoutes } from "./routes/event-stream.ts";

function withEventStreams(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(
    async (world) => {
      await world.app.listen({ host: "127.0.0.1", port: 0 });
      await work(world);
    },
    ({ db }) => ({ routes: eventStreamRoutes({ db }) }),
  );
}

function openStream({ app }: HttpWorld, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const path = "/quarry/v1/events/stream?from=start";
    httpRequest({ port, path, headers, agent: false }, resolve).on("error", reject).end();
  });
}

/** Resolves when the stream is over, cut off or not. */
function endOf(stream: IncomingMessage): Promise<void> {
  stream.on("error", () => undefined).resume(); // being cut off is one way to end
  return new Promise((resolve) => stream.once("close", resolve));
}

/** What makes a key worthless for the stream: it is revoked, gets a new secret, loses the scope, or expires. */
const WAYS: readonly ((world: HttpWorld, path: string) => Promise<unknown>)[] = [
  ({ call }, path) => call("DELETE", path),
  ({ call }, path) => call("POST", `${path}/rotate`),
  ({ call }, path) => call("PATCH", path, { body: { scopes: ["search"] } }),
  ({ call, clock }, path) => call("PATCH", path, { body: { expiresAt: clock.now().toISOString() } }),
];

verifies("keys:lifecycle:revoke", "ends the streams of keys and sessions that hold no more, and no others", () =>
  withEventStreams(async (world) => {
    const { call, db, teamId, clock } = world;
    const untouched = await openStream(world, { "x-api-key": world.key });
    const ended = WAYS.map(async (end) => {
      const { key, secret } = await world.makeKey();
      const stream = await openStream(world, { "x-api-key": secret });
      await end(world, `/quarry/v1/keys/${key.id}`);
      await endOf(stream);
    });
    const { token } = await createSignInLink(db, { teamId, keyId: null }, clock.now());
    const cookie = `quarry_session=${(await redeemSignInLink(db, token, clock.now()))?.token ?? ""}`;
    const ofBrowser = await openStream(world, { cookie });
    await call("POST", "/quarry/v1/sign-out", { key: null, headers: { cookie, origin: "http://localhost:7700" } });
    await endOf(ofBrowser);
    await Promise.all(ended);
    expect(untouched.destroyed).toBe(false);
    untouched.destroy();
  }),
);

it.each([
  ["looks at an open stream again and again", false, 2],
  ["does not follow a request whose client left while it was let in", true, 0],
])("%s", async (_, hasLeft, looks) => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const app = fastify();
  app.decorateRequest("state", null);
  const follow = createStreamEnder(app);
  let looked = 0;
  app.get("/live", { config: { isLive: true } }, (request, reply) => {
    const left = new AbortController();
    if (hasLeft) left.abort();
    request.state = { left } as RequestState;
    follow(request, reply, () => {
      looked += 1;
      return Promise.resolve();
    });
    vi.advanceTimersByTime(2_000);
    return reply.send("over");
  });
  await app.inject("/live");
  expect(looked).toBe(looks);
  await app.close();
});
