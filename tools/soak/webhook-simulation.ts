import type { ServerResponse } from "node:http";
import { makeWebhookSecret } from "@quarry/contract";
import { createDispatcher, postByDialer } from "@quarry/events";
import { createDialer } from "@quarry/net";
import {
  appendEvents,
  createTeam,
  createWebhook,
  listAttempts,
  listDeliveries,
  makeWakeUp,
  rotateWebhookSecret,
  type Database,
  type NewEvent,
  type StoredEvent,
} from "@quarry/store";
import type { Random } from "./random.ts";
import { headerOf, startWebhookReceiver, type ReceivedDelivery } from "./webhook-receiver.ts";
import { findFault } from "./webhook-verifier.ts";

/** What a simulation found. */
export interface SimulationResult {
  readonly figures: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** A further look at each delivery, such as another verifier. Returns a fault. */
export type Inspect = (delivery: ReceivedDelivery, secret: string) => string | undefined;

const WEBSETS = 12;
/** The schedule has ten tries: one that fails more often in a row would be given up, rightly. A few are left for a starved machine. */
const MAX_FAILURES_IN_A_ROW = 7;
/** What takes longer counts as hanging; a starved machine may take one that is not for one. */
const HANG_MS = 500;
/** For the one that never fails: it must not look as if it did. */
const PATIENCE_MS = 60_000;
const START = new Date("2026-03-01T00:00:00.000Z");
/** Retries that come due within so long are made together: fewer steps, the same order. */
const STEP_MS = 60_000;
/** Seconds between the tries of one that never answers, as published. */
const SCHEDULE_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/**
 * Sends `count` events, under a clock that leaps, to receivers that fail half the time in every way they can, to one
 * that never fails, to one that always hangs and to one that is not there. Every event must arrive, in order for each
 * webset, signed; the one that never fails must get each at once, whatever the others do; what the last two never took
 * must be given up on schedule.
 */
export async function simulateDeliveries(
  db: Database,
  options: {
    readonly count: number;
    /** Receivers that fail half the time. */
    readonly flaky: number;
    readonly random: Random;
    readonly inspect?: Inspect;
  },
): Promise<SimulationResult> {
  const { count, random } = options;
  const violations: string[] = [];
  let nowMs = START.getTime();
  const clock = { now: () => new Date(nowMs) };
  const secrets = new Map<string, readonly string[]>();
  const failures = new Map<string, number>();
  const accepted = new Map<string, Arrival[]>();
  const firstSeen = new Map<string, Date>();
  const bell = makeWakeUp();
  const { signal } = new AbortController();
  let requests = 0;
  let settled = 0;

  const receiver = await startWebhookReceiver((delivery, response) => {
    requests += 1;
    const [, name = "", trap] = delivery.path.split("/");
    if (trap !== undefined) violations.push(`${name}: a redirect was followed`);
    for (const secret of secrets.get(name) ?? []) {
      const { rawBody } = delivery;
      const fault =
        findFault({ header: headerOf(delivery, "exa-signature"), rawBody }, secret, clock.now()) ??
        options.inspect?.(delivery, secret);
      if (fault !== undefined) violations.push(`${name}: ${fault}`);
    }
    const event = JSON.parse(delivery.rawBody.toString("utf8")) as EventBody;
    const key = `${name} ${event.id}`;
    const failed = failures.get(key) ?? 0;
    const isFlaky = name.startsWith("flaky");
    if (name === "steady" && !firstSeen.has(event.id)) firstSeen.set(event.id, clock.now());
    if (name === "hanging") return;
    if (isFlaky && failed < MAX_FAILURES_IN_A_ROW && random.chance(0.5)) {
      failures.set(key, failed + 1);
      failSomehow(random, response, `/${name}/trap`);
      return;
    }
    const arrivals = accepted.get(name) ?? [];
    accepted.set(name, arrivals);
    arrivals.push({ id: event.id, lane: laneOf(event) });
    response.writeHead(random.pick([200, 201, 204])).end();
  });
  const dialer = createDialer({ allowPrivateHosts: ["127.0.0.1"] });
  const patiently = postByDialer(dialer.fetch, PATIENCE_MS);
  const hastily = postByDialer(dialer.fetch, HANG_MS);
  const dispatcher = createDispatcher({
    database: db,
    post: (request, signal) => (request.url.endsWith("/steady") ? patiently : hastily)(request, signal),
    clock,
    random: random.next,
    leaseMs: 600_000,
    onSettled: () => {
      settled += 1;
      bell.ring();
    },
    onFailure: (error) => violations.push(`the dispatcher failed: ${error.message}`),
  });

  /** Sends what is due until nothing is; returns when the next is. */
  const sendDue = async (): Promise<Date | undefined> => {
    for (;;) {
      const settledBefore = settled;
      const next = await dispatcher.dispatch();
      if (settled > settledBefore) continue; // the dispatcher may have looked just before it: one behind it may be due
      if (dispatcher.underWay() === 0) return next;
      await bell.wait(60_000, signal);
    }
  };

  try {
    const teamId = await createTeam(db, "simulated", START);
    const hook = async (name: string, url: string, events: readonly string[]): Promise<string> => {
      const secret = makeWebhookSecret();
      secrets.set(name, [secret]);
      const wanted = { id: `webhook_${name}`, teamId, url, events, metadata: {}, secret };
      return (await createWebhook(db, wanted, START)).id;
    };
    const busy = ["webset.search.updated", "webset.item.created", "webset.idle"];
    const names = ["steady", ...Array.from({ length: options.flaky }, (_, index) => `flaky-${index}`)];
    for (const name of names) await hook(name, `${receiver.url}/${name}`, busy);
    await hook("hanging", `${receiver.url}/hanging`, ["webset.paused"]);
    await hook("absent", "http://127.0.0.1:9", ["webset.paused"]);

    const written: StoredEvent[] = [];
    while (written.length < count) {
      const batch = Array.from({ length: Math.min(random.integer(1, 40), count - written.length) }, () =>
        makeEvent(teamId, random),
      );
      written.push(...(await db.transaction((tx) => appendEvents(tx, batch, clock.now()))));
      await sendDue();
      nowMs += random.integer(0, 2 * STEP_MS);
    }
    const paused = {
      teamId,
      type: "webset.paused",
      resource: { kind: "webset", id: "webset_0" },
      data: { id: "webset_0" },
    };
    const doomed = await db.transaction((tx) => appendEvents(tx, [paused], clock.now()));
    const secret = makeWebhookSecret();
    const until = new Date(nowMs + 365 * 86_400_000);
    await rotateWebhookSecret(db, teamId, "webhook_flaky-0", { secret, previousUntil: until, now: clock.now() });
    secrets.set("flaky-0", [secret, ...(secrets.get("flaky-0") ?? [])]);
    for (let next = await sendDue(); next !== undefined; next = await sendDue()) {
      nowMs = Math.max(next.getTime(), nowMs + STEP_MS);
    }

    for (const name of names) violations.push(...compare(name, written, accepted.get(name) ?? []));
    violations.push(...findDelays(written, firstSeen));
    for (const name of ["hanging", "absent"]) {
      const dead = await listDeliveries(db, `webhook_${name}`, { state: "dead", limit: 200 });
      const ids = dead.data.filter(({ attempts }) => attempts === 10).map(({ eventId }) => eventId);
      if (
        !isSame(
          ids,
          doomed.map(({ id }) => id),
        )
      )
        violations.push(`${name}: what it never took was not given up`);
      const attempts = (await listAttempts(db, `webhook_${name}`, { limit: 20 })).data.toReversed();
      violations.push(
        ...findMistimed(attempts.map(({ attemptedAt }) => attemptedAt)).map((fault) => `${name}: ${fault}`),
      );
    }
    return {
      figures: {
        events: written.length,
        webhooks: names.length + 2,
        requests,
        "simulated days": (nowMs - START.getTime()) / 86_400_000,
      },
      violations: violations.slice(0, 50),
    };
  } finally {
    await dispatcher.abandon();
    await dialer.close();
    await receiver.close();
  }
}

interface EventBody {
  readonly id: string;
  readonly data: { readonly id: string; readonly websetId?: string };
}

interface Arrival {
  readonly id: string;
  readonly lane: string;
}

function laneOf({ data }: EventBody): string {
  return data.websetId ?? data.id;
}

function makeEvent(teamId: string, random: Random): NewEvent {
  const websetId = `webset_${random.integer(1, WEBSETS)}`;
  const [type, data] = random.pick([
    ["webset.idle", { object: "webset", id: websetId }],
    ["webset.item.created", { object: "webset_item", id: "witem_1", websetId }],
    ["webset.search.updated", { object: "webset_search", id: "wsearch_1", websetId }],
  ] as const);
  return { teamId, type, resource: { kind: "webset", id: websetId }, data };
}

function failSomehow(random: Random, response: ServerResponse, trap: string): void {
  const way = random.integer(0, 59);
  if (way === 0) return; // hangs
  if (way < 12)
    response.destroy(); // resets
  else if (way < 20) response.writeHead(302, { location: trap }).end();
  else if (way < 28) response.writeHead(429, { "retry-after": String(random.integer(1, 600)) }).end();
  else if (way < 36) response.writeHead(503, { "retry-after": "Sun, 01 Mar 2026 12:00:00 GMT" }).end();
  else if (way < 40)
    response.writeHead(200, { "content-length": "10" }).destroy(); // breaks off before its headers left
  else response.writeHead(random.pick([400, 401, 404, 500, 502])).end("no");
}

/** Each event must be there, and the first arrivals of a webset in the order of the log. */
function compare(name: string, written: readonly StoredEvent[], arrivals: readonly Arrival[]): readonly string[] {
  const violations: string[] = [];
  const firsts = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const { id, lane } of arrivals) {
    if (seen.has(id)) continue;
    seen.add(id);
    const ids = firsts.get(lane) ?? [];
    firsts.set(lane, ids);
    ids.push(id);
  }
  const missing = written.filter(({ id }) => !seen.has(id)).length;
  if (missing > 0) violations.push(`${name}: ${missing} of ${written.length} events never arrived`);
  for (const [lane, ids] of firsts) {
    const expected = written.filter(({ resource }) => resource.id === lane).map(({ id }) => id);
    if (missing === 0 && !isSame(ids, expected)) violations.push(`${name}: the events of ${lane} came out of order`);
  }
  return violations;
}

/** The clock stands still while what is due is sent: what is not delayed comes at the time it was written. */
function findDelays(written: readonly StoredEvent[], firstSeen: ReadonlyMap<string, Date>): readonly string[] {
  const late = written.filter(({ id, createdAt }) => firstSeen.get(id)?.getTime() !== createdAt.getTime()).length;
  return late === 0 ? [] : [`steady: ${late} events came late`];
}

/** Each pause as published or up to a tenth longer; the clock's steps come on top. */
function findMistimed(times: readonly Date[]): readonly string[] {
  return SCHEDULE_S.flatMap((seconds, index) => {
    const pause = ((times[index + 1]?.getTime() ?? 0) - (times[index]?.getTime() ?? 0)) / 1_000;
    const isRight = pause >= seconds && pause <= seconds * 1.1 + (2 * STEP_MS) / 1_000;
    return isRight ? [] : [`try ${index + 2} came ${pause} s after the one before, not ${seconds}`];
  });
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
