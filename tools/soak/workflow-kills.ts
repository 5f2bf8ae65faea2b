import { sleep } from "@quarry/base";
import { startLightEmbedder } from "../light-embedder.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import type { Soak } from "./soak.ts";
import { makeCompanies, postPages, waitForVectors } from "./websets-kills.ts";

const KILLS = 20;
const SETTINGS = { QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };
/** The longest a life of the server lasts once a workflow has moved in it. */
const BLOW_WITHIN_MS = 1_500;
/** A blow before anything has moved would strike at nothing; longer than any pause between two tries. */
const MOVES_WITHIN_MS = 25_000;
const ENDS_WITHIN_MS = 300_000;

const entity = { type: "company" };
const query = "companies that make electric cargo bikes";
const criteria = [{ description: "makes electric cargo bikes" }];
const enrichments = [{ description: "Number of employees", format: "number" }];
const webset = { query, entity, criteria, count: 24, timeoutSeconds: 3_600 };

/** A workflow to begin, with arguments for a round. */
interface Job {
  readonly workflow: string;
  readonly args: (round: string) => Readonly<Record<string, unknown>>;
}

/** One of each kind of waiting: for a webset, for nothing, for a removal, for what an earlier run left. */
const SOME: readonly Job[] = [
  { workflow: "lifecycle.harvest", args: () => ({ ...webset, enrichments, cleanup: true }) },
  { workflow: "retrieval.verifiedAnswer", args: () => ({ query: "How many people does Alprad employ?" }) },
  {
    workflow: "semantic.cron",
    args: (round) => ({
      name: round,
      lenses: [{ name: "bikes", query, entity, criteria, enrichments, count: 24 }],
      shapes: [{ lens: "bikes", conditions: [{ enrichment: "Number of employees", operator: "gte", value: 20 }] }],
      join: { by: "entity", minLenses: 1 },
      signal: { requires: "any" },
      timeoutSeconds: 3_600,
    }),
  },
];

const ALL: readonly Job[] = [
  ...SOME,
  { workflow: "qd.winnow", args: () => ({ ...webset, enrichments }) },
  { workflow: "convergent.search", args: () => ({ ...webset, query: undefined, queries: [query, "makers of bikes"] }) },
  {
    workflow: "adversarial.verify",
    args: () => ({
      thesis: "They make bikes",
      thesisQuery: query,
      antithesisQuery: "companies that bake plum cake",
      count: webset.count,
      timeoutSeconds: webset.timeoutSeconds,
    }),
  },
  { workflow: "research.deep", args: () => ({ instructions: "How many people does Bergrad employ?" }) },
  {
    workflow: "research.verifiedCollection",
    args: () => ({ ...webset, count: 4, researchPrompt: "What does {{name}} make?", researchLimit: 2 }),
  },
  { workflow: "retrieval.searchAndRead", args: () => ({ query }) },
  { workflow: "retrieval.expandAndCollect", args: () => ({ query }) },
];

/**
 * 20 times `kill -9` of the server while workflows of every kind run: each is begun once however often it is asked for with its
 * key, goes on by itself, and ends once, with the result, the steps and the websets that it has in peace.
 */
export const workflowKillsSoak: Soak = {
  name: "workflow-kills",
  run: ({ random, size, report }) =>
    withDataDirectory(async (directory) => {
      const kills = Math.max(1, Math.ceil(KILLS * size));
      const jobs = size === 1 ? ALL : SOME;
      const embedder = await startLightEmbedder();
      const settings = { ...SETTINGS, ...embedder.settings };
      let server = await startServerProcess(directory, settings);
      try {
        await postPages(server, makeCompanies());
        await waitForVectors(server);
        const expected = new Map<string, string>();
        for (const [workflow, id] of await beginAll(server, jobs, "peace")) {
          expected.set(workflow, await readEnd(server, id, workflow));
        }
        const violations = [...expected].flatMap(([workflow, end]) =>
          end.includes('"completed"') && !end.includes('"fits":false') ? [] : [`${workflow} fails in peace: ${end}`],
        );
        const rounds: string[] = [];
        let onTheWay = 0;
        let tasks: ReadonlyMap<string, string> = new Map();
        for (let kill = 1; kill <= kills; kill += 1) {
          const isNew = (await countOpen(server, tasks)) === 0;
          if (isNew) rounds.push(`round ${rounds.length + 1}`);
          const round = rounds.at(-1) ?? "";
          if (isNew) {
            // The blow may fall before the server has answered: whoever asked asks again with the same key.
            beginAll(server, jobs, round).catch(() => undefined);
          } else {
            await waitUntilOneMoves(server, tasks);
          }
          await sleep(random.integer(isNew ? 50 : 0, BLOW_WITHIN_MS));
          const open = isNew ? jobs.length : await countOpen(server, tasks);
          if (open > 0) onTheWay += 1;
          await server.kill();
          server = await startServerProcess(directory, settings);
          tasks = await beginAll(server, jobs, round);
          report(`kill ${kill} of ${kills}, ${open} open; ready again after ${server.readyMs.toFixed(0)} ms`);
        }
        let ended = 0;
        for (const round of rounds) {
          for (const [workflow, id] of await beginAll(server, jobs, round)) {
            const end = await readEnd(server, id, workflow);
            const peace = expected.get(workflow) ?? "";
            ended += 1;
            if (end !== peace) violations.push(`${workflow} in ${round} differs: ${end} instead of ${peace}`);
          }
        }
        if (onTheWay === 0) violations.push("no kill hit a workflow on its way");
        const known = (await readPages(server, "/quarry/v1/workflows?limit=100")).length;
        if (known !== ended + jobs.length) violations.push(`${known} tasks instead of ${ended + jobs.length}`);
        return { figures: { kills, onTheWay, workflows: jobs.length, tasks: ended }, violations };
      } finally {
        await server.stop();
        await embedder.close();
      }
    }),
};

