import { createImportSchema } from "@quarry/contract";
import { createDirectoryBlobStore, failMissedImports } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { Entity } from "../entities/entity.ts";
import { beginImport, UPLOAD_VALID_MS } from "../imports/import-service.ts";
import { runDueJobs } from "../testing/run-jobs.ts";
import { explainWebset } from "./explain-webset.ts";
import { listProjectedItems } from "./manage-items.ts";
import { openWorld, ROTE_JUDGES, urlOf, type TestCompany, type TestWorld } from "./testing-world.ts";
import type { WebsetsDeps } from "./websets-deps.ts";
import { createWebsetJobHandlers } from "./websets-jobs.ts";

function withWorld(
  companies: readonly TestCompany[],
  work: (world: TestWorld) => Promise<void>,
  change: Partial<WebsetsDeps> = {},
): Promise<void> {
  return withDatabase(async (db) => work(await openWorld(db, companies, change)));
}

const COMPANIES: readonly TestCompany[] = [
  { name: "Acme", says: "Acme makes rockets. It sells abroad." },
  { name: "Beta", says: "Beta makes rockets." },
  { name: "Delta", says: "Delta makes cakes." },
];
const ROCKETS = { query: "makes rockets", count: 10, criteria: [{ description: "makes rockets" }] };

async function insertImport(world: TestWorld, names: readonly string[], toUrl = urlOf): Promise<string> {
  const id = "import_01kabcdefghjkmnpqrstvwxyz0";
  await world.db.query(
    `INSERT INTO imports (id, team_id, status, title, format, entity, metadata, size, announced_count, upload_valid_until,
       rows_kept, created_at, updated_at)
     VALUES ($1, $2, 'completed', 'List', 'csv', '{"type": "company"}', '{}', 10, $3, now(), $3, now(), now())`,
    [id, world.teamId, names.length],
  );
  for (const [index, name] of names.entries()) {
    await world.db.query(
      "INSERT INTO import_rows (import_id, number, identifier, url, name, fields) VALUES ($1, $2, $3, $3, $4, $5)",
      [id, index + 1, toUrl(name), name, JSON.stringify({ Name: name, Industry: "Space" })],
    );
  }
  return id;
}

