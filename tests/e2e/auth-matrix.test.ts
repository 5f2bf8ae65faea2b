import { createKey, createTeam, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect, vi } from "vitest";
import { startLightEmbedder } from "../../tools/light-embedder.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";
import { leastValue } from "../../tools/soak/generate-value.ts";
import { readOperations, type Operation } from "../../tools/soak/http-fuzz.ts";

const KEY_SCOPES = ["search"] as const;
/** Stands in all that the first team makes, and in nothing that another may see. */
const CANARY = "Zanzibarite";
const PAGE = "https://vault.example/page";
const HEADERS = { "content-type": "application/json", "exa-beta": "batches-2026-06-06" };
/** Named by what they are, not by who made them. */
const NOBODYS = ["/quarry/v1/tools/"];
/** What is said of another team's where it is not 404. */
const SAID_OTHERWISE: Readonly<Record<string, readonly [status: number, text: string]>> = {
  // As Exa does: a monitor that is not there has no runs.
  "/websets/v0/monitors/{monitor}/runs": [200, '{"data":[],"hasMore":false,"nextCursor":null}'],
  // The index is of all teams; only the one that runs the server may work on it.
  "/quarry/v1/index/tasks/{id}": [403, "the team that runs the server"],
};
/** Where the least that the API page asks for is not enough. */
const BODIES: Readonly<Record<string, unknown>> = {
  "/quarry/v1/webhooks/{id}/replay": { dead: true },
  "/quarry/v1/approvals/{id}/answer": { decision: "reject" },
  "/agent/monitors/{id}/entities": { entities: [{ name: "A", domain: "a.example" }] },
};
/** Those that look back at one verdict must be told which. */
const OF_A_CRITERION = /\/items\/\{id\}\/(?:history|verdict\/attempts)$/;
/** A shorter id, such as a shell's number, may stand anywhere by chance. */
const MIN_TELLING_ID = 10;
/** What a stream says in this time is all that is read of it. */
const STREAM_MS = 300;

