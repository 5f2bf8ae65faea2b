import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import type { Entity } from "../entities/entity.ts";
import { openWorld, ROTE_JUDGES, urlOf, type TestCompany, type TestWorld } from "./testing-world.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

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

async function insertImport(world: TestWorld, names: readonly string[]): Promise<string> {
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
      [id, index + 1, urlOf(name), name, JSON.stringify({ Name: name, Industry: "Space" })],
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

  verifies("websets:create:exclude", "an excluded import keeps its entities out", () =>
    withWorld(COMPANIES, async (world) => {
      const id = await insertImport(world, ["Acme"]);
      const done = await world.work((await world.create({ search: ROCKETS, exclude: [{ source: "import", id }] })).id);
      expect(done.items?.map(({ properties }) => properties.url)).toEqual([urlOf("Beta")]);
    }),
  );
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
      },
      { judges },
    ),
  );
});
