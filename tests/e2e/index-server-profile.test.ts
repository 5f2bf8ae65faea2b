import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, vi } from "vitest";
import { startObjectStorage } from "../../tools/object-storage-process.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const BATCHES = 12;
const DOCUMENTS_A_BATCH = 20;
const SEARCHES_AT_ONCE = 8;
const SETTLED_WITHIN_MS = 60_000;

verifies(
  ["index:server:postgres-and-s3", "index:server:two-api-two-workers", "durability:index:server-profile-kills"],
  "two api and two worker processes share a PostgreSQL and an index on object storage; one of each dies, nothing is lost",
  () =>
    withProcesses(async ({ apis, workers }) => {
      const [first, second] = apis;
      const acknowledged: string[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        if (batch === BATCHES / 2) {
          await (await findWriter(workers)).kill(); // the other one takes over
          await first.kill();
        }
        const api = batch < BATCHES / 2 && batch % 2 === 0 ? first : second;
        const documents = Array.from({ length: DOCUMENTS_A_BATCH }, (_, place) =>
          makeDocument(batch * DOCUMENTS_A_BATCH + place),
        );
        const { status } = await api.call("POST", "/quarry/v1/documents", documents);
        expect(status).toBe(200);
        acknowledged.push(...documents.map(({ url }) => url));
      }
      await settle(second);
      const found: string[] = [];
      for (let from = 0; from < acknowledged.length; from += SEARCHES_AT_ONCE) {
        const numbers = Array.from({ length: SEARCHES_AT_ONCE }, (_, place) => from + place);
        found.push(...(await Promise.all(numbers.map((number) => search(second, wordOf(number))))).flat());
      }
      expect(found).toEqual(acknowledged);
    }),
  240_000,
);

interface Processes {
  readonly apis: readonly [ServerProcess, ServerProcess];
  readonly workers: readonly [ServerProcess, ServerProcess];
}

/** Two processes of each role with a database, an index and blobs that all share. */
async function withProcesses(work: (processes: Processes) => Promise<void>): Promise<void> {
  const storage = await startObjectStorage(["quarry"]);
  try {
    await withDatabase((_db, url) =>
      withDataDirectory(async (shared) => {
        const settings = {
          ...storage.environment,
          QUARRY_DATABASE_URL: url,
          QUARRY_INDEX_URL: "s3://quarry/index",
          QUARRY_BLOB_URL: `${shared}/blobs`,
          QUARRY_SAMPLE: "0",
          QUARRY_LOG_LEVEL: "error",
          QUARRY_API_KEY: "a-key-for-all-four-0123456789", // workers have no key of their own
        };
        const running: ServerProcess[] = [];
        const start = async (role: string, number: number): Promise<ServerProcess> => {
          const one = await startServerProcess(`${shared}/${role}${number}`, { ...settings, QUARRY_ROLE: role });
          running.push(one);
          return one;
        };
        try {
          // One after the other: four at once starve each other on a small machine.
          const workers = [await start("worker", 1), await start("worker", 2)] as const;
          const apis = [await start("api", 1), await start("api", 2)] as const;
          await work({ apis, workers });
        } finally {
          await Promise.all(running.map((one) => one.stop()));
        }
      }),
    );
  } finally {
    await storage.close();
  }
}

/** The worker that writes the index; the other one waits for its turn. */
async function findWriter(workers: readonly ServerProcess[]): Promise<ServerProcess> {
  const details = await Promise.all(
    workers.map(async (worker) => {
      const { body } = await worker.call("GET", "/quarry/v1/health");
      const { components } = body as {
        readonly components: readonly { readonly name: string; readonly detail?: string }[];
      };
      return components.find(({ name }) => name === "index")?.detail ?? "";
    }),
  );
  const writer = workers.find((_, place) => !(details[place] ?? "").includes("another process writes"));
  expect(details.filter((detail) => detail.includes("another process writes"))).toHaveLength(1);
  if (writer === undefined) throw new Error("no worker writes the index");
  return writer;
}

async function settle(api: ServerProcess): Promise<void> {
  await vi.waitUntil(
    async () => ((await api.call("GET", "/quarry/v1/index")).body as { readonly outbox: number }).outbox === 0,
    { timeout: SETTLED_WITHIN_MS, interval: 200 },
  );
  await vi.waitUntil(
    async () => {
      const last = wordOf(BATCHES * DOCUMENTS_A_BATCH - 1);
      return (await search(api, last)).length === 1; // this process has looked since
    },
    { timeout: 10_000, interval: 100 },
  );
}

async function search(api: ServerProcess, word: string): Promise<readonly string[]> {
  const { status, body } = await api.call("POST", "/search", { query: word, type: "keyword", numResults: 10 });
  expect(status).toBe(200);
  return (body as { readonly results: readonly { readonly id: string }[] }).results.map(({ id }) => id);
}

function makeDocument(number: number): { readonly url: string; readonly text: string } {
  const words = Array.from({ length: 25 }, (_, place) => wordOf(1_000 + number * 25 + place));
  return { url: `https://e.org/${number}`, text: `${wordOf(number)} ${words.join(" ")}` };
}

/** A word of its own for every number. */
function wordOf(number: number): string {
  return `zq${number
    .toString()
    .padStart(6, "0")
    .replaceAll(/\d/g, (digit) => "bcdfghjkmn"[Number(digit)] ?? "")}`;
}
