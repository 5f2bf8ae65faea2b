import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import { startLightEmbedder } from "../light-embedder.ts";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import type { Soak } from "./soak.ts";

const KILLS = 60;
const CLIENTS = 4;
/** Keys a client makes before it waits for the next round. */
const KEYS_PER_ROUND = 8;
const PAGE = 100;
/** A request that the killed server was working on may be asked for again after this long at the latest. */
const CLAIMS_FREE_WITHIN_MS = 40_000;
/** One key for all starts: a reply that holds a secret is shown again only to the key that asked first. */
const SETTINGS = { QUARRY_LOG_LEVEL: "warn", QUARRY_API_KEY: "one-key-for-all-starts-000000" };

/** One key a client wants, and what it was told about it. */
interface Wish {
  readonly name: string;
  readonly idempotencyKey: string;
  /** The id of the first acknowledgement; undefined while there was none. */
  acknowledged: string | undefined;
}

/**
 * 60 times `kill -9` of the whole server while clients make keys: what was acknowledged is there, once and under the
 * id that was told, and what was not can be asked for again with its Idempotency-Key without being made twice.
 */
export const serverKillsSoak: Soak = {
  name: "server-kills",
  run: async ({ random, size, report }) => {
    const kills = Math.max(1, Math.ceil(KILLS * size));
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-soak-"));
    const wishes: Wish[] = [];
    const violations: string[] = [];
    let retries = 0;
    let slowestReadyMs = 0;
    const embedder = await startLightEmbedder();
    const start = (): Promise<ServerProcess> => startServerProcess(directory, { ...SETTINGS, ...embedder.settings });
    try {
      let server = await start();
      for (let kill = 1; kill <= kills; kill += 1) {
        const open = wishes.filter(({ acknowledged }) => acknowledged === undefined);
        retries += open.length;
        const fresh = Array.from({ length: CLIENTS * KEYS_PER_ROUND }, (_, index) =>
          makeWish(`round ${kill} key ${index}`),
        );
        wishes.push(...fresh);
        const asked = [...open, ...fresh];
        const clients = Array.from({ length: CLIENTS }, (_, client) =>
          makeKeys(
            server,
            asked.filter((_wish, index) => index % CLIENTS === client),
            violations,
          ),
        );
        await sleep(random.integer(0, 1_500));
        await server.kill();
        await Promise.all(clients);
        server = await start();
        slowestReadyMs = Math.max(slowestReadyMs, Math.round(server.readyMs));
        report(`kill ${kill} of ${kills}: ready again after ${server.readyMs.toFixed(0)} ms`);
      }
      const left = (): Wish[] => wishes.filter(({ acknowledged }) => acknowledged === undefined);
      for (const end = performance.now() + CLAIMS_FREE_WITHIN_MS; left().length > 0 && performance.now() < end;) {
        await makeKeys(server, left(), violations);
        await sleep(500);
      }
      violations.push(...left().map(({ name }) => `${name} was refused to the end`));
      violations.push(...(await compare(server, wishes)));
      await server.stop();
    } finally {
      await embedder.close();
      rmSync(directory, { recursive: true, force: true });
    }
    const acknowledged = wishes.filter((wish) => wish.acknowledged !== undefined).length;
    return { figures: { kills, wishes: wishes.length, acknowledged, retries, slowestReadyMs }, violations };
  },
};

function makeWish(name: string): Wish {
  return { name, idempotencyKey: randomUUID(), acknowledged: undefined };
}

/** Asks for the keys one after the other, until all are there or the server is gone. */
async function makeKeys(server: ServerProcess, wishes: readonly Wish[], violations: string[]): Promise<void> {
  for (const wish of wishes) {
    const reply = await fetch(`${server.url}/quarry/v1/keys`, {
      method: "POST",
      headers: {
        "x-api-key": SETTINGS.QUARRY_API_KEY,
        "content-type": "application/json",
        "idempotency-key": wish.idempotencyKey,
      },
      body: JSON.stringify({ name: wish.name }),
    }).then(
      async (answer) => ({ status: answer.status, body: (await answer.json()) as { id?: string; error?: string } }),
      () => undefined, // killed under us: nobody acknowledged anything
    );
    if (reply === undefined) return;
    // A claim that the killed server held is free again after its lease; asked then, the answer comes.
    if (reply.status === 409) continue;
    if (reply.status === 201 && reply.body.id !== undefined) wish.acknowledged ??= reply.body.id;
    else violations.push(`${wish.name} was answered with ${reply.status}: ${reply.body.error ?? ""}`);
  }
}

async function compare(server: ServerProcess, wishes: readonly Wish[]): Promise<readonly string[]> {
  const found = new Map<string, string[]>();
  for (let cursor = ""; ;) {
    const { body } = await server.call("GET", `/quarry/v1/keys?limit=${PAGE}${cursor}`);
    const page = body as { data: { id: string; name: string }[]; nextCursor: string | null };
    for (const { id, name } of page.data) found.set(name, [...(found.get(name) ?? []), id]);
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  return wishes.flatMap(({ name, acknowledged }) => {
    const ids = found.get(name) ?? [];
    if (ids.length > 1) return [`${name} is there ${ids.length} times`];
    if (acknowledged !== undefined && ids[0] !== acknowledged)
      return [`${name} was acknowledged and is not there under its id`];
    return [];
  });
}
