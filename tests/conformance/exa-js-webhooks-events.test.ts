import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { EXA_EVENT_TYPES, exaEventSchema, type ExaEventType } from "@quarry/contract";
import { appendEvents, createTeam, type Database, type NewEvent, type StoredEvent } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import {
  CreateEnrichmentParametersFormat as Format,
  EventType,
  Exa,
  UpdateMonitorStatus,
  WebhookStatus,
  WebsetSearchBehavior,
  type Event,
  type Webhook,
} from "exa-js";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";
import { followEvents } from "../../tools/soak/follow-events.ts";
import { makeRandom } from "../../tools/soak/random.ts";
import {
  headerOf,
  startWebhookReceiver,
  type ReceivedDelivery,
  type WebhookReceiver,
} from "../../tools/soak/webhook-receiver.ts";
import { findFault } from "../../tools/soak/webhook-verifier.ts";

let db: Database;
let server: ServerProcess;
let receiver: WebhookReceiver;
let exa: Exa;
let teamId: string;
let finish: () => void;
let running: Promise<unknown>;
const received: ReceivedDelivery[] = [];
/** What each path answers; 200 unless named. */
const answers = new Map<string, { readonly status: number; readonly headers?: Record<string, string> }>();

beforeAll(async () => {
  receiver = await startWebhookReceiver((delivery, response) => {
    received.push(delivery);
    const { status, headers = {} } = answers.get(delivery.path) ?? { status: 200 };
    response.writeHead(status, headers).end(`took ${delivery.path}`);
  });
  await new Promise<void>((ready, refuse) => {
    running = withDatabase((database, url) =>
      withDataDirectory(async (directory) => {
        db = database;
        const settings = { QUARRY_DATABASE_URL: url, QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_SAMPLE: "0" };
        server = await startServerProcess(directory, settings);
        exa = new Exa(server.key, server.url);
        const [team] = await db.query<{ id: string }>("SELECT id FROM teams ORDER BY created_at LIMIT 1");
        teamId = team?.id ?? "";
        ready();
        await new Promise<void>((done) => (finish = done));
        await server.stop();
      }),
    );
    running.catch(refuse);
  });
}, 180_000);

afterAll(async () => {
  finish();
  await running;
  await receiver.close();
}, 60_000);

/** Events of one webset; their data is as much of it as these tests need. */
function eventsOf(team: string, types: readonly ExaEventType[], websetId: string): readonly NewEvent[] {
  const data = { object: "webset", id: websetId, title: "naïve – 日本" };
  return types.map((type) => ({ teamId: team, type, resource: { kind: "webset", id: websetId }, data }));
}

function append(types: readonly ExaEventType[], websetId: string): Promise<readonly StoredEvent[]> {
  return db.transaction((tx) => appendEvents(tx, eventsOf(teamId, types, websetId)));
}

function hook(path: string, events: readonly EventType[] = [EventType.webset_created]): Promise<Webhook> {
  return exa.websets.webhooks.create({ url: `${receiver.url}${path}`, events: [...events] });
}

async function arrivals(path: string, count: number): Promise<readonly ReceivedDelivery[]> {
  const here = (): ReceivedDelivery[] => received.filter((delivery) => delivery.path === path);
  await vi.waitUntil(() => here().length >= count, { timeout: 15_000, interval: 20 });
  return here();
}

function eventsIn(deliveries: readonly ReceivedDelivery[]): readonly unknown[] {
  return deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString("utf8")) as unknown);
}

const attemptsOf = async (webhook: Webhook, count: number) => {
  await vi.waitUntil(async () => (await exa.websets.webhooks.getAllAttempts(webhook.id)).length >= count, {
    timeout: 15_000,
    interval: 50,
  });
  return exa.websets.webhooks.getAllAttempts(webhook.id);
};

