import { spawn } from "node:child_process";
import path from "node:path";
import { text } from "node:stream/consumers";
import { verifies } from "@quarry/tests";
import { Exa, MonitorRunStatus, type Webset } from "exa-js";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";
import {
  headerOf,
  startWebhookReceiver,
  type ReceivedDelivery,
  type WebhookReceiver,
} from "../../tools/soak/webhook-receiver.ts";
import { findFault } from "../../tools/soak/webhook-verifier.ts";

const NAMES = ["Arden", "Brisk", "Corvo", "Delphin", "Eskil", "Farro"];
const urlOf = (name: string): string => `https://${name.toLowerCase()}.example/`;
const DOCUMENTS = NAMES.map((name, index) => ({
  url: urlOf(name),
  title: `${name} Robotics`,
  category: "company",
  text:
    `${name} Robotics is a company that builds warehouse robots. ${name} Robotics is headquartered in Berlin, Germany. ` +
    `The company was founded in ${2001 + index}. ${name} Robotics has ${(index + 1) * 100} employees.`,
}));
const QUERY = "companies that build warehouse robots";
const CRITERIA = [{ description: "builds warehouse robots" }];
const LATE = { pollInterval: 100, timeout: 60_000 };

let server: ServerProcess;
let exa: Exa;
let receiver: WebhookReceiver;
let directory: string;
let finish: () => void;
let running: Promise<unknown>;
const received: ReceivedDelivery[] = [];

