import type { AppError } from "@quarry/base";
import { useDialer, useServer } from "@quarry/net/testing";
import { appendEvents, createTeam, createWebhook, listAttempts, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, vi } from "vitest";
import { postByDialer, RECEIVER_CONNECTIONS } from "./post-to-receiver.ts";
import { startWebhookSender } from "./webhook-sender.ts";

/** A team with one webhook for each path of `origin`. */
async function hooks(db: Database, origin: string, paths: readonly string[]): Promise<string> {
  const teamId = await createTeam(db, "one", new Date());
  for (const path of paths) {
    const wanted = {
      id: `webhook${path}`,
      teamId,
      url: origin + path,
      events: ["webset.idle"],
      metadata: {},
      secret: "s",
    };
    await createWebhook(db, wanted, new Date());
  }
  return teamId;
}

function append(db: Database, teamId: string, count: number): Promise<unknown> {
  const events = Array.from({ length: count }, (_, index) => ({
    teamId,
    type: "webset.idle",
    resource: { kind: "webset", id: `webset_${index}` },
    data: {},
  }));
  return db.transaction((tx) => appendEvents(tx, events));
}

function send(db: Database, timeoutMs: number) {
  const failures: AppError[] = [];
  const options = { database: db, clock: { now: () => new Date() }, random: () => 0 };
  const post = postByDialer(useDialer({ limits: RECEIVER_CONNECTIONS }).fetch, timeoutMs);
  return startWebhookSender({ ...options, post, onFailure: (error) => failures.push(error) });
}

describe("the webhook sender", () => {
  verifies("webhooks:delivery:isolated", "never lets a receiver that hangs delay another", () =>
    withDatabase(async (db) => {
      const arrived: string[] = [];
      const { url } = await useServer((request, response) => {
        if (request.url === "/well") arrived.push(request.url);
        if (request.url === "/well") response.end(); // the others hang
      });
      const dead = Array.from({ length: 5 }, (_, index) => `/hangs-${index}`);
      const teamId = await hooks(db, url, [...dead, "/well"]);
      await append(db, teamId, 60);
      const sender = await send(db, 60_000);
      await vi.waitUntil(() => arrived.length === 60, { timeout: 10_000, interval: 10 });
      await sender.stop(0);
      const states = await db.query<{ state: string; count: number }>(
        "SELECT state, count(*) FROM webhook_deliveries WHERE webhook_id LIKE 'webhook/hangs%' GROUP BY 1",
      );
      expect(states.filter(({ state }) => state !== "waiting")).toEqual([]); // what hung was handed back untried
    }),
  );

  verifies("webhooks:attempts:no-answer", "writes status 0 and the reason when there was no answer", () =>
    withDatabase(async (db) => {
      const { url } = await useServer((_request, response) => response.destroy());
      const teamId = await hooks(db, url, ["/resets"]);
      await append(db, teamId, 1);
      const sender = await send(db, 1_000);
      const attempts = async () => (await listAttempts(db, "webhook/resets", { limit: 10 })).data;
      await vi.waitUntil(async () => (await attempts()).length === 1, { timeout: 10_000, interval: 20 });
      await sender.stop(1_000);
      expect(await attempts()).toMatchObject([
        {
          statusCode: 0,
          successful: false,
          body: null,
          headers: {},
          attempt: 1,
          error: expect.stringContaining("no answer") as string,
        },
      ]);
    }),
  );
});