describe("exa-js webhooks", () => {
  verifies(
    [
      "webhooks:create:secret-once",
      "webhooks:get:secret-null",
      "webhooks:list:paged",
      "webhooks:update:patch",
      "webhooks:delete:returns-object",
      "webhooks:exa-js:webhooks",
    ],
    "are made with a secret shown once, read, listed, changed and deleted",
    async () => {
      const made = await exa.websets.webhooks.create({
        url: `${receiver.url}/crud`,
        events: [EventType.webset_created, EventType.webset_idle],
        metadata: { team: "blue" },
      });
      expect(made).toEqual({
        id: expect.stringMatching(/^webhook_[0-9a-z]{26}$/) as string,
        object: "webhook",
        status: "active",
        events: ["webset.created", "webset.idle"],
        url: `${receiver.url}/crud`,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/=]{44}$/) as string,
        metadata: { team: "blue" },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        updatedAt: made.createdAt,
      });
      expect(await exa.websets.webhooks.get(made.id)).toEqual({ ...made, secret: null });
      const second = await hook("/crud");
      const page = await exa.websets.webhooks.list({ limit: 1 });
      expect(page).toEqual({
        data: [{ ...second, secret: null }],
        hasMore: true,
        nextCursor: expect.any(String) as string,
      });
      expect((await exa.websets.webhooks.getAll({ limit: 1 })).map(({ id }) => id)).toEqual([second.id, made.id]);

      const changed = await exa.websets.webhooks.update(made.id, {
        url: `${receiver.url}/changed`,
        events: [EventType.import_created],
        metadata: {},
      });
      expect(changed).toMatchObject({
        url: `${receiver.url}/changed`,
        events: ["import.created"],
        metadata: {},
        secret: null,
      });
      expect(await exa.websets.webhooks.delete(made.id)).toEqual(changed);
      await expect(exa.websets.webhooks.get(made.id)).rejects.toMatchObject({ statusCode: 404 });
      await exa.websets.webhooks.delete(second.id);
    },
  );

  verifies(
    [
      "webhooks:delivery:body",
      "webhooks:delivery:signature",
      "webhooks:delivery:standard-headers",
      "webhooks:delivery:guarded",
      "webhooks:attempts:list",
      "webhooks:attempts:shape",
      "webhooks:attempts:filters",
    ],
    "get each event they want, signed both ways, and show their attempts",
    async () => {
      const webhook = await hook("/delivered", [EventType.webset_created, EventType.webset_idle]);
      const [first, , last] = await append(["webset.created", "webset.search.created", "webset.idle"], "webset_sent");
      const deliveries = await arrivals("/delivered", 2);
      expect(eventsIn(deliveries)).toEqual([
        await exa.websets.events.get(first?.id ?? ""),
        await exa.websets.events.get(last?.id ?? ""),
      ]);
      for (const delivery of deliveries) {
        expect(delivery.headers["content-type"]).toBe("application/json");
        expect(
          findFault(
            { header: headerOf(delivery, "exa-signature"), rawBody: delivery.rawBody },
            webhook.secret ?? "",
            new Date(),
          ),
        ).toBeUndefined();
        const standard = new StandardWebhook(webhook.secret ?? "");
        expect(standard.verify(delivery.rawBody, delivery.headers as Record<string, string>)).toMatchObject({
          object: "event",
        });
        expect(() =>
          standard.verify(`${delivery.rawBody.toString()} `, delivery.headers as Record<string, string>),
        ).toThrow();
      }
      const attempts = await attemptsOf(webhook, 2);
      expect(attempts.map(({ eventType }) => eventType)).toEqual(["webset.idle", "webset.created"]);
      expect(attempts[1]).toEqual({
        id: expect.stringMatching(/^wattempt_/) as string,
        object: "webhook_attempt",
        eventId: first?.id,
        eventType: "webset.created",
        webhookId: webhook.id,
        url: webhook.url,
        successful: true,
        responseHeaders: expect.objectContaining({ connection: expect.any(String) as string }) as Record<
          string,
          string
        >,
        responseBody: "took /delivered",
        responseStatusCode: 200,
        attempt: 1,
        attemptedAt: expect.any(String) as string,
      });
      const list = exa.websets.webhooks;
      expect((await list.listAttempts(webhook.id, { eventType: EventType.webset_idle })).data).toEqual([attempts[0]]);
      expect((await list.listAttempts(webhook.id, { successful: false })).data).toEqual([]);
      expect((await list.listAttempts(webhook.id, { limit: 1 })).hasMore).toBe(true);
    },
  );

  verifies(
    ["webhooks:create:unknown-event", "webhooks:create:events-required", "webhooks:create:bad-url"],
    "are refused with what to do when they cannot be",
    async () => {
      const create = (body: object) => server.call("POST", "/websets/v0/webhooks", body);
      const before = (await exa.websets.webhooks.getAll()).length;
      const url = `${receiver.url}/x`;
      const cases: readonly (readonly [object, string])[] = [
        [{ url, events: ["webset.exploded"] }, "events[0]"],
        [{ url, events: [] }, "events"],
        [{ url }, "events"],
        [{ events: ["webset.idle"] }, "url"],
        [{ url: "ftp://example.com/x", events: ["webset.idle"] }, "only http: and https:"],
        [{ url: "not a url", events: ["webset.idle"] }, "write it whole"],
        [{ url: "http://10.0.0.7/x", events: ["webset.idle"] }, "QUARRY_ALLOW_PRIVATE_HOSTS"],
        [{ url: "http://192.168.1.5:3000/x", events: ["webset.idle"] }, "QUARRY_ALLOW_PRIVATE_HOSTS"],
        [{ url: "http://169.254.169.254/latest", events: ["webset.idle"] }, "QUARRY_ALLOW_PRIVATE_HOSTS"],
        [{ url: "https://user:word@example.com/", events: ["webset.idle"] }, "remove them"],
        [{ url, events: ["webset.idle"], metadata: { count: 3 } }, "metadata"],
      ];
      for (const [body, words] of cases) {
        expect(await create(body)).toMatchObject({
          status: 400,
          body: { statusCode: 400, error: "Bad Request", message: expect.stringContaining(words) as string },
        });
      }
      expect(await exa.websets.webhooks.getAll()).toHaveLength(before);
      const webhook = await hook("/x");
      await expect(exa.websets.webhooks.update(webhook.id, { url: "http://[::1]/" })).rejects.toMatchObject({
        statusCode: 400,
      });
    },
  );

  verifies(
    ["webhooks:retry:410-inactive", "webhooks:retry:patch-reactivates", "webhooks:replay:manual"],
    "go inactive at a 410; a PATCH brings them back, a replay what they missed",
    async () => {
      answers.set("/gone", { status: 410 });
      const webhook = await hook("/gone");
      const [event] = await append(["webset.created"], "webset_gone");
      await vi.waitUntil(async () => (await exa.websets.webhooks.get(webhook.id)).status === WebhookStatus.inactive, {
        timeout: 15_000,
      });
      await append(["webset.created"], "webset_missed");
      const dead = await server.call("GET", `/quarry/v1/webhooks/${webhook.id}/deliveries?state=dead`);
      expect(dead.body).toMatchObject({ data: [{ eventId: event?.id, state: "dead", attempts: 1 }], hasMore: false });

      answers.delete("/gone");
      expect(await exa.websets.webhooks.update(webhook.id, {})).toMatchObject({ status: "active" });
      const replay = await server.call("POST", `/quarry/v1/webhooks/${webhook.id}/replay`, { dead: true });
      expect(replay.body).toEqual({ queued: 1 });
      expect(eventsIn(await arrivals("/gone", 2)).at(-1)).toMatchObject({ id: event?.id });
      const bad = await server.call("POST", `/quarry/v1/webhooks/${webhook.id}/replay`, {
        dead: true,
        eventIds: ["a"],
      });
      expect(bad.status).toBe(400);
    },
  );

  verifies(
    ["webhooks:rotate:two-secrets", "webhooks:delivery:two-signatures", "webhooks:test-event:send"],
    "have a second secret after a rotation, and both sign a test event",
    async () => {
      const webhook = await hook("/rotated");
      const rotated = (await server.call("POST", `/quarry/v1/webhooks/${webhook.id}/rotate`, {})).body as Webhook;
      expect(rotated.secret).not.toBe(webhook.secret);
      const test = await server.call("POST", `/quarry/v1/webhooks/${webhook.id}/test`, { type: "webset.item.created" });
      expect(test.body).toMatchObject({ successful: true, responseStatusCode: 200, eventType: "webset.item.created" });
      const [delivery] = await arrivals("/rotated", 1);
      if (delivery === undefined) throw new Error("it has arrived");
      expect(JSON.parse(delivery.rawBody.toString())).toMatchObject({
        type: "webset.item.created",
        data: { object: "webset_item" },
      });
      for (const secret of [webhook.secret ?? "", rotated.secret ?? ""]) {
        expect(
          findFault({ header: headerOf(delivery, "exa-signature"), rawBody: delivery.rawBody }, secret, new Date()),
        ).toBeUndefined();
        new StandardWebhook(secret).verify(delivery.rawBody, delivery.headers as Record<string, string>);
      }
      expect(await attemptsOf(webhook, 1)).toHaveLength(1);
    },
  );

  it("ask for what they need: a webhook of another team is not found", async () => {
    await expect(exa.websets.webhooks.listAttempts("webhook_none")).rejects.toMatchObject({ statusCode: 404 });
    const reply = await server.call("POST", "/quarry/v1/webhooks/webhook_none/test", {});
    expect(reply).toMatchObject({ status: 404 });
  });
});