beforeAll(async () => {
  receiver = await startWebhookReceiver((delivery, response) => {
    received.push(delivery);
    response.writeHead(200).end();
  });
  await new Promise<void>((ready, refuse) => {
    running = withDataDirectory(async (made) => {
      directory = made;
      server = await startServerProcess(directory, { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" });
      exa = new Exa(server.key, server.url);
      expect((await server.call("POST", "/quarry/v1/documents?wait=true", DOCUMENTS)).status).toBe(200);
      ready();
      await new Promise<void>((done) => (finish = done));
      await server.stop();
    });
    running.catch(refuse);
  });
}, 180_000);

afterAll(async () => {
  finish();
  await running;
  await receiver.close();
}, 60_000);

const csvOf = (names: readonly string[]): string =>
  `name;website\n${names.map((name) => `"${name} Robotics";${urlOf(name)}`).join("\n")}\n`;

async function importOf(names: readonly string[]) {
  const made = await exa.websets.imports.create(
    { title: "Robots", entity: { type: "company" }, metadata: { from: "test" } } as never,
    csvOf(names),
  );
  return exa.websets.imports.waitUntilCompleted(made.id, LATE);
}

async function itemsOf(webset: Webset) {
  await exa.websets.waitUntilIdle(webset.id, LATE);
  return exa.websets.items.getAll(webset.id);
}

describe("exa-js imports", () => {
  verifies(
    ["imports:exa-js:imports", "imports:rows:become-items"],
    "upload a CSV whose rows become items",
    async () => {
      const done = await importOf(NAMES.slice(0, 3));
      expect(done).toMatchObject({
        object: "import",
        status: "completed",
        count: 3,
        title: "Robots",
        metadata: { from: "test" },
        entity: { type: "company" },
        failedReason: null,
      });
      expect(await exa.websets.imports.get(done.id)).toEqual(done);
      expect((await exa.websets.imports.getAll()).map(({ id }) => id)).toContain(done.id);
      expect(await exa.websets.imports.update(done.id, { title: "Renamed" })).toMatchObject({ title: "Renamed" });

      const webset = await exa.websets.create({ import: [{ source: "import", id: done.id }] } as never);
      const items = await itemsOf(webset);
      expect(items.map(({ source, sourceId, properties }) => [source, sourceId, properties.url])).toEqual(
        NAMES.slice(0, 3).map((name) => ["import", done.id, urlOf(name)]),
      );
      expect(await exa.websets.get(webset.id)).toMatchObject({ imports: [{ id: done.id, title: "Renamed" }] });
    },
  );

  verifies(
    ["imports:rows:as-scope", "imports:rows:as-exclude"],
    "scope a search to their rows, or keep them out of it",
    async () => {
      const listed = await importOf(NAMES.slice(0, 2));
      const search = { query: QUERY, criteria: CRITERIA, entity: { type: "company" }, count: 6 };
      const source = [{ source: "import", id: listed.id }];
      const scoped = await exa.websets.create({ search: { ...search, scope: source } } as never);
      const others = await exa.websets.create({ search: { ...search, exclude: source } } as never);
      const urls = async (webset: Webset) => (await itemsOf(webset)).map(({ properties }) => properties.url).sort();
      expect(await urls(scoped)).toEqual(NAMES.slice(0, 2).map(urlOf));
      const found = await urls(others);
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((url) => NAMES.slice(0, 2).map(urlOf).includes(url))).toEqual([]);
      expect(await exa.websets.imports.delete(listed.id)).toMatchObject({ id: listed.id });
      await expect(exa.websets.imports.get(listed.id)).rejects.toMatchObject({ statusCode: 404 });
    },
    120_000,
  );

  verifies("imports:status:failed-message", "fail with a message that says what to do", async () => {
    const made = await exa.websets.imports.create({ entity: { type: "company" } } as never, "year,size\n1990,4\n");
    await expect(exa.websets.imports.waitUntilCompleted(made.id, LATE)).rejects.toThrow(/csv\.identifier/);
    expect(await exa.websets.imports.get(made.id)).toMatchObject({
      status: "failed",
      failedReason: "missing_identifier",
    });
  });
});

describe("exa-js monitors", () => {
  const behavior = { type: "search", config: { count: 2 } } as const;

  verifies(
    [
      "monitors:exa-js:monitors",
      "monitors:create:201",
      "monitors:runs:list",
      "monitors:runs:get",
      "monitors:run:enriches-new-items",
      "monitors:list:webset-filter",
      "monitors:delete:returns-object",
    ],
    "are made, run, append and enrich what they find, and are deleted",
    async () => {
      const webset = await exa.websets.create({
        search: { query: QUERY, criteria: CRITERIA, entity: { type: "company" }, count: 2 },
        enrichments: [{ description: "Number of employees", format: "number" }],
      } as never);
      const before = await itemsOf(webset);
      const made = await exa.websets.monitors.create({
        websetId: webset.id,
        cadence: { cron: "0 9 * * 1", timezone: "Europe/Berlin" },
        behavior,
        metadata: { team: "blue" },
      } as never);
      expect(made).toMatchObject({
        object: "monitor",
        status: "enabled",
        websetId: webset.id,
        cadence: { cron: "0 9 * * 1", timezone: "Europe/Berlin" },
        behavior: { type: "search", config: { count: 2, behavior: "append" } },
        lastRun: null,
        metadata: { team: "blue" },
      });
      expect(new Date(made.nextRunAt ?? "").getTime()).toBeGreaterThan(Date.now());
      const triggered = await server.call("POST", `/quarry/v1/monitors/${made.id}/trigger`);
      expect(triggered).toMatchObject({ status: 201, body: { object: "monitor_run", status: "created" } });
      const run = await vi.waitUntil(
        async () =>
          (await exa.websets.monitors.runs.list(made.id)).data.find(
            ({ status }) => status === MonitorRunStatus.completed,
          ),
        { timeout: 60_000, interval: 200 },
      );
      expect(await exa.websets.monitors.runs.get(made.id, run.id)).toEqual(run);
      const after = await itemsOf(webset);
      expect(after.length).toBeGreaterThan(before.length);
      expect(after.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
      for (const item of after) expect(item.enrichments).toMatchObject([{ status: "completed" }]);
      const searches = (await exa.websets.get(webset.id)).searches;
      expect(searches.at(-1)).toMatchObject({ query: QUERY, behavior: "append", count: 2, status: "completed" });
      expect(await exa.websets.monitors.get(made.id)).toMatchObject({ lastRun: { id: run.id } });
      expect(await exa.websets.get(webset.id)).toMatchObject({ monitors: [{ id: made.id }] });

      const list = async (websetId?: string) =>
        (await exa.websets.monitors.getAll({ websetId } as never)).map(({ id }) => id);
      expect(await list(webset.id)).toEqual([made.id]);
      expect(await list("webset_other")).toEqual([]);
      const disabled = await exa.websets.monitors.update(made.id, { status: "disabled" } as never);
      expect(disabled).toMatchObject({ status: "disabled", nextRunAt: null });
      expect(await exa.websets.monitors.delete(made.id)).toMatchObject({ id: made.id, object: "monitor" });
    },
    120_000,
  );

  verifies(
    ["monitors:runs:unknown-monitor", "monitors:get:unknown"],
    "that are unknown are a 404, and their runs an empty list",
    async () => {
      expect(await exa.websets.monitors.runs.list("monitor_none")).toEqual({
        data: [],
        hasMore: false,
        nextCursor: null,
      });
      await expect(exa.websets.monitors.get("monitor_none")).rejects.toMatchObject({ statusCode: 404 });
      await expect(exa.websets.monitors.runs.get("monitor_none", "x")).rejects.toMatchObject({ statusCode: 404 });
      const bad = { websetId: "webset_none", cadence: { cron: "0 */6 * * *" }, behavior };
      await expect(exa.websets.monitors.create(bad as never)).rejects.toThrow(/more than once a day/);
      await expect(
        exa.websets.monitors.create({ ...bad, cadence: { cron: "0 9 * * *" } } as never),
      ).rejects.toMatchObject({
        statusCode: 404,
      });
    },
  );
});

describe("exa-js agent monitors", () => {
  const betas = ["agent-monitors-2026-08-04"];
  const employees = { name: "employees", description: "number of employees", type: "number" } as const;
  const entities = NAMES.slice(0, 2).map((name) => ({
    name: `${name} Robotics`,
    domain: `${name.toLowerCase()}.example`,
  }));

  verifies(
    [
      "agent-monitors:create:monitor",
      "agent-monitors:entities:add-and-list",
      "agent-monitors:changes:since",
      "agent-monitors:backtest:run",
      "agent-monitors:delete:marker",
    ],
    "fill fields from stored pages, tell what changed, look back, and go",
    async () => {
      const { monitors } = exa.beta.agent;
      const made = await monitors.create({
        cadence: "12h",
        entities: entities.slice(0, 1),
        fields: [employees],
        betas,
      });
      expect(made).toMatchObject({ object: "agent_monitor", cadence: "12h", entityCount: 1 });
      await monitors.entities.add(made.id, { entities, betas });
      const filled = await vi.waitUntil(
        async () => {
          const list = await monitors.entities.getAll(made.id, { betas });
          return list.length === 2 && list.every(({ contents }) => "field_1" in contents) ? list : undefined;
        },
        { timeout: 60_000, interval: 200 },
      );
      expect(filled.map(({ entity, contents }) => [entity.name, contents["field_1"]?.value])).toEqual([
        ["Arden Robotics", 100],
        ["Brisk Robotics", 200],
      ]);
      expect(filled[0]?.contents["field_1"]?.citations).toMatchObject([
        { url: urlOf("Arden"), note: expect.stringContaining("100 employees") as string },
      ]);
      const changes = await monitors.changes.list(made.id, { betas, limit: 1 });
      expect(changes).toMatchObject({ hasMore: true, version: 2, data: [{ version: 1, type: "content.upserted" }] });
      const rest = await monitors.changes.list(made.id, { betas, cursor: changes.nextCursor ?? "" });
      expect(rest.data.map(({ version }) => version)).toEqual([2]);
      const now = Date.now();
      const backtest = await monitors.backtests.createAndWait(
        {
          entities,
          fields: [employees],
          startTime: new Date(now - 86_400_000).toISOString(),
          endTime: new Date(now).toISOString(),
          betas,
        },
        { pollInterval: 200, timeoutMs: 60_000 },
      );
      expect(backtest.data[0]).toMatchObject({ name: "Arden Robotics", contents: { employees: { value: 100 } } });
      expect(await monitors.delete(made.id, { betas })).toEqual({
        id: made.id,
        object: "agent_monitor.deleted",
        deleted: true,
      });
      await expect(monitors.get(made.id, { betas })).rejects.toMatchObject({ statusCode: 404 });
    },
    120_000,
  );
});

describe("batches", () => {
  verifies(
    ["batches:create:batch", "batches:get:batch", "batches:results:jsonl"],
    "do searches and agent runs behind everything else, each answered as it would have been at once",
    async () => {
      const headers = {
        "x-api-key": server.key,
        "content-type": "application/json",
        "exa-beta": "batches-2026-06-06",
      };
      const requests = [
        { customId: "s", method: "POST", url: "/search", body: { query: "warehouse robots", numResults: 2 } },
        {
          customId: "a",
          method: "POST",
          url: "/agent/runs",
          body: { query: "When was Arden Robotics founded?", effort: "minimal" },
        },
      ];
      const made = await fetch(`${server.url}/batches`, {
        method: "POST",
        headers,
        body: JSON.stringify({ requests }),
      });
      const { id } = (await made.json()) as { id: string };
      const { resultsUrl } = await vi.waitUntil(
        async () => {
          const reply = await fetch(`${server.url}/batches/${id}`, { headers });
          const batch = (await reply.json()) as { status: string; resultsUrl: string };
          return batch.status === "completed" ? batch : undefined;
        },
        { timeout: 90_000, interval: 300 },
      );
      const lines = (await (await fetch(resultsUrl)).text()).trim().split("\n");
      expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { customId: "s", response: { statusCode: 200, body: { results: [{}, {}] } } },
        { customId: "a", response: { statusCode: 200, body: { object: "agent_run", status: "completed" } } },
      ]);
    },
    120_000,
  );
});

