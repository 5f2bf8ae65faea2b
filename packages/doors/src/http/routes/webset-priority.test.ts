import { PRICE_LISTS, type WebsetWire } from "@quarry/contract";
import { makeId } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { JUDGES, readLiving, type WebsetsDeps } from "@quarry/websets";
import { expect } from "vitest";
import { withHttpApp } from "../../testing.ts";
import { websetRoutes } from "./websets.ts";

verifies(
  "http:headers:websets-priority",
  "x-exa-websets-priority says whether a webset's work goes before that of others or after it",
  () =>
    withHttpApp(
      async (world) => {
        const search = { query: "makers of cargo bikes", count: 3 };
        const make = async (priority?: string) => {
          const headers = priority === undefined ? {} : { "x-exa-websets-priority": priority };
          return world.call("POST", "/websets/v0/websets", { body: { search }, headers });
        };
        const ids: string[] = [];
        for (const priority of ["low", undefined, "HIGH", "medium"]) {
          const reply = await make(priority);
          expect(reply.statusCode, reply.body).toBe(201);
          ids.push(reply.json<WebsetWire>().id);
        }
        const inOrder = async (): Promise<readonly (string | undefined)[]> => {
          const jobs = await world.db.query<{ key: string }>(
            "SELECT concurrency_key AS key FROM jobs ORDER BY priority DESC, id",
          );
          return jobs.map(({ key }) => key.replace(/^webset:/, ""));
        };
        expect(await inOrder()).toEqual([ids[2], ids[1], ids[3], ids[0]]);
        const refused = await make("urgent");
        expect([refused.statusCode, refused.json<{ message: string }>().message]).toEqual([
          400,
          expect.stringContaining("expected low, medium or high"),
        ]);
        const more = await world.call("POST", `/websets/v0/websets/${ids[0] ?? ""}/searches`, {
          body: search,
          headers: { "x-exa-websets-priority": "high" },
        });
        expect(more.statusCode, more.body).toBe(200);
        const [row] = await world.db.query("SELECT priority FROM websets WHERE id = $1", [ids[0]]);
        expect(row).toEqual({ priority: "high" });
      },
      ({ db }) => {
        const websets: WebsetsDeps = {
          database: db,
          clock: { now: () => new Date() },
          llm: undefined,
          judges: JUDGES,
          prices: PRICE_LISTS.free,
          newId: (prefix) => makeId(prefix),
          find: () => Promise.resolve([]),
          readPages: () => Promise.resolve([]),
          dashboardUrl: (id) => `http://localhost/console/websets/${id}`,
          readLiving,
        };
        return { routes: websetRoutes({ websets }) };
      },
    ),
);