describe("exa-js events", () => {
  verifies(
    [
      "events:exa-js:events",
      "events:list:paged",
      "events:list:types-filter",
      "events:list:export-left-out",
      "events:get:unknown",
    ],
    "are listed newest first by type, without exports unless asked, and read by id",
    async () => {
      const types = ["webset.created", "webset.search.created", "webset.export.created", "webset.idle"] as const;
      const written = await append(types, "webset_listed");
      const mine = (events: readonly { readonly id: string }[]) =>
        events.map(({ id }) => written.findIndex((event) => event.id === id)).filter((place) => place >= 0);
      expect(mine(await exa.websets.events.getAll({ limit: 2 }))).toEqual([3, 1, 0]);
      const filter = [EventType.webset_created, EventType.webset_export_created];
      expect(mine((await exa.websets.events.list({ types: filter, limit: 200 })).data)).toEqual([2, 0]);
      const [event] = written;
      expect(await exa.websets.events.get(event?.id ?? "")).toEqual({
        id: event?.id,
        object: "event",
        type: "webset.created",
        data: event?.data,
        createdAt: event?.createdAt.toISOString(),
      });
      await expect(exa.websets.events.get("event_none")).rejects.toMatchObject({ statusCode: 404 });
      expect((await server.call("GET", "/websets/v0/events?types=webset.exploded")).status).toBe(400);
    },
  );

  verifies("events:list:created-filters", "are listed from and up to an instant, both included", async () => {
    const at = new Date("2026-01-01T00:00:00.000Z");
    const events = eventsOf(teamId, ["webset.paused"], "webset_old");
    const [written] = await db.transaction((tx) => appendEvents(tx, events, at));
    const list = async (query: string) =>
      (
        (await server.call("GET", `/v0/events?types=webset.paused&${query}`)).body as { data: { id: string }[] }
      ).data.map(({ id }) => id);
    expect(await list(`createdAfter=${at.toISOString()}&createdBefore=${at.toISOString()}`)).toEqual([written?.id]);
    expect(await list("createdBefore=2025-12-31T23:59:59.999Z")).toEqual([]);
    expect(await list("createdAfter=2026-01-01T00:00:00.001Z")).toEqual([]);
  });
});