describe("quarry websets", () => {
  verifies(
    ["cli:websets:create-watch", "cli:websets:explain"],
    "shows the grid as it fills, and says what a webset waits for",
    async () => {
      const wish = ["websets", "create", QUERY, "--entity", "company", "--count", "3", "--external-id", "grid"];
      const columns = ["--criteria", "builds warehouse robots", "--enrich", "number: number of employees", "--watch"];
      const watched = await quarry(...wish, ...columns);
      expect(watched.stderr).toMatch(/(?:pending|running): \d of 3 found/);
      const [id = "", heading = "", ...rows] = watched.stdout.trim().split("\n");
      expect(heading.toLowerCase()).toMatch(/name\s+address\s+c1\s+number of employees/);
      expect(rows).toHaveLength(3);
      for (const row of rows) expect(row).toMatch(/^\w+.*\s+\S+\.example\S*\s+✓\s+\d00/);
      const idle = await quarry("explain", id);
      expect(idle.stdout).toMatch(/nothing|idle/i);
      await quarry("websets", "pause", "grid");
      expect((await quarry("explain", "grid")).stdout).toMatch(/paused/i);
    },
    120_000,
  );
});

/** Runs the command line against the server of this file. */
async function quarry(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [path.resolve("dist", "cli.js"), ...args], {
    env: { PATH: process.env["PATH"], QUARRY_DATA_DIR: directory, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((ended) => child.once("close", ended)),
  ]);
  expect(code, stderr).toBe(0);
  return { stdout, stderr };
}