describe("imports given at creation", () => {
  verifies("websets:create:import", "become items, each once, and their cells are filled", () =>
    withWorld(COMPANIES, async (world) => {
      const id = await insertImport(world, ["Acme", "Delta", "Acme"]);
      const made = await world.create({
        import: [{ source: "import", id }],
        enrichments: [{ description: "makes", format: "text" }],
      });
      expect(made.status).toBe("running");
      const done = await world.work(made.id);
      expect(done.items?.map(({ source, sourceId, properties }) => [source, sourceId, properties.url])).toEqual([
        ["import", id, urlOf("Acme")],
        ["import", id, urlOf("Delta")],
      ]);
      expect(done.items?.[0]).toMatchObject({
        evaluations: [],
        properties: { type: "company", company: { name: "Acme", industry: "Space" } },
        enrichments: [{ result: ["rockets"] }],
      });
      expect((await world.events(made.id)).at(-1)).toBe("webset.idle");
    }),
  );

  it("list what a webset, a file and a search call by different keys once", () =>
    withWorld(COMPANIES, async (world) => {
      const found = await world.work((await world.create({ search: { ...ROCKETS, count: 1 } })).id);
      const id = await insertImport(world, ["Acme", "Beta", "Delta"], (name) => `${urlOf(name)}about`);
      const sources = [
        { source: "webset" as const, id: found.id },
        { source: "import" as const, id },
      ];
      const done = await world.work((await world.create({ search: ROCKETS, import: sources })).id);
      expect(done.items?.map(({ properties }) => new URL(properties.url).hostname).sort()).toEqual(
        ["Acme", "Beta", "Delta"].map((name) => new URL(urlOf(name)).hostname),
      );
    }));

  it("have an address that is a URL also where the file gives none", () =>
    withWorld([], async (world) => {
      const id = await insertImport(world, ["Acme", "Beta"]);
      await world.db.query("UPDATE import_rows SET url = NULL, identifier = name");
      const done = await world.work((await world.create({ import: [{ source: "import", id }] })).id);
      const urls = done.items?.map((item) => item.properties.url);
      expect(urls).toEqual(done.items?.map((item) => `urn:quarry:${item.id}`));
      expect(urls).toHaveLength(2);
      const page = { limit: 10, projection: "card" } as const;
      const cards = await listProjectedItems(world.deps, { teamId: world.teamId, webset: done.id }, page);
      expect(cards.data).toMatchObject(urls?.map((url) => ({ url })) ?? []);
    }));

  it("list each company of a directory", () =>
    withWorld(COMPANIES, async (world) => {
      const id = await insertImport(world, ["Acme", "Beta"], (name) => `https://www.crunchbase.com/${name}`);
      const done = await world.work((await world.create({ import: [{ source: "import", id }] })).id);
      expect(done.items).toHaveLength(2);
    }));

  it.each([
    ["hosts of one domain", (name: string) => `https://${name.toLowerCase()}.fraunhofer.de/`],
    ["pages of a host of many", (name: string) => `https://sites.google.com/view/${name}`],
  ])("list each company of %s once", (_, toUrl) =>
    withWorld(COMPANIES, async (world) => {
      const id = await insertImport(world, ["Acme", "Beta", "Acme"], toUrl);
      const done = await world.work((await world.create({ import: [{ source: "import", id }] })).id);
      expect(done.items?.map(({ properties }) => properties.url)).toEqual([toUrl("Acme"), toUrl("Beta")]);
    }),
  );

  verifies("websets:create:import-evaluate", "are judged by the search's criteria when asked", () =>
    withWorld(COMPANIES, async (world) => {
      const id = await insertImport(world, ["Acme", "Delta"]);
      const made = await world.create({ search: ROCKETS, import: [{ source: "import", id, evaluate: true }] });
      const done = await world.work(made.id);
      const byHost = new Map(done.items?.map((item) => [item.properties.url, item.source]));
      expect([...byHost].sort()).toEqual([
        [urlOf("Acme"), "import"],
        [urlOf("Beta"), "search"],
      ]);
    }),
  );

  it("are all judged, past the search's count and its limit of candidates", () => {
    const companies = Array.from({ length: 60 }, (_, index) => ({ name: `Maker${index}`, says: "It makes rockets." }));
    return withWorld([...companies, { name: "Other", says: "It makes rockets." }], async (world) => {
      const names = companies.map(({ name }) => name);
      const id = await insertImport(world, names);
      const search = { ...ROCKETS, count: 1 };
      const done = await world.work(
        (await world.create({ search, import: [{ source: "import", id, evaluate: true }] })).id,
      );
      expect(done.items?.map(({ properties }) => properties.url).sort()).toEqual(names.map(urlOf).sort());
      expect(done.searches[0]).toMatchObject({ status: "completed", progress: { found: 60, analyzed: 60 } });
    });
  });

  verifies("websets:create:exclude", "an excluded import keeps its entities out", () =>
    withWorld(COMPANIES, async (world) => {
      const id = await insertImport(world, ["Acme"]);
      const done = await world.work((await world.create({ search: ROCKETS, exclude: [{ source: "import", id }] })).id);
      expect(done.items?.map(({ properties }) => properties.url)).toEqual([urlOf("Beta")]);
    }),
  );
});