/** Begins each job of a round, or finds it begun: its task by its workflow. */
async function beginAll(
  server: ServerProcess,
  jobs: readonly Job[],
  round: string,
): Promise<ReadonlyMap<string, string>> {
  const begun = await Promise.all(
    jobs.map(async ({ workflow, args }): Promise<[string, string]> => {
      const reply = await fetch(`${server.url}/quarry/v1/workflows`, {
        method: "POST",
        headers: {
          "x-api-key": server.key,
          "content-type": "application/json",
          "idempotency-key": `${round}-${workflow}`.replaceAll(" ", "-"),
        },
        body: JSON.stringify({ workflow, args: args(round) }),
      });
      if (reply.status === 409 || reply.status === 503) {
        await sleep(500); // the claim of the life before is not over yet
        return [...(await beginAll(server, [{ workflow, args }], round))][0] ?? [workflow, ""];
      }
      if (reply.status !== 201) throw new Error(`${workflow} was answered with ${reply.status}: ${await reply.text()}`);
      return [workflow, ((await reply.json()) as { readonly id: string }).id];
    }),
  );
  return new Map(begun);
}

interface Task {
  readonly id: string;
  readonly status: string;
  readonly updatedAt: string;
}

async function readTasks(server: ServerProcess, tasks: ReadonlyMap<string, string>): Promise<readonly Task[]> {
  const ids = new Set(tasks.values());
  if (ids.size === 0) return [];
  const { body } = await server.call("GET", "/quarry/v1/workflows?limit=100");
  return (body as { readonly data: readonly Task[] }).data.filter(({ id }) => ids.has(id));
}

async function countOpen(server: ServerProcess, tasks: ReadonlyMap<string, string>): Promise<number> {
  return (await readTasks(server, tasks)).filter(({ status }) => isOpen(status)).length;
}

async function waitUntilOneMoves(server: ServerProcess, tasks: ReadonlyMap<string, string>): Promise<void> {
  const stamps = async (): Promise<string> =>
    (await readTasks(server, tasks)).map(({ id, status, updatedAt }) => `${id} ${status} ${updatedAt}`).join("\n");
  const before = await stamps();
  for (const end = performance.now() + MOVES_WITHIN_MS; performance.now() < end;) {
    if ((await stamps()) !== before) return;
    await sleep(50);
  }
}

/** How a task ended, without what may differ: ids, durations and the order of lists. */
async function readEnd(server: ServerProcess, id: string, workflow: string): Promise<string> {
  for (const end = performance.now() + ENDS_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("GET", `/quarry/v1/workflows/${id}/result`);
    const { status, error, result, steps } = body as Readonly<Record<string, unknown>> & { readonly status: string };
    if (isOpen(status)) {
      await sleep(100);
      continue;
    }
    const own = id.replace("task_", "");
    const events = await readPages(server, `/quarry/v1/events?resourceKind=workflow&resourceId=${id}&limit=200`);
    const websets = await readPages(server, "/websets/v0/websets?limit=100");
    return canonical({
      status,
      error,
      result: workflow === FIRST_COME ? withoutChoice(result) : result,
      steps,
      events: events.map((event) => event["type"]),
      websets: websets.filter((one) => String(one["id"]).includes(own)).length,
    });
  }
  throw new Error(`${id} did not end`);
}

/** Asks for fewer companies than fit. A webset ends as soon as it has enough, so that it depends on who is judged first which it keeps. */
const FIRST_COME = "research.verifiedCollection";
const fitting = new Set(makeCompanies().flatMap(({ host, makesBikes }) => (makesBikes ? [host] : [])));

/** What is promised of such a result: so many companies, each once and each one that fits, and whole reports on the first. */
function withoutChoice(result: unknown): unknown {
  const { items, reports, ...rest } = result as {
    readonly items: readonly { readonly id: string; readonly url: string; readonly satisfied: readonly string[] }[];
    readonly reports: Readonly<Record<string, { readonly status: string; readonly report: string }>>;
  };
  return {
    ...rest,
    items: items.map(({ url, satisfied }) => ({ fits: fitting.has(new URL(url).host), satisfied })),
    different: new Set(items.map(({ url }) => url)).size,
    reports: Object.entries(reports).map(([id, { status, report }]) => ({
      status,
      isWritten: report.length > 0,
      isOfItem: items.some((item) => item.id === id),
    })),
  };
}

async function readPages(server: ServerProcess, route: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (let cursor = ""; ;) {
    const { body } = await server.call("GET", `${route}${cursor}`);
    const page = body as { readonly data: typeof rows; readonly nextCursor: string | null };
    rows.push(...page.data);
    if (page.nextCursor === null) return rows;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

function isOpen(status: string): boolean {
  return status === "pending" || status === "working";
}

/** JSON with names and lists in order, ids without what is their own, and no durations. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).sort().join()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([key]) => key !== "durationMs")
      .map(([key, inner]) => `${JSON.stringify(anonymous(key))}:${canonical(inner)}`);
    return `{${entries.sort().join()}}`;
  }
  return typeof value === "string" ? JSON.stringify(anonymous(value)) : String(value);
}

function anonymous(text: string): string {
  return text.replace(/\b(webset|witem|wenrich|wsearch|task|research)_[0-9a-z]{26}/gi, "$1");
}