describe("exa-js search monitors", () => {
  const search = { query: "warehouse robots", numResults: 4 };

  verifies(
    [
      "search-monitors:exa-js:monitors",
      "search-monitors:create:201",
      "search-monitors:trigger:manual",
      "search-monitors:runs:list-and-get",
      "search-monitors:runs:only-new-results",
      "search-monitors:webhook:run-completed",
      "search-monitors:update:merges",
      "search-monitors:update:status",
      "search-monitors:delete:object",
    ],
    "run when triggered, show what is new, and tell their webhook",
    async () => {
      const made = await exa.monitors.create({
        name: "robots",
        search,
        trigger: { type: "interval", period: "6h" },
        metadata: { team: "blue" },
        webhook: { url: `${receiver.url}/news`, events: ["monitor.run.completed", "monitor.deleted"] },
      });
      const { webhookSecret, ...monitor } = made;
      expect(monitor).toMatchObject({
        id: expect.stringMatching(/^monitor_/) as string,
        status: "active",
        search,
        trigger: { type: "interval", period: "6h" },
        outputSchema: null,
        webhook: { url: `${receiver.url}/news`, events: ["monitor.run.completed", "monitor.deleted"] },
      });
      expect(Date.parse(monitor.nextRunAt ?? "") - Date.parse(monitor.createdAt)).toBe(6 * 3_600_000);
      expect(await exa.monitors.get(monitor.id)).toEqual(monitor);
      const runOnce = async (count: number) => {
        expect(await exa.monitors.trigger(monitor.id)).toEqual({ triggered: true });
        return vi.waitUntil(
          async () => {
            const runs = await exa.monitors.runs.getAll(monitor.id);
            return runs.length === count && runs[0]?.status === "completed" ? runs[0] : undefined;
          },
          { timeout: 30_000, interval: 100 },
        );
      };
      const first = await runOnce(1);
      const second = await runOnce(2);
      const urls = (run: typeof first) => (run.output?.results ?? []).map((result) => result["url"] as string);
      expect(urls(first)).toHaveLength(4);
      expect(urls(second)).toHaveLength(2);
      expect([...urls(first), ...urls(second)].sort()).toEqual(NAMES.map(urlOf));
      expect(first.output).toMatchObject({ content: expect.stringContaining("robots") as string });
      expect(await exa.monitors.runs.get(monitor.id, first.id)).toEqual(first);
      const third = await runOnce(3);
      expect(third.output).toEqual({ results: [], content: "", grounding: [] });

      const changed = await exa.monitors.update(monitor.id, {
        search: { query: "robots in Berlin" },
        webhook: { url: `${receiver.url}/other` },
        trigger: null,
        status: "paused",
      });
      expect(changed).toMatchObject({
        status: "paused",
        search: { query: "robots in Berlin", numResults: 4 },
        trigger: null,
        nextRunAt: null,
        webhook: { url: `${receiver.url}/other`, events: ["monitor.run.completed", "monitor.deleted"] },
      });
      expect(await exa.monitors.delete(monitor.id)).toMatchObject({ id: monitor.id });
      await expect(exa.monitors.get(monitor.id)).rejects.toMatchObject({ statusCode: 404 });
      await vi.waitUntil(() => received.length >= 4, { timeout: 15_000, interval: 50 });
      expect(
        received.map((delivery) =>
          findFault(
            { header: headerOf(delivery, "exa-signature"), rawBody: delivery.rawBody },
            webhookSecret,
            new Date(),
          ),
        ),
      ).toEqual(received.map(() => undefined));
      const told = received.map(
        ({ path, rawBody }) => [path, JSON.parse(rawBody.toString()) as { type: string; data: object }] as const,
      );
      expect(told.map(([path, { type }]) => [path, type])).toEqual([
        ["/news", "monitor.run.completed"],
        ["/news", "monitor.run.completed"],
        ["/news", "monitor.run.completed"],
        ["/other", "monitor.deleted"],
      ]);
      expect(told[0]?.[1].data).toMatchObject({ id: first.id, metadata: { team: "blue" }, status: "completed" });
    },
    120_000,
  );

  verifies(
    [
      "search-monitors:create:interval",
      "search-monitors:create:search-required",
      "search-monitors:create:output-schema",
      "search-monitors:list:filters",
      "search-monitors:batch:dry-run",
      "search-monitors:batch:actions",
    ],
    "are checked, filtered and changed in batches",
    async () => {
      const webhook = { url: `${receiver.url}/batch` };
      const bad: readonly (readonly [object, string])[] = [
        [{ webhook }, "search"],
        [{ search: { query: " " }, webhook }, "search.query"],
        [{ search }, "webhook"],
        [{ search, webhook: { url: "http://10.0.0.7/x" } }, "QUARRY_ALLOW_PRIVATE_HOSTS"],
        [{ search, webhook, trigger: { type: "interval", period: "30m" } }, "trigger.period"],
        [{ search, webhook, trigger: { type: "interval", period: "1d6h" } }, "trigger.period"],
        [{ search: { ...search, numResults: 101 }, webhook }, "search.numResults"],
        [{ search, webhook, outputSchema: { type: "number" } }, "outputSchema"],
        [{ search, webhook: { ...webhook, events: ["webset.idle"] } }, "webhook.events"],
      ];
      for (const [body, field] of bad) {
        const reply = await server.call("POST", "/monitors", body);
        expect([reply.status, reply.body]).toMatchObject([400, { error: expect.stringContaining(field) as string }]);
      }
      const ids: string[] = [];
      for (const [name, team] of [
        ["one", "red"],
        ["two", "red"],
        ["three", "green"],
      ] as const) {
        const outputSchema = { type: "object", properties: { founded: { type: "number" } } };
        ids.push((await exa.monitors.create({ name, search, webhook, metadata: { team }, outputSchema })).id);
      }
      const list = async (query: string) =>
        ((await server.call("GET", `/monitors?${query}`)).body as { data: { name: string }[] }).data.map(
          ({ name }) => name,
        );
      expect(await list("metadata[team]=red")).toEqual(["two", "one"]);
      expect(await list("name=three&status=active")).toEqual(["three"]);
      expect(await list("status=paused")).toEqual([]);
      const batch = async (body: object) => (await server.call("POST", "/monitors/batch", body)).body;
      const filter = { metadata: { team: "red" } };
      expect(await batch({ action: "pause", filter })).toEqual({
        action: "pause",
        affected: 2,
        ids: [ids[1], ids[0]],
        dry_run: true,
        has_more: false,
      });
      expect(await list("status=paused")).toEqual([]);
      expect(await batch({ action: "pause", filter, dry_run: false, limit: 1 })).toMatchObject({
        affected: 1,
        has_more: true,
      });
      expect(await list("status=paused")).toEqual(["two"]);
      expect(await batch({ action: "unpause", filter: { name: "two" }, dry_run: false })).toMatchObject({
        affected: 1,
      });
      expect(await list("status=active&metadata[team]=red")).toEqual(["two", "one"]);
      expect((await server.call("POST", "/monitors/batch", { action: "delete", filter: {} })).status).toBe(400);
      const [last] = ids.slice(-1);
      await exa.monitors.trigger(last ?? "");
      const run = await vi.waitUntil(
        async () => (await exa.monitors.runs.list(last ?? "")).data.find(({ status }) => status === "completed"),
        { timeout: 30_000, interval: 100 },
      );
      expect(run.output?.content).toEqual(expect.any(Object)); // an object of that schema, not a text
      expect(await batch({ action: "delete", filter: { status: "active" }, dry_run: false })).toMatchObject({
        affected: 3,
      });
      expect(await list("")).toEqual([]);
    },
    120_000,
  );
});