verifies(
  "promises:t18:auth-matrix",
  "every operation of the API page refuses no key, a wrong, a revoked and an unscoped one, and knows nothing of another team's",
  () =>
    withServer(async (server, db) => {
      const { operations, components } = await readOperations(server);
      const guarded = operations.filter(({ isOpen }) => !isOpen);
      expect(guarded.length).toBeGreaterThan(100);
      expect(await faultsOfBadKeys(server, guarded)).toEqual([]);

      const owned = await plant(server);
      const stranger = await createKey(
        db,
        await createTeam(db, "Strangers", new Date()),
        { name: "a stranger's", scopes: ["all"] },
        new Date(),
      );
      const bodyOf = ({ path, body }: Operation): unknown => body && (BODIES[path] ?? leastValue(components, body));
      const faults: string[] = [];
      let reached = 0;
      for (const operation of guarded) {
        const { method, path } = operation;
        if (NOBODYS.some((prefix) => path.startsWith(prefix))) continue;
        const address = fillPath(path, owned);
        if (address === undefined) {
          faults.push(`${path}: the test made nothing that stands there`);
        } else if (path.includes("{")) {
          reached += 1;
          const request = {
            method,
            address: `${address}${OF_A_CRITERION.test(path) ? "?criterion=x" : ""}`,
            body: bodyOf(operation),
          };
          const { status, text } = await ask(server, stranger.secret, request);
          const [expected, saying] = SAID_OTHERWISE[path] ?? [404, ""];
          if (status !== expected || !text.includes(saying) || text.includes(CANARY)) {
            faults.push(`${method} ${path} of another team: ${status} ${text.slice(0, 200)}`);
          }
        } else if (method === "GET") {
          const query = new URLSearchParams(
            operation.parameters
              .filter((parameter) => parameter.in === "query" && parameter.required === true)
              .map(({ name, schema }): [string, string] => [
                name,
                name === "url" ? PAGE : String(leastValue(components, schema, name)),
              ]),
          );
          const request = { method, address: `${address}?${query.toString()}`, body: undefined };
          const { text } = await ask(server, stranger.secret, request);
          if (tells(text, owned)) faults.push(`${path} tells of another team: ${text.slice(0, 200)}`);
        }
      }
      for (const [address, body] of [
        ["/search", { query: CANARY, contents: { text: true } }],
        ["/contents", { urls: [PAGE], text: true, livecrawl: "never" }],
        ["/findSimilar", { url: PAGE }],
        ["/answer", { query: `What is ${CANARY}?` }],
      ] as const) {
        const { text } = await ask(server, stranger.secret, { method: "POST", address, body });
        if (text.includes("below the chapel")) faults.push(`${address} shows another team's page`);
      }
      expect(faults).toEqual([]);
      expect(reached).toBeGreaterThan(80);
      // What was refused to others is there: the owner reads it still.
      for (const [prefix, id] of owned) {
        if (
          !guarded.some(
            ({ method, path }) => method === "GET" && /^[^{]+\{\w+\}$/.test(path) && path.startsWith(prefix),
          )
        )
          continue;
        const { status } = await ask(server, server.key, { method: "GET", address: `${prefix}${id}`, body: undefined });
        expect([prefix, status]).toEqual([prefix, 200]);
      }
    }),
  400_000,
);

/** Runs `work` on a server whose database the test may write to, and which loads no model. */
function withServer(work: (server: ServerProcess, db: Database) => Promise<void>): Promise<void> {
  return withDatabase((db, url) =>
    withDataDirectory(async (directory) => {
      const embedder = await startLightEmbedder();
      try {
        const server = await startServerProcess(directory, {
          QUARRY_DATABASE_URL: url,
          QUARRY_WORKSPACE_ROOTS: directory,
          QUARRY_LOG_LEVEL: "warn",
          ...embedder.settings,
        });
        try {
          await work(server, db);
        } finally {
          await server.stop();
        }
      } finally {
        await embedder.close();
      }
    }),
  );
}

async function faultsOfBadKeys(server: ServerProcess, guarded: readonly Operation[]): Promise<readonly string[]> {
  const make = async (name: string): Promise<{ readonly id: string; readonly key: string }> =>
    (await server.call("POST", "/quarry/v1/keys", { name, scopes: KEY_SCOPES })).body as { id: string; key: string };
  const narrow = await make("narrow");
  const revoked = await make("revoked");
  await server.call("DELETE", `/quarry/v1/keys/${revoked.id}`);
  const faults: string[] = [];
  for (const { method, path, scope, body } of guarded) {
    const isNarrowEnough = scope === undefined || scope === KEY_SCOPES[0];
    const expected: readonly (readonly [string, string | undefined, number])[] = [
      ["no key", undefined, 401],
      ["a wrong key", "not-a-key", 401],
      ["a revoked key", revoked.key, 401],
      ...(isNarrowEnough ? [] : [["an unscoped key", narrow.key, 403] as const]),
    ];
    for (const [name, key, status] of expected) {
      const request = { method, address: path.replaceAll(/\{\w+\}/g, "x"), body: body && {} };
      const got = await ask(server, key, request);
      if (got.status !== status) faults.push(`${method} ${path} with ${name}: ${got.status}, not ${status}`);
    }
  }
  return faults;
}

interface Request {
  readonly method: string;
  readonly address: string;
  readonly body: unknown;
}

async function ask(
  server: ServerProcess,
  key: string | undefined,
  { method, address, body }: Request,
): Promise<{ readonly status: number; readonly text: string }> {
  const reply = await fetch(`${server.url}${address}`, {
    method,
    headers: { ...(body !== undefined && HEADERS), "exa-beta": HEADERS["exa-beta"], ...(key && { "x-api-key": key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "manual",
  });
  const isStream = reply.headers.get("content-type")?.startsWith("text/event-stream") === true;
  return { status: reply.status, text: isStream ? await beginningOf(reply) : await reply.text() };
}

async function beginningOf(reply: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  const reader = (reply.body as ReadableStream<Uint8Array>).getReader();
  const end = setTimeout(() => void reader.cancel(), STREAM_MS);
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  clearTimeout(end);
  return Buffer.concat(parts).toString();
}

/** What the first team owns: an id by the path before it. */
type Owned = ReadonlyMap<string, string>;

/** The path with the owner's ids in it; undefined when there is none for the first place. */
function fillPath(path: string, owned: Owned): string | undefined {
  const [prefix = ""] = path.split("{");
  if (prefix === path) return path;
  const id = owned.get(prefix);
  if (id === undefined) return undefined;
  const first = path.replace(/\{\w+\}/, id);
  return first.replaceAll(/([\w-]+)\/\{\w+\}/g, (_, kind: string) => `${kind}/${owned.get(kind) ?? "x"}`);
}

function tells(text: string, owned: Owned): boolean {
  return text.includes(CANARY) || [...owned.values()].some((id) => id.length >= MIN_TELLING_ID && text.includes(id));
}

/** Makes one of everything as the first team. */
async function plant(server: ServerProcess): Promise<Owned> {
  const make = async <T extends { readonly id: string }>(
    address: string,
    body: unknown,
    method = "POST",
  ): Promise<T> => {
    const { status, text } = await ask(server, server.key, { method, address, body });
    if (status >= 300) throw new Error(`${address}: ${status} ${text}`);
    return JSON.parse(text) as T;
  };
  const firstOf = async (address: string): Promise<string> => {
    const found = async (): Promise<string | undefined> =>
      ((await server.call("GET", address)).body as { data?: readonly { readonly id: string }[] }).data?.[0]?.id;
    return vi.waitUntil(found, { timeout: 60_000, interval: 200 });
  };
  const text = `${CANARY} is a stone. It lies in the vault below the chapel.`;
  await make("/quarry/v1/documents?wait=true", [{ url: PAGE, title: CANARY, text }]);
  const page = (await server.call("GET", `/quarry/v1/documents?url=${encodeURIComponent(PAGE)}`)).body;
  const key = await make("/quarry/v1/keys", { name: CANARY });
  const webset = await make<{ id: string; searches: { id: string }[]; enrichments: { id: string }[] }>(
    "/websets/v0/websets",
    {
      search: { query: CANARY, count: 1, entity: { type: "article" }, criteria: [{ description: "is about a stone" }] },
      enrichments: [{ description: `where ${CANARY} lies`, format: "text" }],
    },
  );
  const cadence = { cron: "0 9 * * 1", timezone: "Etc/UTC" };
  const behavior = { type: "search", config: { query: CANARY, count: 1, entity: { type: "article" } } };
  const monitor = await make("/websets/v0/monitors", { websetId: webset.id, cadence, behavior });
  const webhook = await make("/websets/v0/webhooks", {
    url: "https://hook.example/",
    events: ["webset.created"],
    metadata: { name: CANARY },
  });
  const imported = await make("/websets/v0/imports", {
    title: CANARY,
    format: "csv",
    entity: { type: "company" },
    size: 100,
    count: 1,
  });
  const exported = await make(`/websets/v0/websets/${webset.id}/exports`, { format: "csv" });
  const research = await make<{ id: string; researchId: string }>("/research/v1", { instructions: `On ${CANARY}` });
  const crawl = await make("/quarry/v1/crawls", { url: "https://vault.example/", maxPages: 1 });
  const watched = await make("/quarry/v1/page-monitors", { url: PAGE, everyMinutes: 60 });
  const session = await make("/quarry/v1/sessions", {});
  const rule = await make<{ id: string; data: { id: string }[] }>("/quarry/v1/tool-rules", {
    match: { tools: ["todo_write"] },
  });
  const workflow = await make("/quarry/v1/workflows", { workflow: "research.deep", args: { instructions: CANARY } });
  const searchMonitor = await make("/monitors", {
    name: CANARY,
    search: { query: CANARY },
    trigger: { type: "interval", period: "1d" },
    webhook: { url: "https://hook.example/" },
  });
  const agentRun = await make("/agent/runs", { query: `Where is ${CANARY}?` });
  const watchedFacts = {
    entities: [{ name: CANARY, domain: "vault.example" }],
    fields: [{ name: "place", description: "where it lies", type: "static" }],
  };
  const agentMonitor = await make("/agent/monitors", { cadence: "12h", ...watchedFacts });
  const backtest = await make("/agent/monitors/backtest", {
    ...watchedFacts,
    startTime: "2026-01-01T00:00:00Z",
    endTime: "2026-02-01T00:00:00Z",
  });
  const verification = await make("/quarry/v1/index/verify", {});
  const batch = await make("/batches", {
    requests: [{ customId: "a", method: "POST", url: "/search", body: { query: CANARY } }],
  });
  const judged = await make(
    "/quarry/v1/judged-queries",
    { query: CANARY, judgments: [{ url: PAGE, grade: 1 }] },
    "PUT",
  );
  const response = await make("/responses", { input: `Where is ${CANARY}?` });
  const waiting = new AbortController();
  // Nobody answers, so that the call waits; it is given up once its question is there.
  const call = fetch(`${server.url}/quarry/v1/tools/exa_search/calls`, {
    method: "POST",
    headers: { ...HEADERS, "x-api-key": server.key },
    body: JSON.stringify({ query: CANARY }),
    signal: waiting.signal,
  }).catch(() => undefined);
  const approval = await firstOf("/quarry/v1/approvals?status=pending");
  waiting.abort();
  await call;
  return new Map([
    ["/quarry/v1/keys/", key.id],
    ["/team-management/api-keys/", key.id],
    ["/websets/v0/websets/", webset.id],
    ["/quarry/v1/websets/", webset.id],
    ["items", await firstOf(`/websets/v0/websets/${webset.id}/items`)],
    ["searches", webset.searches[0]?.id ?? ""],
    ["enrichments", webset.enrichments[0]?.id ?? ""],
    ["cells", webset.enrichments[0]?.id ?? ""],
    ["exports", exported.id],
    ["shells", "1"],
    ["/websets/v0/monitors/", monitor.id],
    ["/quarry/v1/monitors/", monitor.id],
    ["/websets/v0/webhooks/", webhook.id],
    ["/quarry/v1/webhooks/", webhook.id],
    ["/websets/v0/imports/", imported.id],
    ["/websets/v0/events/", await firstOf("/websets/v0/events")],
    ["/research/v1/", research.researchId],
    ["/research/v0/tasks/", research.researchId],
    ["/quarry/v1/research/", research.researchId],
    ["/quarry/v1/crawls/", crawl.id],
    ["/quarry/v1/snapshots/", (page as { readonly snapshotId: string }).snapshotId],
    ["/quarry/v1/page-monitors/", watched.id],
    ["/quarry/v1/sessions/", session.id],
    ["/quarry/v1/tool-rules/", rule.data[0]?.id ?? ""],
    ["/quarry/v1/approvals/", approval],
    ["/quarry/v1/workflows/", workflow.id],
    ["/monitors/", searchMonitor.id],
    ["/agent/runs/", agentRun.id],
    ["/agent/monitors/", agentMonitor.id],
    ["/agent/monitors/backtest/", backtest.id],
    ["/quarry/v1/index/tasks/", verification.id],
    ["/batches/", batch.id],
    ["/responses/", response.id],
    ["/quarry/v1/judged-queries/", judged.id],
  ]);
}