describe("the stream of events", () => {
  verifies(
    [
      "events:stream:sse",
      "events:stream:last-event-id",
      "events:stream:own-team",
      "events:stream:2000-disconnects",
      "promises:t12:streams",
    ],
    "goes on after any of 500 random disconnects without gap or repeat, and shows no other team's (5 % of the soak)",
    async () => {
      const DISCONNECTS = 500;
      const FOLLOWERS = 5;
      const LEAD = 10;
      const other = await createTeam(db, "other", new Date());
      const [begin] = await append(["webset.created"], "webset_stream");
      const written: string[] = [];
      const stop = new AbortController();
      let furthest = 0;
      const writing = (async () => {
        while (!stop.signal.aborted) {
          // far ahead of every client, they would but read what was there before they came
          if (written.length > furthest + LEAD) {
            await sleep(2);
            continue;
          }
          const events = await append(["webset.search.updated", "webset.item.created"], `webset_${written.length % 5}`);
          written.push(...events.map(({ id }) => id));
          await db.transaction((tx) => appendEvents(tx, eventsOf(other, ["webset.idle"], "webset_other")));
        }
      })();
      const seed = randomInt(2 ** 31);
      process.stdout.write(`events/stream: seed ${seed}; in full: npm run soak -- --only event-stream\n`);
      const seen = await followEvents(server, {
        lastId: begin?.id ?? "",
        followers: FOLLOWERS,
        onSeen: (count) => (furthest = Math.max(furthest, count)),
        disconnects: DISCONNECTS,
        random: makeRandom(seed),
        finish: async () => {
          stop.abort();
          await writing;
          return written.length;
        },
      });
      expect(seen).toEqual(Array.from({ length: FOLLOWERS }, () => written));
    },
    60_000,
  );
});

