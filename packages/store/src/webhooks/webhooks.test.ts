import { makeId } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Database } from "../database.ts";
import { appendEvents, type StoredEvent } from "../events.ts";
import { createTeam } from "../identity/teams.ts";
import { withDatabase } from "../testing.ts";
import { listAttempts } from "./attempts.ts";
import {
  claimDeliveries,
  listDueWebhooks,
  requeueLostDeliveries,
  settleDelivery,
  sweepDeliveries,
  type LeasedDelivery,
  type Settlement,
} from "./deliver.ts";
import { listDeliveries, replayDeliveries } from "./list-deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  findWebhookOf,
  getWebhook,
  listWebhooks,
  retireWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type NewWebhook,
} from "./manage-webhooks.ts";
import type { Webhook } from "./webhook.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const later = new Date("2026-03-01T13:00:00.000Z");

async function aWebhook(db: Database, changes: Partial<NewWebhook> = {}): Promise<Webhook> {
  const teamId = changes.teamId ?? (await createTeam(db, "one", now));
  const wanted = {
    id: makeId("webhook", now),
    teamId,
    url: "https://example.com/hook",
    events: ["webset.idle"],
    metadata: {},
    secret: "whsec_one",
    ...changes,
  };
  return createWebhook(db, wanted, now);
}

/** Events of type webset.idle, one for each id of a webset. */
function append(db: Database, teamId: string, websets: readonly string[], type = "webset.idle") {
  const events = websets.map((id) => ({ teamId, type, resource: { kind: "webset", id }, data: { id } }));
  return db.transaction((tx) => appendEvents(tx, events, now));
}

function claim(db: Database, webhook: Webhook, at = now): Promise<readonly LeasedDelivery[]> {
  return claimDeliveries(db, webhook.id, { limit: 10, leaseMs: 60_000, now: at });
}

function settle(db: Database, delivery: LeasedDelivery, state: Settlement["state"], changes: Partial<Settlement> = {}) {
  const { webhook, event } = delivery;
  const attempt = {
    id: makeId("wattempt", now),
    webhookId: webhook.id,
    eventId: event.id,
    eventType: event.type,
    url: webhook.url,
    successful: state === "delivered",
    statusCode: 200,
    headers: {},
    body: "",
    error: null,
    attempt: delivery.attempts + 1,
    attemptedAt: now,
    durationMs: 1,
  };
  return settleDelivery(db, delivery, { state, dueAt: later, isGone: false, attempt, ...changes });
}

const idsOf = (events: readonly StoredEvent[]): readonly string[] => events.map(({ id }) => id);
const eventsOf = (deliveries: readonly LeasedDelivery[]): readonly string[] => deliveries.map(({ event }) => event.id);