describe("exports", () => {
  verifies(
    "exports:format:unknown",
    "are made of a running server's webset, and an unknown format is a 400",
    async () => {
      const done = await importOf(NAMES);
      const webset = await exa.websets.create({
        externalId: "to export",
        import: [{ source: "import", id: done.id }],
      } as never);
      await itemsOf(webset);
      const path = `/websets/v0/websets/${encodeURIComponent("to export")}/exports`;
      expect((await server.call("POST", path, { format: "docx" })).status).toBe(400);
      expect((await server.call("POST", "/websets/v0/websets/webset_none/exports", { format: "csv" })).status).toBe(
        404,
      );
      for (const format of ["csv", "json", "jsonl", "xlsx", "parquet"]) {
        const made = (await server.call("POST", path, { format })).body as { id: string };
        const ready = await vi.waitUntil(
          async () => {
            const { body } = await server.call("GET", `${path}/${made.id}`);
            return (body as { status: string }).status === "completed"
              ? (body as { downloadUrl: string; count: number })
              : undefined;
          },
          { timeout: 20_000, interval: 50 },
        );
        expect(ready.count).toBe(NAMES.length);
        const file = await fetch(ready.downloadUrl);
        const bytes = Buffer.from(await file.arrayBuffer());
        expect([file.status, file.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
        if (format === "csv") expect(bytes.toString().trimEnd().split("\r\n")).toHaveLength(NAMES.length + 1);
        expect((await fetch(ready.downloadUrl.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")))).status).toBe(403);
      }
      expect((await server.call("GET", `${path}/export_none`)).status).toBe(404);
      const { body } = await server.call("GET", "/websets/v0/events?types=webset.export.completed");
      expect((body as { data: unknown[] }).data).toHaveLength(5);
    },
  );
});