/** A company's page, as extraction likes it. */
function companyPage(name: string): string {
  const organization = {
    "@context": "https://schema.org",
    "@type": "Organization",
    name,
    url: `https://${name}.example/`,
  };
  return `<!doctype html><html lang="en"><head><title>${name}</title>
    <script type="application/ld+json">${JSON.stringify(organization)}</script></head><body><main><h1>${name}</h1>
    <p>${name} makes electric cargo bikes.</p><p>${name} employs 120 people.</p>
    <p>This page tells who we are and what we do, for customers and for the press.</p></main></body></html>`;
}

describe("the events of a webset's life", () => {
  verifies(
    [
      "events:types:webset",
      "events:types:search",
      "events:types:item",
      "events:types:import",
      "events:types:monitor",
      "events:types:monitor-run",
      "events:types:export",
      "events:order:plain-run",
      "events:data:full-resource",
      "events:write:ordered-per-resource",
      "events:item:enriched-once",
    ],
    "are all 19, whole and in order, in the log and at the webhook",
    async () => {
      const names = ["alpenrad", "bergwerk", "citylast"];
      const documents = names.map((name) => ({ url: `https://${name}.example/`, html: companyPage(name) }));
      expect((await server.call("POST", "/quarry/v1/documents?wait=true", documents)).status).toBe(200);
      await hook("/life", Object.values(EventType));
      const waiting = { timeout: 60_000, pollInterval: 100 };
      const search = {
        query: "companies that make electric cargo bikes",
        count: 5,
        entity: { type: "company" as const },
        criteria: [{ description: "makes electric cargo bikes" }],
      };
      const enrichments = ["Number of employees", "Number of offices"].map((description) => ({
        description,
        format: Format.number,
      }));
      const webset = await exa.websets.create({ search, enrichments });
      await exa.websets.waitUntilIdle(webset.id, waiting);
      const ran = await eventsOfWebset(webset.id);
      const items = await exa.websets.items.getAll(webset.id);
      expect(items.length).toBeGreaterThan(0);
      expectPlainRun(ran.map(({ type }) => type));
      const enriched = ran.filter(({ type }) => (type as string) === "webset.item.enriched");
      expect(enriched.map(({ data }) => data.id).sort()).toEqual(items.map(({ id }) => id).sort());

      const csv = "url\nhttps://alpenrad.example/\n";
      const made = await exa.websets.imports.create({ title: "bikes", entity: { type: "company" } }, csv);
      await exa.websets.imports.waitUntilCompleted(made.id, { timeout: 60_000, pollInterval: 100 });
      const monitor = await exa.websets.monitors.create({
        websetId: webset.id,
        cadence: { cron: "0 9 * * 1", timezone: "Etc/UTC" },
        behavior: { type: "search", config: { count: 1, behavior: "append" } },
      } as never);
      await server.call("POST", `/quarry/v1/monitors/${monitor.id}/trigger`);
      await vi.waitUntil(
        async () =>
          (await exa.websets.monitors.runs.list(monitor.id)).data.some(
            ({ status }) => (status as string) === "completed",
          ),
        { timeout: 60_000, interval: 100 },
      );
      await exa.websets.monitors.update(monitor.id, { status: UpdateMonitorStatus.disabled });
      await exa.websets.monitors.delete(monitor.id);
      const begun = await server.call("POST", `/websets/v0/websets/${webset.id}/exports`, { format: "csv" });
      const exported = `/websets/v0/websets/${webset.id}/exports/${(begun.body as { id: string }).id}`;
      await vi.waitUntil(
        async () => ((await server.call("GET", exported)).body as { status: string }).status === "completed",
        { timeout: 60_000, interval: 100 },
      );
      await server.call("POST", `/quarry/v1/websets/${webset.id}/pause`);
      const canceled = await exa.websets.searches.create(webset.id, {
        ...search,
        query: "bakeries",
        behavior: WebsetSearchBehavior.append,
      });
      await exa.websets.searches.cancel(webset.id, canceled.id);
      await exa.websets.delete(webset.id);

      const shown = (await exa.websets.events.getAll({ types: Object.values(EventType) })).reverse();
      const life = shown.filter(({ data }) => isAbout(data, [webset.id, made.id, monitor.id]));
      expect([...new Set(life.map(({ type }) => type as string))].sort()).toEqual([...EXA_EVENT_TYPES].sort());
      for (const event of life) expect(exaEventSchema.safeParse(event)).toMatchObject({ success: true });
      const delivered = eventsIn(await arrivals("/life", life.length)) as readonly Event[];
      for (const id of [webset.id, made.id, monitor.id]) {
        const ofOne = (events: readonly Event[]) =>
          events.filter(({ data }) => isAbout(data, [id])).map((event) => event.id);
        expect(ofOne(delivered)).toEqual(ofOne(life));
      }
    },
    180_000,
  );
});

