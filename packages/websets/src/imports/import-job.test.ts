import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createImportSchema } from "@quarry/contract";
import {
  countImportRows,
  createDirectoryBlobStore,
  ensureFirstTeam,
  getImport,
  IMPORT_JOB,
  listEvents,
  readImportRows,
  type BlobStore,
  type Database,
  type Import,
  type JobHandler,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { runDueJobs } from "../testing/run-jobs.ts";
import { createImportJobHandler } from "./import-job.ts";
import { beginImport, receiveUpload, removeImport, type ImportDeps } from "./import-service.ts";

interface World extends ImportDeps {
  readonly teamId: string;
  readonly begin: (size: number, change?: Record<string, unknown>) => Promise<{ begun: Import; uploadToken: string }>;
  readonly send: (file: string | Uint8Array, change?: Record<string, unknown>) => Promise<Import>;
  readonly work: (handler?: JobHandler) => Promise<number>;
}

let made = 0;

function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  return withDatabase(async (database: Database) => {
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-imports-"));
    try {
      const clock = { now: () => new Date() };
      const { teamId } = await ensureFirstTeam(database, { now: clock.now() });
      const deps = { database, clock, blobs: createDirectoryBlobStore(directory) };
      const begin: World["begin"] = (size, change = {}) => {
        const wish = createImportSchema.parse({
          size,
          count: 1,
          format: "csv",
          entity: { type: "company" },
          ...change,
        });
        return beginImport(deps, wish, { id: `import_${(made += 1)}`, teamId });
      };
      await use({
        ...deps,
        teamId,
        begin,
        work: (handler = createImportJobHandler(deps)) => runDueJobs(database, { [IMPORT_JOB]: handler }, new Date()),
        send: async (file, change) => {
          const bytes = Buffer.from(file);
          const { begun, uploadToken } = await begin(Math.max(1, bytes.length), change);
          return receiveUpload(deps, begun.id, { token: uploadToken, bytes });
        },
      });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

function listOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `Company ${index},https://company-${index}.example/`);
  return `name,url\n${lines.join("\n")}\n`;
}

describe("an uploaded file", () => {
  verifies(
    ["imports:csv:100k-streamed", "imports:status:states"],
    "of 100,000 rows becomes 100,000 rows, read in batches",
    () =>
      withWorld(async ({ database, teamId, send, work }) => {
        const received = await send(listOf(100_000));
        expect(received.status).toBe("processing");
        await work();
        const read = await getImport(database, teamId, received.id);
        expect(read).toMatchObject({ status: "completed", count: 100_000, recordsRead: 100_000, failedReason: null });
        expect(await countImportRows(database, received.id)).toBe(100_000);
        const rows = await readImportRows(database, received.id, { teamId, after: 99_998 });
        expect(rows.map(({ number, url, name }) => [number, url, name])).toEqual([
          [99_999, "https://company-99998.example/", "Company 99998"],
          [100_000, "https://company-99999.example/", "Company 99999"],
        ]);
        expect(await readImportRows(database, received.id, { teamId: "team_other" })).toEqual([]);
        const resource = { kind: "import", id: received.id };
        const { data } = await listEvents(database, { teamId, resource, limit: 10 });
        expect(data.map(({ type }) => type)).toEqual(["import.created", "import.completed"]);
      }),
    60_000,
  );

  it("goes on after the last whole batch when its worker dies, also twice at once", () =>
    withWorld(async (world) => {
      const received = await world.send(listOf(3_500));
      const real = createImportJobHandler(world);
      let deaths = 0;
      const dying: BlobStore = world.blobs;
      const mortal = createImportJobHandler({
        ...world,
        blobs: dying,
        clock: {
          now: () => {
            deaths += 1;
            if (deaths === 3) throw new Error("the worker dies in the middle");
            return new Date();
          },
        },
      });
      await world.work(mortal);
      expect(await getImport(world.database, world.teamId, received.id)).toMatchObject({
        status: "processing",
        recordsRead: 2_000,
        rowsKept: 2_000,
      });
      await world.database.query(
        "UPDATE jobs SET run_at = now() - interval '1 second', state = 'queued' WHERE kind = $1 AND state <> 'canceled'",
        [IMPORT_JOB],
      );
      const slow: JobHandler = async (run) => {
        const zombie = real({ ...run, complete: () => Promise.reject(new Error("the lease is lost")) });
        const [, second] = await Promise.allSettled([zombie, real(run)]);
        if (second.status === "rejected") throw second.reason;
        return second.value;
      };
      await world.work(slow);
      await world.database.query("UPDATE jobs SET run_at = now() - interval '1 second' WHERE state = 'scheduled'");
      await world.work();
      expect(await getImport(world.database, world.teamId, received.id)).toMatchObject({
        status: "completed",
        count: 3_500,
      });
      expect(await countImportRows(world.database, received.id)).toBe(3_500);
    }));

  verifies(
    [
      "imports:status:invalid-format",
      "imports:status:invalid-file-content",
      "imports:status:missing-identifier",
      "imports:status:failed-message",
      "imports:csv:empty",
      "imports:csv:header-only",
    ],
    "that cannot be used fails with a reason and a message, and keeps no row",
    () =>
      withWorld(async ({ database, teamId, send, work }) => {
        const broken = `${listOf(1_500)}"Acme,https://acme.example\n`;
        const cases = [
          ["", "invalid_file_content", /empty/],
          ["name,url\n", "invalid_file_content", /no records/],
          ["%PDF-1.7", "invalid_format", /PDF/],
          [broken, "invalid_file_content", /never closed/],
          ["year,size\n1990,4\n", "missing_identifier", /csv\.identifier/],
          ["url,name\n,\n", "invalid_file_content", /no records/],
        ] as const;
        for (const [file, reason, message] of cases) {
          const { id } = await send(file);
          await work();
          const failed = await getImport(database, teamId, id);
          expect(failed).toMatchObject({ status: "failed", failedReason: reason, rowsKept: 0 });
          expect([failed.failedMessage, failed.failedAt]).toEqual([expect.stringMatching(message), expect.any(Date)]);
          expect(await countImportRows(database, id)).toBe(0);
        }
        const outOfRange = await send("a,b\nx,y\n", { csv: { identifier: 7 } });
        await work();
        expect((await getImport(database, teamId, outOfRange.id)).failedReason).toBe("missing_identifier");
      }),
  );

  it("that never comes fails its import once no upload can come any more", () =>
    withWorld(async (world) => {
      const { begun, uploadToken } = await world.begin(100);
      const at = async (afterMs: number): Promise<Import> => {
        const now = new Date(begun.uploadValidUntil.getTime() + afterMs);
        const handler = createImportJobHandler({ ...world, clock: { now: () => now } });
        await runDueJobs(world.database, { [IMPORT_JOB]: handler }, now);
        return getImport(world.database, world.teamId, begun.id);
      };
      expect(await at(0)).toMatchObject({ status: "pending", failedReason: null });
      expect(await at(10 * 60_000)).toMatchObject({
        status: "failed",
        failedReason: "invalid_file_content",
        failedMessage: expect.stringContaining("no file was uploaded") as string,
      });
      const upload = { token: uploadToken, bytes: Buffer.from(listOf(2)) };
      await expect(receiveUpload(world, begun.id, upload)).rejects.toMatchObject({ code: "conflict" });
    }));

  verifies("imports:create:identifier", "is identified by the column that csv.identifier names", () =>
    withWorld(async ({ database, teamId, send, work }) => {
      const { id } = await send("url,ticker\nhttps://a.example,AAA\nhttps://b.example,BBB\n", {
        csv: { identifier: 1 },
      });
      await work();
      const rows = await readImportRows(database, id, { teamId });
      expect(rows.map(({ identifier, url }) => [identifier, url])).toEqual([
        ["AAA", "https://a.example/"],
        ["BBB", "https://b.example/"],
      ]);
    }),
  );

  it("that comes by two uploads at once is taken once", () =>
    withWorld(async (world) => {
      const { begun, uploadToken } = await world.begin(100);
      const upload = { token: uploadToken, bytes: Buffer.from(listOf(2)) };
      const both = await Promise.allSettled([
        receiveUpload(world, begun.id, upload),
        receiveUpload(world, begun.id, upload),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await world.work()).toBe(1);
      await removeImport(world, world.teamId, begun.id);
      await expect(getImport(world.database, world.teamId, begun.id)).rejects.toMatchObject({ code: "not_found" });
      const left: string[] = [];
      for await (const key of world.blobs.list("imports")) left.push(key);
      expect(left).toEqual([]);
    }));
});
