import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId } from "@quarry/base";
import type { ExportFormat } from "@quarry/contract";
import {
  createDirectoryBlobStore,
  createTeam,
  enqueueJob,
  ensureFirstTeam,
  EXPORT_JOB,
  fillWebsetCell,
  findWebsetExport,
  insertWebset,
  insertWebsetEnrichment,
  insertWebsetItem,
  insertWebsetSearch,
  listEvents,
  lockWebset,
  openWebsetCells,
  type BlobStore,
  type Database,
  type WebsetExport,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { parse } from "csv-parse/sync";
import { unzipSync } from "fflate";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { runDueJobs } from "../testing/run-jobs.ts";
import { readExportFile } from "./export-file.ts";
import { createExportJobHandler, createFileSweepHandler, FILE_SWEEP_JOB } from "./export-job.ts";
import { beginExport, openDownload, showExport, type ExportDeps } from "./export-service.ts";
import { isFormula } from "./is-formula.ts";

const NASTY = '=HYPERLINK("http://evil.example","x"), "quoted"\nand more';
const ENRICHMENT = "wenrich_size";

interface World extends ExportDeps {
  readonly db: Database;
  readonly teamId: string;
  readonly websetId: string;
  readonly addItems: (count: number, name?: (index: number) => string) => Promise<void>;
  readonly begin: (format: ExportFormat) => Promise<WebsetExport>;
  readonly work: (change?: Partial<ExportDeps>) => Promise<void>;
  readonly file: (format: ExportFormat) => Promise<Buffer>;
  readonly moveTo: (moment: string) => void;
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-exports-"));
  try {
    await withDatabase(async (db) => {
      let now = new Date("2026-03-01T12:00:00Z");
      const { teamId } = await ensureFirstTeam(db, { now });
      const websetId = makeId("webset");
      await db.transaction(async (tx) => {
        await insertWebset(
          tx,
          {
            id: websetId,
            teamId,
            externalId: "mine",
            title: "Mine",
            metadata: {},
            excludes: [],
            imports: [],
            caps: {},
          },
          now,
        );
        await insertWebsetSearch(tx, searchRow(websetId, teamId), now);
        await insertWebsetEnrichment(tx, enrichmentRow(websetId, teamId), now);
      });
      const blobs = createDirectoryBlobStore(directory);
      const deps = { database: db, blobs, clock: { now: () => now } };
      let items = 0;
      const begin = (format: ExportFormat) =>
        beginExport(deps, {
          id: makeId("export", now),
          teamId,
          webset: "mine",
          format,
          baseUrl: "https://quarry.example",
        });
      const work = async (change: Partial<ExportDeps> = {}): Promise<void> => {
        await runDueJobs(db, { [EXPORT_JOB]: createExportJobHandler({ ...deps, ...change }) }, new Date());
      };
      await use({
        ...deps,
        db,
        teamId,
        websetId,
        begin,
        work,
        addItems: (count, name = (index) => `Company ${index}`) =>
          db.transaction(async (tx) => {
            await lockWebset(tx, websetId);
            for (let more = 0; more < count; more += 1) {
              const index = (items += 1);
              await insertWebsetItem(tx, itemRow(websetId, teamId, index, name(index)), now);
            }
            const [first] = await openWebsetCells(tx, { websetId, enrichmentIds: [ENRICHMENT] }, now);
            const references = [
              reference("https://size.example/a"),
              reference("https://size.example/b"),
              reference("https://size.example/a"),
            ];
            if (first !== undefined) {
              await fillWebsetCell(
                tx,
                first,
                { result: ["42"], reasoning: "It says so.", references, human: null },
                now,
              );
            }
          }),
        file: async (format) => {
          const begun = await begin(format);
          await work();
          return fileOf(blobs, await findWebsetExport(db, begun.id));
        },
        moveTo: (moment) => (now = new Date(moment)),
      });
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function fileOf(blobs: BlobStore, written: WebsetExport | undefined): Promise<Buffer> {
  if (written?.status !== "completed") throw new Error(`the export is ${written?.status ?? "gone"}`);
  const parts: Uint8Array[] = [];
  for await (const part of readExportFile(blobs, written)) parts.push(part);
  expect(Buffer.concat(parts)).toHaveLength(written.bytes ?? -1);
  return Buffer.concat(parts);
}

const reference = (url: string) => ({
  url,
  title: null,
  snippet: "quote",
  snapshotId: null,
  extractorVersion: null,
  start: 0,
  end: 5,
});

function searchRow(websetId: string, teamId: string) {
  return {
    id: makeId("wsearch"),
    websetId,
    teamId,
    query: "labs",
    entity: { type: "company" },
    criteria: [{ description: "is a lab" }],
    count: 10,
    behavior: "override" as const,
    exclude: [],
    scope: [],
    maxPeoplePerCompany: null,
    wantsRecall: false,
    metadata: {},
  };
}

function enrichmentRow(websetId: string, teamId: string) {
  return {
    id: ENRICHMENT,
    websetId,
    teamId,
    title: "Size",
    description: "How large is it?",
    format: "number" as const,
    options: null,
    instructions: null,
    metadata: {},
  };
}

function itemRow(websetId: string, teamId: string, index: number, name: string) {
  const url = `https://company-${index}.example/`;
  const company = {
    name,
    location: "Berlin",
    employees: index,
    industry: null,
    about: null,
    logoUrl: null,
    foundedYear: null,
  };
  return {
    id: makeId("witem"),
    websetId,
    teamId,
    entityKey: url,
    identities: [url],
    entity: {
      type: "company",
      name,
      url,
      properties: { type: "company", url, description: "A lab.", content: null, company },
    },
    groupKey: null,
    source: "search" as const,
    sourceId: "wsearch_1",
    sourceEntityId: null,
    scopeId: null,
    contentSnapshotId: null,
    contentExtractorVersion: null,
    evaluations: [
      { criterion: "is a lab", satisfied: "yes" as const, reasoning: "Yes.", references: [reference(`${url}about`)] },
    ],
  };
}

describe("an export", () => {
  verifies(
    [
      "exports:format:csv",
      "exports:content:evidence",
      "exports:create:export",
      "exports:get:states",
      "exports:get:shape",
    ],
    "as CSV has a row per item, each verdict and value with its evidence",
    () =>
      withWorld(async (world) => {
        await world.addItems(3);
        const begun = await world.begin("csv");
        expect(showExport(begun, world.clock.now())).toEqual({
          id: begun.id,
          object: "export",
          websetId: world.websetId,
          format: "csv",
          status: "pending",
          downloadUrl: null,
          expiresAt: null,
          count: null,
          failedMessage: null,
          createdAt: "2026-03-01T12:00:00.000Z",
          updatedAt: "2026-03-01T12:00:00.000Z",
        });
        await world.work();
        const written = await findWebsetExport(world.db, begun.id);
        expect(written === undefined ? undefined : showExport(written, world.clock.now())).toMatchObject({
          status: "completed",
          count: 3,
          expiresAt: "2026-03-01T13:00:00.000Z",
          downloadUrl: expect.stringMatching(
            /^https:\/\/quarry\.example\/websets\/v0\/websets\/webset_.*\/download\?expires=\d+&signature=[0-9a-f]{64}$/,
          ) as string,
        });
        const rows = parse<Record<string, string>>(await fileOf(world.blobs, written), { columns: true });
        expect(rows[0]).toEqual({
          id: expect.stringMatching(/^witem_/) as string,
          url: "https://company-1.example/",
          type: "company",
          name: "Company 1",
          description: "A lab.",
          source: "search",
          createdAt: "2026-03-01T12:00:00.000Z",
          location: "Berlin",
          employees: "1",
          industry: "",
          about: "",
          logoUrl: "",
          foundedYear: "",
          headquarters: "",
          "is a lab": "yes",
          "is a lab (evidence)": "https://company-1.example/about",
          Size: "42",
          "Size (evidence)": "https://size.example/a https://size.example/b",
        });
        expect(rows.map(({ name }) => name)).toEqual(["Company 1", "Company 2", "Company 3"]);
        expect(rows[1]?.["Size"]).toBe("");
        const resource = { kind: "webset", id: world.websetId };
        const { data } = await listEvents(world.db, { teamId: world.teamId, resource, limit: 10 });
        expect(data.map(({ type }) => type)).toEqual(["webset.export.created", "webset.export.completed"]);
        expect(await world.db.query("SELECT FROM webset_export_rows")).toEqual([]);
      }),
  );

  verifies(
    ["exports:format:json", "exports:format:jsonl"],
    "as JSON and JSONL has the items as the wire shows them",
    () =>
      withWorld(async (world) => {
        await world.addItems(450);
        const items = JSON.parse((await world.file("json")).toString()) as { properties: { url: string } }[];
        const lines = (await world.file("jsonl")).toString().trimEnd().split("\n");
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(items);
        expect(items).toHaveLength(450);
        expect(items[0]).toMatchObject({
          object: "webset_item",
          evaluations: [{ references: [{ url: "https://company-1.example/about" }] }],
          enrichments: [{ enrichmentId: ENRICHMENT, result: ["42"], references: [{}, {}, {}] }],
        });
        await world.db.query("DELETE FROM webset_items");
        expect(JSON.parse((await world.file("json")).toString())).toEqual([]);
      }),
  );

  verifies(
    ["exports:format:xlsx", "exports:content:formula-neutralised"],
    "neutralises formulas: an apostrophe in CSV, quoted text cells in XLSX",
    () =>
      withWorld(async (world) => {
        await world.addItems(2, (index) => (index === 1 ? NASTY : "Plain & <simple>\u0007"));
        const [first] = parse<Record<string, string>>(await world.file("csv"), { columns: true });
        expect(first?.["name"]).toBe(`'${NASTY}`);
        const parts = unzipSync(await world.file("xlsx"));
        const sheet = Buffer.from(parts["xl/worksheets/sheet1.xml"] ?? []).toString();
        expect(Object.keys(parts)).toContain("[Content_Types].xml");
        expect(sheet).not.toContain("<f>");
        expect(sheet).toContain(
          '<c r="D2" t="inlineStr" s="1"><is><t xml:space="preserve">=HYPERLINK("http://evil.example"',
        );
        expect(sheet).toContain("Plain &amp; &lt;simple&gt;</t>");
        expect(sheet).toContain('<c r="I2"><v>1</v></c>');
        expect(sheet.match(/<row /g)).toHaveLength(3);
        expect(Buffer.from(parts["xl/styles.xml"] ?? []).toString()).toContain('<xf quotePrefix="1"/>');
        expect(["=1", " +cmd", "-x", "@sum", "\t=1", "＝1"].every(isFormula)).toBe(true);
        expect(["-5", "+49.5", "a=b", "1-2", ""].some(isFormula)).toBe(false);
      }),
  );

  verifies("exports:format:parquet", "as Parquet reads back, with numbers as numbers", () =>
    withWorld(async (world) => {
      await world.addItems(1);
      await world.db.query(
        `INSERT INTO webset_items (id, webset_id, team_id, entity_key, identities, entity, source, source_id, evaluations,
           created_at, updated_at)
         SELECT id || n, webset_id, team_id, entity_key || n, identities, entity || jsonb_build_object(
             'name', 'Company ' || n, 'properties', jsonb_set(entity -> 'properties', '{company,employees}', to_jsonb(n))),
           source, source_id, evaluations, created_at, updated_at
         FROM webset_items CROSS JOIN generate_series(2, 2300) AS n ORDER BY n`,
      );
      const bytes = await world.file("parquet");
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      const rows = await parquetReadObjects({ file });
      expect(rows).toHaveLength(2_300);
      expect(rows[0]).toMatchObject({ name: "Company 1", employees: 1, "is a lab": "yes", Size: 42 });
      expect(rows.at(-1)).toMatchObject({ name: "Company 2300", employees: 2300, Size: null });
    }),
  );

  verifies(
    ["exports:content:consistent-cut", "exports:download:streamed"],
    "is the cut of one moment, also when the webset goes on and the worker dies, part by part",
    () =>
      withWorld(async (world) => {
        await world.addItems(450, (index) => `Company ${index} ${"x".repeat(24_000)}`);
        const begun = await world.begin("jsonl");
        let puts = 0;
        const largest: number[] = [];
        const dying: BlobStore = {
          ...world.blobs,
          put: async (key, bytes) => {
            puts += 1;
            if (puts === 2) throw new Error("the worker dies");
            largest.push(bytes.length);
            await world.blobs.put(key, bytes);
          },
        };
        await world.work({ blobs: dying });
        expect(await findWebsetExport(world.db, begun.id)).toMatchObject({ status: "processing", count: 450 });
        await world.addItems(100);
        await world.db.query("UPDATE webset_items SET entity = '{}' WHERE sequence % 2 = 0");
        await world.db.query("UPDATE jobs SET run_at = now() - interval '1 second' WHERE state = 'scheduled'");
        await world.work({ blobs: dying });
        const written = await findWebsetExport(world.db, begun.id);
        const items = (await fileOf(world.blobs, written)).toString().trimEnd().split("\n");
        const names = items.map(
          (line) =>
            (JSON.parse(line) as { properties: { company: { name: string } } }).properties.company.name.split(" ")[1],
        );
        expect(names).toEqual(Array.from({ length: 450 }, (_, index) => String(index + 1)));
        expect(written?.parts).toBeGreaterThan(1);
        expect(Math.max(...largest)).toBeLessThan(8 * 1024 * 1024);
      }),
    60_000,
  );

  verifies("exports:download:signed", "is downloaded by an address that is signed and expires", () =>
    withWorld(async (world) => {
      await world.addItems(1);
      const { id } = await world.begin("csv");
      await world.work();
      const written = await findWebsetExport(world.db, id);
      const url = new URL((written === undefined ? null : showExport(written, world.clock.now()).downloadUrl) ?? "");
      const proof = {
        expires: url.searchParams.get("expires") ?? "",
        signature: url.searchParams.get("signature") ?? "",
      };
      expect(await openDownload(world, id, proof)).toMatchObject({ id, parts: 1 });
      const forged = [
        { ...proof, expires: String(Number(proof.expires) + 3_600) },
        { ...proof, signature: proof.signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) },
      ];
      for (const bad of forged) await expect(openDownload(world, id, bad)).rejects.toMatchObject({ code: "forbidden" });
      await expect(openDownload(world, "export_none", proof)).rejects.toMatchObject({ code: "forbidden" });
      world.moveTo("2026-03-01T13:00:00Z");
      await expect(openDownload(world, id, proof)).rejects.toMatchObject({ code: "gone" });

      world.moveTo("2026-03-09T00:00:00Z");
      await world.blobs.put("exports/export_gone/000000", Buffer.from("x"));
      await enqueueJob(world.db, { kind: FILE_SWEEP_JOB, payload: {} });
      await runDueJobs(world.db, { [FILE_SWEEP_JOB]: createFileSweepHandler(world) }, new Date());
      const left: string[] = [];
      for await (const key of world.blobs.list("exports")) left.push(key);
      expect(left).toEqual([]);
      const forgotten = await findWebsetExport(world.db, id);
      expect(forgotten === undefined ? undefined : showExport(forgotten, world.clock.now()).downloadUrl).toBeNull();
    }),
  );

  it("is the team's alone", () =>
    withWorld(async (world) => {
      const teamId = await createTeam(world.db, "Other", new Date());
      const foreign = beginExport(world, {
        id: "export_x",
        teamId,
        webset: world.websetId,
        format: "csv",
        baseUrl: "",
      });
      await expect(foreign).rejects.toMatchObject({ code: "not_found" });
    }));
});