/** Whether the resource is one of these, or belongs to one. */
function isAbout(data: object, ids: readonly string[]): boolean {
  const { object, id, websetId, monitorId } = data as Readonly<Record<string, string | undefined>>;
  const owner = object === "monitor" || object === "import" ? id : (monitorId ?? websetId ?? id);
  return ids.includes(owner ?? "");
}

async function eventsOfWebset(id: string): Promise<readonly Event[]> {
  return (await exa.websets.events.getAll()).filter(({ data }) => isAbout(data, [id])).reverse();
}

/** webset.created, then the search's creation, then what it finds, then its end, then idle. */
function expectPlainRun(types: readonly string[]): void {
  expect(types.slice(0, 2)).toEqual(["webset.created", "webset.search.created"]);
  expect(types.at(-1)).toBe("webset.idle");
  const completedAt = types.indexOf("webset.search.completed");
  expect(completedAt).toBeGreaterThan(types.lastIndexOf("webset.item.created"));
  const between = new Set(types.slice(2, completedAt));
  for (const type of between) {
    expect(["webset.search.updated", "webset.item.created", "webset.item.enriched"]).toContain(type);
  }
}

describe("a page monitor", () => {
  verifies(
    ["monitors:page:watch-url", "monitors:page:diff", "monitors:page:event-on-change"],
    "tells the webhook of a change, with the difference of the two snapshots",
    async () => {
      let price = "The price is 10 euros.";
      const site = await startWebhookReceiver(({ path }, response) => {
        const isPage = path === "/price";
        response.writeHead(isPage ? 200 : 404, { "content-type": "text/html" });
        response.end(isPage ? `<html><title>Price</title><main><h1>Bread</h1><p>${price}</p></main></html>` : "");
      });
      try {
        const webhook = (
          await server.call("POST", "/websets/v0/webhooks", {
            url: `${receiver.url}/page`,
            events: ["page_monitor.changed"],
          })
        ).body as Webhook;
        const made = await server.call("POST", "/quarry/v1/page-monitors", {
          url: `${site.url}/price`,
          everyMinutes: 60,
        });
        expect(made).toMatchObject({ status: 201, body: { object: "page_monitor", status: "enabled", checks: 0 } });
        const path = `/quarry/v1/page-monitors/${(made.body as { id: string }).id}`;
        const checked = (count: number) =>
          vi.waitUntil(async () => ((await server.call("GET", path)).body as { checks: number }).checks >= count, {
            timeout: 20_000,
            interval: 50,
          });
        await checked(1);
        price = "The price is 12 euros.";
        await server.call("POST", `${path}/check`);
        await checked(2);
        const [delivery] = await arrivals("/page", 1);
        if (delivery === undefined) throw new Error("it has arrived");
        const header = headerOf(delivery, "exa-signature");
        expect(findFault({ header, rawBody: delivery.rawBody }, webhook.secret ?? "", new Date())).toBeUndefined();
        const { data: changes } = (await server.call("GET", `${path}/changes`)).body as { data: readonly unknown[] };
        expect(changes).toEqual(eventsIn([delivery]));
        expect(changes).toMatchObject([
          {
            type: "page_monitor.changed",
            data: {
              changes: 1,
              change: { added: 1, removed: 1, diff: expect.stringContaining("+The price is 12 euros.") as string },
            },
          },
        ]);
        const refused = await server.call("POST", "/quarry/v1/page-monitors", { url: "http://10.1.2.3/" });
        expect(refused).toMatchObject({ status: 400 });
        expect((await server.call("DELETE", path)).body).toMatchObject({ object: "page_monitor" });
        expect((await server.call("GET", path)).status).toBe(404);
      } finally {
        await site.close();
      }
    },
    60_000,
  );
});
