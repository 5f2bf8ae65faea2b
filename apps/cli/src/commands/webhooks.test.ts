import http from "node:http";
import { signWebhook } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { describe, expect, it, onTestFinished } from "vitest";
import { announceServer, cliWorld, serveApi } from "../testing.ts";
import type { ApiAnswer, SeenRequest } from "../testing.ts";

const webhook = {
  id: "webhook_1",
  object: "webhook",
  status: "active",
  events: ["webset.idle"],
  url: "https://example.com/hook",
  secret: null,
  metadata: {},
  createdAt: "2030-01-01T00:00:00.000Z",
  updatedAt: "2030-01-01T00:00:00.000Z",
};

const attempt = {
  id: "wattempt_1",
  object: "webhook_attempt",
  eventId: "event_1",
  eventType: "webset.idle",
  webhookId: "webhook_1",
  url: "https://example.com/hook",
  successful: false,
  responseHeaders: {},
  responseBody: "not\nnow",
  responseStatusCode: 503,
  attempt: 2,
  attemptedAt: "2030-01-01T00:00:05.000Z",
};

async function run(args: readonly string[], answer: (request: SeenRequest) => ApiAnswer) {
  const api = await serveApi(answer);
  const world = cliWorld();
  announceServer(world.dataDirectory, { url: api.url });
  return {
    ...(await world.run("webhooks", ...args)),
    seen: api.seen.map(({ method, url, body }) => ({ method, url, body })),
  };
}

describe("quarry webhooks", () => {
  it("lists them", async () => {
    const page = { data: [webhook], hasMore: false, nextCursor: null };
    const result = await run(["list"], () => ({ body: page }));
    expect(result).toMatchObject({ code: 0, seen: [{ url: "/websets/v0/webhooks?limit=200" }] });
    expect(result.stdout).toBe(
      [
        "ID         STATUS  URL                       EVENTS",
        "webhook_1  active  https://example.com/hook  webset.idle",
        "",
      ].join("\n"),
    );
  });

  it("makes one and shows the secret; refuses an unknown type", async () => {
    const args = ["create", "https://example.com/hook", "--events", "webset.idle"];
    const made = await run(args, () => ({ body: { ...webhook, secret: "whsec_x" } }));
    expect(made).toMatchObject({ code: 0, stdout: "webhook_1\nsecret whsec_x\n" });
    expect(made.seen).toEqual([
      {
        method: "POST",
        url: "/websets/v0/webhooks",
        body: { url: "https://example.com/hook", events: ["webset.idle"] },
      },
    ]);
    const refused = await run(["create", "https://example.com/", "--events", "webset.exploded"], () => ({ body: {} }));
    expect(refused).toMatchObject({ code: 2, seen: [] });
  });

  it("shows attempts, replays, tests, rotates and deletes", async () => {
    const attempts = await run(["attempts", "webhook_1", "--failed"], () => ({
      body: { data: [attempt], hasMore: false, nextCursor: null },
    }));
    expect(attempts.stdout).toContain("webset.idle  event_1    2     503  not now");
    expect(attempts.seen[0]?.url).toBe("/websets/v0/webhooks/webhook_1/attempts?limit=200&successful=false");
    const replay = await run(["replay", "webhook_1"], () => ({ body: { queued: 2 } }));
    expect(replay).toMatchObject({ stdout: "Queued 2 events.\n", seen: [{ body: { dead: true } }] });
    expect((await run(["replay", "webhook_1", "event_1"], () => ({ body: { queued: 1 } }))).seen[0]?.body).toEqual({
      eventIds: ["event_1"],
    });
    const test = await run(["test", "webhook_1"], () => ({ body: attempt }));
    expect(test).toMatchObject({ code: 1, stdout: "not taken: status 503\nnot now\n" });
    const rotated = { ...webhook, secret: "whsec_y", previousSecretValidUntil: "2030-01-02T00:00:00.000Z" };
    expect((await run(["rotate", "webhook_1"], () => ({ body: rotated }))).stdout).toBe("secret whsec_y\n");
    expect((await run(["delete", "webhook_1"], () => ({ body: webhook }))).stdout).toBe("webhook_1 is deleted.\n");
  });

  verifies(
    "cli:webhooks:listen",
    "listens: shows events, forwards them signed, and goes on after a break",
    async () => {
      const events = ["event_1", "event_2"].map((id) => ({
        id,
        object: "event",
        type: "webset.idle",
        resource: { kind: "webset", id: "webset_1" },
        data: { id: "webset_1" },
        createdAt: "2030-01-01T00:00:00.000Z",
      }));
      const stop = new AbortController();
      const got: { readonly headers: http.IncomingHttpHeaders; readonly body: string }[] = [];
      const program = http.createServer((request, response) => {
        let body = "";
        request.on("data", (part: Buffer) => (body += part.toString()));
        request.on("end", () => {
          got.push({ headers: request.headers, body });
          response.writeHead(got.length === 1 ? 500 : 200).end();
          if (got.length === 2) setTimeout(() => stop.abort(), 50);
        });
      });
      await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void program.close());
      const address = program.address();
      const port = typeof address === "object" ? address?.port : undefined;

      const api = await serveApi(({ url }) => {
        if (!url.startsWith("/quarry/v1/events/stream"))
          return { body: { data: [], hasMore: false, nextCursor: null } };
        const next = events[url.includes("after=event_1") ? 1 : 0];
        return (response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(`: still here\n\nid: ${next?.id}\nevent: webset.idle\ndata: ${JSON.stringify(next)}\n\n`);
        };
      });
      const world = cliWorld({ signal: stop.signal });
      announceServer(world.dataDirectory, { url: api.url });
      const result = await world.run("webhooks", "listen", "--forward", `http://127.0.0.1:${port}/hook`);
      expect(result.stdout).toBe(
        [
          "2030-01-01T00:00:00.000Z  webset.idle  webset_1  event_1 → 500",
          "2030-01-01T00:00:00.000Z  webset.idle  webset_1  event_2 → 200",
          "",
        ].join("\n"),
      );
      const secret = /signed with (whsec_\S+)/.exec(result.stderr)?.[1] ?? "";
      for (const { headers, body } of got) {
        const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
        const eventId = String(headers["webhook-id"]);
        expect(headers).toMatchObject(signWebhook({ eventId, at, body, secrets: [secret] }));
        expect(JSON.parse(body)).toEqual({
          id: eventId,
          object: "event",
          type: "webset.idle",
          data: { id: "webset_1" },
          createdAt: "2030-01-01T00:00:00.000Z",
        });
      }
      expect(result.code).toBe(130);
    },
  );

  it("refuses to forward to what is no address", async () => {
    const result = await run(["listen", "--forward", "127.0.0.1:3000"], () => ({ body: {} }));
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("write it whole") as string });
  });
});