describe("an import without its rows", () => {
  const NOW = new Date();
  /** Half a second is due at once, and less than what waits looks again after. */
  const run = (world: TestWorld, afterMs = 500) =>
    runDueJobs(world.db, createWebsetJobHandlers(world.deps), new Date(Date.now() + afterMs));
  const WAITING = "import_01kabcdefghjkmnpqrstvwxyz1";

  async function announceImport({ db, teamId }: TestWorld): Promise<void> {
    const wish = createImportSchema.parse({ size: 10, count: 1, format: "csv", entity: { type: "company" } });
    const deps = { database: db, blobs: createDirectoryBlobStore("unused"), clock: { now: () => NOW } };
    await beginImport(deps, wish, { id: WAITING, teamId });
  }

  const missUpload = ({ db }: TestWorld) => failMissedImports(db, new Date(NOW.getTime() + 2 * UPLOAD_VALID_MS));

  it("lets its webset come to idle when its file does not come in time", () =>
    withWorld(COMPANIES, async (world) => {
      await announceImport(world);
      const { id } = await world.create({ import: [{ source: "import", id: WAITING }] });
      await run(world);
      expect(await world.read(id)).toMatchObject({ status: "running" });
      await missUpload(world);
      await run(world, 20_000);
      expect(await world.read(id)).toMatchObject({ status: "idle", items: [] });
    }));

  it("lets a search that excludes it wait until they are there", () =>
    withWorld(COMPANIES, async (world) => {
      const excluded = await insertImport(world, ["Acme"]);
      await world.db.query("UPDATE imports SET status = 'processing'");
      const { id } = await world.create({ search: ROCKETS, exclude: [{ source: "import", id: excluded }] });
      await run(world);
      expect(await world.read(id)).toMatchObject({ status: "pending", searches: [{ status: "pending" }], items: [] });
      const { waitingFor } = await explainWebset(world.deps, { teamId: world.teamId, webset: id });
      expect(waitingFor).toMatchObject([{ text: `it waits for the file of ${excluded}, which is excluded` }]);
      await world.db.query("UPDATE imports SET status = 'completed'");
      await run(world, 20_000);
      const done = await world.read(id);
      expect(done.status).toBe("idle");
      expect(done.items?.map(({ properties }) => properties.url)).toEqual([urlOf("Beta")]);
    }));

  it("lets another import wait, and keeps nothing out once it failed", () =>
    withWorld(COMPANIES, async (world) => {
      await announceImport(world);
      const entering = await insertImport(world, ["Acme"]);
      const exclude = [{ source: "import" as const, id: WAITING }];
      const { id } = await world.create({ import: [{ source: "import", id: entering }], exclude });
      await run(world);
      expect(await world.read(id)).toMatchObject({ status: "running", items: [] });
      await missUpload(world);
      await run(world, 20_000);
      const done = await world.read(id);
      expect([done.status, done.items?.length]).toEqual(["idle", 1]);
    }));
});

/** Three people a company, found on the company's page. */
function peopleOf(page: { readonly title: string | null; readonly url: string }): readonly Entity[] {
  const company = page.title ?? "";
  return [1, 2, 3].map((number) => {
    const name = `Person ${number} of ${company}`;
    return {
      type: "person",
      name,
      aliases: [],
      url: `${page.url}people/${number}`,
      properties: {
        type: "person",
        url: `${page.url}people/${number}`,
        description: `${name} works at ${company}.`,
        person: {
          name,
          location: null,
          position: null,
          company: { name: company, location: null },
          pictureUrl: null,
          workHistory: [],
          educationHistory: [],
        },
      },
      pages: [page.url],
      key: `person:${name}`,
      sameAs: [],
    };
  });
}

describe("people", () => {
  const judges = {
    ...ROTE_JUDGES,
    findEntities: ({ pages }: Parameters<typeof ROTE_JUDGES.findEntities>[0]) => pages.flatMap(peopleOf),
  };
  const search = {
    query: "founders",
    count: 50,
    entity: { type: "person" as const },
    criteria: [{ description: "is a company" }],
  };

  verifies(
    ["websets:search:people-per-company", "websets:item:person"],
    "no more of one company than asked for, and no page text",
    () =>
      withWorld(
        COMPANIES,
        async (world) => {
          const done = await world.work((await world.create({ search: { ...search, maxPeoplePerCompany: 2 } })).id);
          expect(done.items).toHaveLength(6);
          for (const { properties } of done.items ?? []) {
            expect(Object.keys(properties).sort()).toEqual(["description", "person", "type", "url"]);
          }
        },
        { judges },
      ),
  );

  verifies("websets:search:scope-relationship", "at most so many related to each entity of the scope", () =>
    withWorld(
      COMPANIES,
      async (world) => {
        const companies = await insertImport(world, ["Acme", "Beta"]);
        const relationship = { definition: "founders of", limit: 1 };
        const scope = [{ source: "import" as const, id: companies, relationship }];
        const done = await world.work((await world.create({ search: { ...search, scope } })).id);
        const perSource = done.items?.map(({ scopeId, sourceEntityId }) => `${scopeId ?? ""} ${sourceEntityId ?? ""}`);
        expect(new Set(perSource).size).toBe(perSource?.length);
        expect(done.items?.length).toBeGreaterThan(0);
        expect(done.items?.length).toBeLessThanOrEqual(2);
        const hops = done.items?.map(({ properties, sourceEntityId }) => [
          new URL(properties.url).host,
          sourceEntityId,
        ]);
        expect(hops?.sort()).toEqual([
          ["acme.example", `${companies}:1`],
          ["beta.example", `${companies}:2`],
        ]);
      },
      { judges },
    ),
  );
});
