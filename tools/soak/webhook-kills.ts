import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import { makeWebhookSecret } from "@quarry/contract";
import {
  appendEvents,
  createTeam,
  createWebhook,
  migrate,
  openDatabase,
  startEmbeddedPostgres,
  type Database,
  type DatabaseAddress,
} from "@quarry/store";
import { buildProgram } from "./build-program.ts";
import type { Random } from "./random.ts";
import type { Soak } from "./soak.ts";
import { headerOf, startWebhookReceiver } from "./webhook-receiver.ts";
import { findFault } from "./webhook-verifier.ts";

const KILLS = 50;
const EVENTS_PER_KILL = 40;
const WEBSETS = 6;
const LEASE_MS = 1_500;
const FINISH_WITHIN_MS = 120_000;

/** 50 times `kill -9` of the sender on its way: no event is lost, and those of a webset arrive in order. */
export const webhookKillsSoak: Soak = {
  name: "webhook-kills",
  run: async ({ random, size, report }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-soak-webhooks-"));
    const program = await buildProgram("tools/soak/webhook-sender-program.ts");
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    try {
      const db = await openDatabase({ address: server.address });
      try {
        await migrate(db, path.resolve("packages/store/migrations"));
        const kills = Math.max(1, Math.ceil(KILLS * size));
        return await strike({ db, address: server.address, program, random, kills, report });
      } finally {
        await db.close();
      }
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
      await rm(program, { force: true });
    }
  },
};

interface Scene {
  readonly db: Database;
  readonly address: DatabaseAddress;
  readonly program: string;
  readonly random: Random;
  readonly kills: number;
  readonly report: (line: string) => void;
}

async function strike({ db, address, program, random, kills, report }: Scene) {
  const violations: string[] = [];
  const secret = makeWebhookSecret();
  const arrivals: { readonly id: string; readonly lane: string }[] = [];
  const receiver = await startWebhookReceiver((delivery, response) => {
    const { rawBody } = delivery;
    const fault = findFault({ header: headerOf(delivery, "exa-signature"), rawBody }, secret, new Date());
    if (fault !== undefined) violations.push(fault);
    const event = JSON.parse(rawBody.toString("utf8")) as { id: string; data: { id: string } };
    setTimeout(
      () => {
        arrivals.push({ id: event.id, lane: event.data.id });
        response.end(); // a sender that was killed meanwhile never hears of it
      },
      random.integer(0, 40),
    );
  });
  let sender = await startSender(program, address);
  try {
    const teamId = await createTeam(db, "killed", new Date());
    const wanted = { id: "webhook_kills", teamId, url: receiver.url, events: ["webset.idle"], metadata: {}, secret };
    await createWebhook(db, wanted, new Date());
    const written: { readonly id: string; readonly lane: string }[] = [];
    let onTheWay = 0;
    for (let kill = 1; kill <= kills; kill += 1) {
      const batch = Array.from({ length: EVENTS_PER_KILL }, () => {
        const id = `webset_${random.integer(1, WEBSETS)}`;
        return { teamId, type: "webset.idle", resource: { kind: "webset", id }, data: { object: "webset", id } };
      });
      const events = await db.transaction((tx) => appendEvents(tx, batch));
      written.push(...events.map(({ id, resource }) => ({ id, lane: resource.id })));
      const before = arrivals.length;
      for (const end = Date.now() + 10_000; arrivals.length === before && Date.now() < end;) await sleep(5);
      await sleep(random.integer(0, 150));
      if (await countOpen(db)) onTheWay += 1;
      await end(sender);
      sender = await startSender(program, address);
      if (kill % 10 === 0) report(`kill ${kill} of ${kills}`);
    }
    for (const deadline = Date.now() + FINISH_WITHIN_MS; (await countOpen(db)) > 0 && Date.now() < deadline;) {
      await sleep(100);
    }
    violations.push(...compare(written, arrivals));
    const repeats = arrivals.length - new Set(arrivals.map(({ id }) => id)).size;
    return { figures: { kills, onTheWay, events: written.length, arrivals: arrivals.length, repeats }, violations };
  } finally {
    await end(sender);
    await receiver.close();
  }
}

async function startSender(program: string, address: DatabaseAddress): Promise<ChildProcess> {
  const settings = JSON.stringify({ address, leaseMs: LEASE_MS });
  const child = spawn(process.execPath, ["--enable-source-maps", program, settings], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

async function countOpen(db: Database): Promise<number> {
  const [row] = await db.query<{ open: number }>(
    "SELECT count(*) AS open FROM webhook_deliveries WHERE state IN ('waiting', 'behind', 'sending')",
  );
  return row?.open ?? 0;
}

type Placed = { readonly id: string; readonly lane: string };

function compare(written: readonly Placed[], arrivals: readonly Placed[]): readonly string[] {
  const firsts = [...new Map(arrivals.map((arrival) => [arrival.id, arrival])).values()];
  const arrived = new Set(firsts.map(({ id }) => id));
  const lost = written.filter(({ id }) => !arrived.has(id)).length;
  if (lost > 0) return [`${lost} of ${written.length} events were lost`];
  const lanes = [...new Set(written.map(({ lane }) => lane))];
  const inLane = (placed: readonly Placed[], lane: string) =>
    placed
      .filter((one) => one.lane === lane)
      .map(({ id }) => id)
      .join();
  return lanes
    .filter((lane) => inLane(written, lane) !== inLane(firsts, lane))
    .map((lane) => `the events of ${lane} came out of order`);
}
