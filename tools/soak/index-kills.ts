import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import { findIndexerProcess } from "./find-indexer-process.ts";
import type { Random } from "./random.ts";
import type { Soak } from "./soak.ts";

const KILLS = 40;
const CLIENTS = 2;
/** Addresses the clients write to: few enough that many are written more than once. */
const ADDRESSES = 150;
const DOCUMENTS_A_REQUEST = 5;
const SETTLED_WITHIN_MS = 180_000;
const SETTINGS = { QUARRY_LOG_LEVEL: "error", QUARRY_SAMPLE: "0" };

/** What a client was told about an address; `maybe` are requests that nobody answered. */
interface Known {
  acknowledged: string | null;
  maybe: (string | null)[];
}

/**
 * 40 times `kill -9`, of the whole server or of its indexing process, while clients write, update and delete
 * documents. Afterwards index and store agree, each document is found by its newest words and once, and no passage
 * whose vector was kept is computed again.
 */
export const indexKillsSoak: Soak = {
  name: "index-kills",
  run: async ({ random, size, report }) => {
    const kills = Math.max(2, Math.ceil(KILLS * size));
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-soak-"));
    const known = new Map<string, Known>();
    const violations: string[] = [];
    let word = 0;
    const nextWord = (): string => {
      word += 1;
      return toWord(word);
    };
    try {
      let server = await startServerProcess(directory, SETTINGS);
      for (let kill = 1; kill <= kills; kill += 1) {
        const stop = new AbortController();
        const clients = Array.from({ length: CLIENTS }, (_, client) =>
          writeDocuments(server, { client, random, nextWord, known, violations, signal: stop.signal }),
        );
        await sleep(random.integer(300, 3_000));
        if (kill % 3 === 0) {
          const pid = findIndexerProcess(server.pid);
          if (pid !== undefined) process.kill(pid, "SIGKILL");
          await sleep(random.integer(100, 1_500));
          stop.abort();
          await Promise.all(clients);
          report(`kill ${kill} of ${kills}: the indexing process`);
          continue;
        }
        await server.kill();
        stop.abort();
        await Promise.all(clients);
        server = await startServerProcess(directory, SETTINGS);
        report(`kill ${kill} of ${kills}: ready again after ${server.readyMs.toFixed(0)} ms`);
      }
      violations.push(...(await settle(server)), ...(await verify(server)), ...(await compare(server, known)));
      const embedded = await embeddedPassages(server);
      await server.kill();
      server = await startServerProcess(directory, SETTINGS);
      violations.push(...(await runTask(server, "rebuild")), ...(await settle(server)), ...(await verify(server)));
      const again = await embeddedPassages(server);
      if (again !== 0) violations.push(`${again} passages were embedded again after a restart and a rebuild`);
      violations.push(...(await compare(server, known)));
      const code = await server.stop();
      if (code !== 0) violations.push(`the server stopped with ${String(code)}`);
      return { figures: { kills, documents: known.size, writes: word, embedded }, violations };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** Writes, updates and deletes until told to stop or the server is gone. */
async function writeDocuments(
  server: ServerProcess,
  world: {
    readonly client: number;
    readonly random: Random;
    readonly nextWord: () => string;
    readonly known: Map<string, Known>;
    readonly violations: string[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { client, random, nextWord, known, violations, signal } = world;
  while (!signal.aborted) {
    // Each client has addresses of its own, so that it knows in which order they were written.
    const numbers = new Set(Array.from({ length: DOCUMENTS_A_REQUEST }, () => random.integer(0, ADDRESSES - 1)));
    const urls = [...numbers].map((number) => `https://c${client}.example/${number}`);
    const isDelete = random.integer(0, 5) === 0;
    const words = urls.map(() => (isDelete ? null : nextWord()));
    urls.forEach((url, place) => {
      const entry = known.get(url) ?? { acknowledged: null, maybe: [] };
      entry.maybe.push(words[place] ?? null);
      known.set(url, entry);
    });
    const body = isDelete ? { urls } : urls.map((url, place) => ({ url, text: toText(random, words[place] ?? "") }));
    const reply = await server.call(isDelete ? "DELETE" : "POST", "/quarry/v1/documents", body).catch(() => undefined); // killed under us: nobody acknowledged anything
    if (reply === undefined) return;
    if (reply.status !== 200) {
      violations.push(`a write was answered with ${reply.status}`);
      return;
    }
    urls.forEach((url, place) => known.set(url, { acknowledged: words[place] ?? null, maybe: [] }));
  }
}

/** Waits until nothing waits for words or vectors. */
async function settle(server: ServerProcess): Promise<readonly string[]> {
  for (const end = performance.now() + SETTLED_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("GET", "/quarry/v1/index");
    const { outbox, vectorOutbox } = body as { readonly outbox: number; readonly vectorOutbox: number };
    if (outbox + vectorOutbox === 0) return [];
    await sleep(200);
  }
  return ["the index did not settle"];
}

async function verify(server: ServerProcess): Promise<readonly string[]> {
  const reports: unknown[] = [];
  const failures = await runTask(server, "verify", (report) => reports.push(report));
  const [report] = reports as readonly { readonly differences?: number }[];
  return report?.differences === 0 ? failures : [...failures, `verify found differences: ${JSON.stringify(report)}`];
}

async function runTask(
  server: ServerProcess,
  kind: "verify" | "rebuild",
  onReport: (report: unknown) => void = () => undefined,
): Promise<readonly string[]> {
  const { body } = await server.call("POST", `/quarry/v1/index/${kind}`);
  const { id } = body as { readonly id: string };
  for (const end = performance.now() + SETTLED_WITHIN_MS; performance.now() < end;) {
    const answer = await server.call("GET", `/quarry/v1/index/tasks/${id}`);
    const task = answer.body as { readonly status: string; readonly report: unknown; readonly error: string | null };
    if (task.status === "failed") return [`${kind} failed: ${task.error ?? ""}`];
    if (task.status === "done") {
      onReport(task.report);
      return [];
    }
    await sleep(100);
  }
  return [`${kind} did not end`];
}

/** Asks for every document by the word that only its newest text has. */
async function compare(server: ServerProcess, known: ReadonlyMap<string, Known>): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const [url, { acknowledged, maybe }] of known) {
    if (maybe.length === 0 && acknowledged !== null) {
      const found = await search(server, acknowledged);
      if (found.join(" ") !== url) violations.push(`${url} is found as [${found.join(" ")}] by its word`);
    } else if (maybe.length === 0) {
      const { status } = await server.call("GET", `/quarry/v1/documents?url=${encodeURIComponent(url)}`);
      if (status !== 404) violations.push(`${url} was deleted and is there`);
    } else {
      // Written or not: but one of its states, and at most once.
      const found = await Promise.all(
        [acknowledged, ...maybe].filter((word) => word !== null).map((word) => search(server, word)),
      );
      if (found.flat().length > 1) violations.push(`${url} is found in more than one state`);
    }
  }
  return violations;
}

async function search(server: ServerProcess, word: string): Promise<readonly string[]> {
  const { status, body } = await server.call("POST", "/search", { query: word, type: "keyword", numResults: 10 });
  if (status !== 200) return [`status ${status}`];
  return (body as { readonly results: readonly { readonly id: string }[] }).results.map(({ id }) => id);
}

async function embeddedPassages(server: ServerProcess): Promise<number> {
  const { body } = await server.call("GET", "/quarry/v1/health");
  const { components } = body as {
    readonly components: readonly { readonly name: string; readonly figures?: Readonly<Record<string, number>> }[];
  };
  return components.find(({ name }) => name === "index")?.figures?.["passagesEmbedded"] ?? 0;
}

/** A word that no other text has and no stemmer touches. */
function toWord(number: number): string {
  return `zq${number
    .toString()
    .padStart(6, "0")
    .replaceAll(/\d/g, (digit) => "bcdfghjkmn"[Number(digit)] ?? "")}`;
}

/** Different enough that no two texts are taken for duplicates. */
function toText(random: Random, word: string): string {
  return `${word} ${Array.from({ length: 30 }, () => toWord(random.integer(500_000, 999_999))).join(" ")}`;
}