describe("a webhook", () => {
  it("is made once, listed, changed, turned and removed, by its own team alone", () =>
    withDatabase(async (db) => {
      const webhook = await aWebhook(db);
      expect(await aWebhook(db, { ...webhook, resource: { kind: "k", id: "i" }, url: "https://other" })).toEqual(
        webhook,
      );
      const bound = await aWebhook(db, { teamId: webhook.teamId, resource: { kind: "search_monitor", id: "m" } });
      expect((await listWebhooks(db, webhook.teamId, { limit: 10 })).data).toEqual([webhook]);
      expect(await findWebhookOf(db, webhook.teamId, { kind: "search_monitor", id: "m" })).toEqual(bound);
      await expect(getWebhook(db, "team_other", webhook.id)).rejects.toMatchObject({ code: "not_found" });

      await retireWebhook(db, webhook.teamId, webhook.id, now);
      const changed = await updateWebhook(db, webhook.teamId, webhook.id, { metadata: { a: "b" }, now: later });
      expect(changed).toEqual({ ...webhook, metadata: { a: "b" }, status: "active", updatedAt: later });
      const next = { secret: "whsec_two", previousUntil: later, now };
      expect(await rotateWebhookSecret(db, webhook.teamId, webhook.id, next)).toMatchObject({
        secret: "whsec_two",
        previousSecret: { secret: "whsec_one", until: later },
      });
      expect((await deleteWebhook(db, webhook.teamId, webhook.id)).id).toBe(webhook.id);
      await expect(getWebhook(db, webhook.teamId, webhook.id)).rejects.toMatchObject({ code: "not_found" });
    }));

  verifies(
    "events:write:same-transaction",
    "gets a delivery for each event it wants, with the change or not at all",
    () =>
      withDatabase(async (db) => {
        const webhook = await aWebhook(db);
        const inactive = await aWebhook(db, { teamId: webhook.teamId });
        await retireWebhook(db, inactive.teamId, inactive.id, now);
        const bound = await aWebhook(db, { teamId: webhook.teamId, resource: { kind: "webset", id: "b" } });
        const [a, b] = await append(db, webhook.teamId, ["a", "b"]);
        await append(db, webhook.teamId, ["a"], "webset.created");
        await append(db, await createTeam(db, "two", now), ["a"]);
        const failed = db.transaction(async (tx) => {
          await appendEvents(tx, [
            { teamId: webhook.teamId, type: "webset.idle", resource: { kind: "webset", id: "a" }, data: {} },
          ]);
          throw new Error("the change failed");
        });
        await expect(failed).rejects.toThrow("the change failed");
        expect(await listDueWebhooks(db)).toEqual(
          [webhook, bound].map(({ id }) => ({ webhookId: id, dueAt: now })).sort(byId),
        );
        expect(eventsOf(await claim(db, webhook))).toEqual([a?.id, b?.id]);
        expect(eventsOf(await claim(db, bound))).toEqual([b?.id]);
        expect(await claim(db, inactive)).toEqual([]);
      }),
  );

  it("sends the events of a resource one after the other, and others beside them", () =>
    withDatabase(async (db) => {
      const webhook = await aWebhook(db);
      const [a1, a2, b1, a3] = idsOf(await append(db, webhook.teamId, ["a", "a", "b", "a"]));
      const [first, other] = await claim(db, webhook);
      if (first === undefined || other === undefined) throw new Error("two were due");
      expect([first.event.id, other.event.id]).toEqual([a1, b1]);
      expect(await claim(db, webhook)).toEqual([]);

      await settle(db, first, "waiting"); // failed: those behind it go on waiting
      expect(await claim(db, webhook)).toEqual([]);
      const [again] = await claim(db, webhook, later);
      expect(again).toMatchObject({ event: { id: a1 }, attempts: 1 });
      if (again === undefined) throw new Error("it is due");
      await settle(db, again, "dead"); // given up: the next one's turn
      const [next] = await claim(db, webhook);
      if (next === undefined) throw new Error("it is due");
      expect(next.event.id).toBe(a2);
      await settle(db, next, "delivered");
      expect(eventsOf(await claim(db, webhook))).toEqual([a3]);
    }));

  it("has deliveries whose sender died sent by another, who alone may settle them", () =>
    withDatabase(async (db) => {
      const webhook = await aWebhook(db);
      await append(db, webhook.teamId, ["a"]);
      const [lost] = await claimDeliveries(db, webhook.id, { limit: 1, leaseMs: -1, now });
      expect(await requeueLostDeliveries(db)).toBe(1);
      const [found] = await claim(db, webhook);
      if (lost === undefined || found === undefined) throw new Error("both were due");
      expect(await settle(db, lost, "delivered")).toBe(false);
      expect((await listAttempts(db, webhook.id, { limit: 10 })).data).toEqual([]);
      expect(await settle(db, found, "delivered")).toBe(true);
    }));

  it("goes inactive, and everything queued dead, when the receiver is gone; a replay brings it back", () =>
    withDatabase(async (db) => {
      const webhook = await aWebhook(db);
      const ids = idsOf(await append(db, webhook.teamId, ["a", "a", "b"]));
      const [first] = await claimDeliveries(db, webhook.id, { limit: 1, leaseMs: 60_000, now });
      if (first === undefined) throw new Error("one was due");
      await settle(db, first, "dead", { isGone: true });
      expect((await getWebhook(db, webhook.teamId, webhook.id)).status).toBe("inactive");
      const dead = await listDeliveries(db, webhook.id, { state: "dead", limit: 10 });
      expect(dead.data.map(({ eventId }) => eventId)).toEqual(ids.toReversed());

      await updateWebhook(db, webhook.teamId, webhook.id, { now });
      expect(await replayDeliveries(db, webhook, { kind: "dead" }, now)).toBe(3);
      expect(await replayDeliveries(db, webhook, { kind: "dead" }, now)).toBe(0);
      const claimed = await claim(db, webhook);
      expect(eventsOf(claimed)).toEqual([ids[0], ids[2]]);
      for (const delivery of claimed) await settle(db, delivery, "delivered");
      const wish = { kind: "since", since: now, until: later } as const;
      expect(await replayDeliveries(db, webhook, wish, now)).toBe(2); // the third is under way
      expect(await replayDeliveries(db, webhook, { kind: "events", eventIds: ids }, now)).toBe(0);
    }));

  it("forgets what was delivered long ago, and keeps dead letters", () =>
    withDatabase(async (db) => {
      const webhook = await aWebhook(db);
      const [a, b] = idsOf(await append(db, webhook.teamId, ["a", "b"]));
      const [first, second] = await claim(db, webhook);
      if (first === undefined || second === undefined) throw new Error("two were due");
      await settle(db, first, "delivered");
      await settle(db, second, "dead");
      await sweepDeliveries(db, now, 10);
      expect((await listDeliveries(db, webhook.id, { limit: 10 })).data).toHaveLength(2);
      await sweepDeliveries(db, later, 10);
      expect((await listDeliveries(db, webhook.id, { limit: 10 })).data.map(({ eventId }) => eventId)).toEqual([b]);
      expect((await listAttempts(db, webhook.id, { limit: 10 })).data).toEqual([]);
      expect(a).not.toBe(b);
    }));
});

function byId(one: { webhookId: string }, other: { webhookId: string }): number {
  return one.webhookId < other.webhookId ? -1 : 1;
}
