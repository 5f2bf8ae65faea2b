import { tmpdir } from "node:os";
import { makeId, systemClock } from "@quarry/base";
import { PRICE_LISTS } from "@quarry/contract";
import { createDirectoryBlobStore, type Database } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { JUDGES, readLiving, type WebsetsDeps } from "@quarry/websets";
import { expect, it } from "vitest";
import { withHttpApp } from "../../testing.ts";
import { RATE_LIMIT_PRESETS } from "../rate-limit.ts";
import type { Route } from "../route.ts";
import { agentMonitorRoutes } from "./agent-monitors.ts";
import { importRoutes } from "./imports.ts";
import { monitorRoutes } from "./monitors.ts";
import { pageMonitorRoutes } from "./page-monitors.ts";
import { searchMonitorRoutes } from "./search-monitors.ts";
import { websetRoutes } from "./websets.ts";

const WISH = { search: { query: "makers of cargo bikes", count: 3 } };

/** What begins work in the name of a key, whoever does it later. */
const WORK = [
  "POST /websets/v0/websets",
  "POST /websets/v0/websets/preview",
  "POST /websets/v0/websets/w/searches",
  "POST /websets/v0/websets/w/enrichments",
  "PATCH /websets/v0/websets/w/enrichments/e",
  "POST /quarry/v1/websets/w/enrichments/e/run",
  "POST /websets/v0/imports",
  "POST /websets/v0/monitors",
  "POST /quarry/v1/monitors/m/trigger",
  "POST /monitors",
  "POST /monitors/m/trigger",
  "POST /agent/monitors",
  "POST /agent/monitors/backtest",
  "POST /agent/monitors/m/entities",
  "POST /quarry/v1/page-monitors",
  "POST /quarry/v1/page-monitors/m/check",
];

/** What only looks at work, or ends it. */
const NO_WORK = [
  "GET /websets/v0/websets",
  "GET /websets/v0/websets/w/items",
  "POST /websets/v0/websets/w/cancel",
  "DELETE /websets/v0/websets/w",
  "GET /websets/v0/imports",
  "GET /websets/v0/monitors",
  "DELETE /websets/v0/monitors/m",
  "GET /monitors",
];

function routesOf(db: Database): readonly Route[] {
  const websets: WebsetsDeps = {
    database: db,
    clock: systemClock,
    llm: undefined,
    judges: JUDGES,
    prices: PRICE_LISTS.free,
    newId: (prefix) => makeId(prefix),
    find: () => Promise.resolve([]),
    readPages: () => Promise.resolve([]),
    dashboardUrl: (id) => `http://localhost/console/websets/${id}`,
    readLiving,
  };
  const common = { database: db, clock: systemClock };
  const anyUrl = () => Promise.resolve();
  return [
    ...websetRoutes({ websets }),
    ...importRoutes({ ...common, blobs: createDirectoryBlobStore(tmpdir()) }),
    ...monitorRoutes({ ...common, settleWebset: () => Promise.resolve() }),
    ...searchMonitorRoutes({ ...common, checkWebhookUrl: anyUrl }),
    ...agentMonitorRoutes({ ...common, newId: (prefix) => makeId(prefix) }),
    ...pageMonitorRoutes({ db, clock: systemClock, checkUrl: anyUrl }),
  ];
}

verifies(
  "http:limits:preset-exa-2026-02",
  "slows a key that makes more than five websets a second, and lets it look on",
  () =>
    withHttpApp(
      async ({ call }) => {
        const statuses = [];
        for (let count = 0; count < 6; count += 1) {
          statuses.push((await call("POST", "/websets/v0/websets", { body: WISH })).statusCode);
        }
        expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
        expect((await call("GET", "/websets/v0/websets")).json()).toHaveProperty("data.length", 5);
      },
      ({ db }) => ({ routes: routesOf(db), rateLimits: RATE_LIMIT_PRESETS["exa-2026-02"] }),
    ),
);

it("begins no work for a key that has spent its budget, and shows and ends what there is", () =>
  withHttpApp(
    async ({ call, makeKey }) => {
      const { secret: key } = await makeKey({ budgetDollars: 0 });
      const statusOf = async (operation: string): Promise<readonly [string, number]> => {
        const [method = "", path = ""] = operation.split(" ");
        return [operation, (await call(method, path, { key, ...(method === "POST" ? { body: {} } : {}) })).statusCode];
      };
      const begun = await Promise.all(WORK.map(statusOf));
      expect(begun.filter(([, status]) => status !== 402)).toEqual([]);
      const looked = await Promise.all(NO_WORK.map(statusOf));
      expect(looked.filter(([, status]) => status !== 200 && status !== 404)).toEqual([]);
    },
    ({ db }) => ({ routes: routesOf(db) }),
  ));
