import { sleep } from "@quarry/base";
import { EXA_EVENT_TYPES } from "@quarry/contract";
import { generatedPages, serveMiniWeb, type MiniWeb, type MiniWebPages } from "@quarry/crawl/testing";
import { startLightEmbedder } from "../light-embedder.ts";
import { howSlowIsThisMachineNow } from "../machine-slowness.ts";
import { killServerAtStart, startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { makeCampaignClient, type CampaignClient } from "./campaign-client.ts";
import { makeCampaignWorks, readAll, readEventIds } from "./campaign-work.ts";
import type { Soak, SoakContext } from "./soak.ts";
import { headerOf, startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";
import { findFault } from "./webhook-verifier.ts";
import { makeCompanies, postPages, waitForVectors } from "./websets-kills.ts";

const KILLS = 200;
const SETTINGS = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };
/** How long a life lasts at most after what the last one left has moved, or after it is ready. */
const LIFE_MS = 800;
/** A start that is struck as well is struck within this time. */
const START_MS = 1_200;
const PAGES = 60;
const PAGE_ANSWERS_AFTER_MS = 120;
const RECEIVER_ANSWERS_WITHIN_MS = 40;
/** From the start of the process until it is ready, and everything that was under way at the kill has moved on. */
const RECOVERED_WITHIN_MS = 5_000;
/** What has not moved by then is stuck. */
const STUCK_AFTER_MS = 90_000;
const POLL_MS = 50;
const EVENT_TYPES = EXA_EVENT_TYPES.filter((type) => /^webset\.(?:created|idle|search|item)/.test(type));

/**
 * 200 times `kill -9` of the whole server at random instants, some while it starts, while a webset, a crawl and a research
 * are under way at once and their events go out by webhook: no item is lost or doubled, no run is stuck, what was acknowledged is
 * there once, every event arrives in order, and after each kill all works again within five seconds.
 */
export const killCampaignSoak: Soak = {
  name: "kill-campaign",
  run: (context) =>
    withDataDirectory(async (directory) => {
      const embedder = await startLightEmbedder();
      const editions = { crawl: 0 };
      const web = await serveMiniWeb(pagesOfEdition(editions), { delayMs: PAGE_ANSWERS_AFTER_MS });
      const hook = await startHook(context);
      const settings = { ...SETTINGS, ...embedder.settings };
      try {
        const campaign = { directory, settings, web, hook, editions };
        return await strike(campaign, context);
      } finally {
        await hook.close();
        await web.close();
        await embedder.close();
      }
    }),
};

interface Campaign {
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly web: MiniWeb;
  readonly hook: Hook;
  /** Each crawl finds the pages changed. */
  readonly editions: { crawl: number };
}

async function strike({ directory, settings, web, hook, editions }: Campaign, { random, size, report }: SoakContext) {
  const kills = Math.max(1, Math.ceil(KILLS * size));
  const violations: string[] = [];
  const onTheWay: Record<string, number> = { webset: 0, research: 0, crawl: 0, webhook: 0 };
  const recoveries: Recovery[] = [];
  const works = makeCampaignWorks(web.origin);
  const client = makeCampaignClient(works, ({ name }) => {
    if (name === "crawl") editions.crawl += 1;
  });
  let server = await startServerProcess(directory, settings);
  try {
    await postPages(server, makeCompanies());
    await waitForVectors(server);
    await hook.register(server);
    await client.keepBusy(server);
    await waitUntilOver(server, client);
    for (const { work, acknowledged = "" } of client.wishes)
      violations.push(...(await work.learn(server, acknowledged)));

    for (let kill = 1; kill <= kills; kill += 1) {
      const asked = client.keepBusy(server).catch(() => undefined); // killed under us: asked again in the next life
      if (random.chance(0.8)) await asked;
      await sleep(random.integer(0, LIFE_MS));
      const struck = client.open().map(({ wish }) => wish.work.name);
      const silent = hook.arrivals.length;
      await server.kill();
      await asked;
      const slownessBefore = howSlowIsThisMachineNow();
      const struckAtStart = random.chance(0.2);
      if (struckAtStart) await killServerAtStart(directory, settings, random.integer(0, START_MS));
      server = await startServerProcess(directory, settings);
      const recovery = await recover(server, client, hook);
      // A machine may have become slow since.
      const isSlow = recovery.ms > RECOVERED_WITHIN_MS * slownessBefore;
      const slowness = isSlow ? Math.max(slownessBefore, howSlowIsThisMachineNow()) : slownessBefore;
      for (const name of new Set(struck)) onTheWay[name] = (onTheWay[name] ?? 0) + 1;
      if (hook.arrivals.length > silent) onTheWay["webhook"] = (onTheWay["webhook"] ?? 0) + 1;
      recoveries.push({ ms: recovery.ms, slowness });
      const told =
        `ready after ${recovery.readyMs} ms, recovered after ${recovery.ms} ms (${recovery.last}) ` +
        `on a machine ${slowness.toFixed(1)} times as slow as an idle one`;
      if (recovery.ms > RECOVERED_WITHIN_MS * slowness) violations.push(`kill ${kill}: ${told}`);
      report(
        `kill ${kill} of ${kills} during ${struck.join(", ")}${struckAtStart ? " and at the start" : ""}; ${told}`,
      );
    }

    await waitUntilOver(server, client);
    for (const { work, acknowledged = "" } of client.wishes) {
      violations.push(...(await work.compare(server, acknowledged)));
    }
    violations.push(...(await client.compare(server)), ...(await comparePages(server, editions.crawl)));
    violations.push(...(await hook.compare(server, client)));
    for (const [name, count] of Object.entries(onTheWay)) if (count === 0) violations.push(`no kill hit a ${name}`);
    await server.stop();
  } finally {
    await server.kill();
  }
  const counts = Object.fromEntries(
    works.map((work) => [`${work.name}: begun`, client.wishes.filter((wish) => wish.work === work).length]),
  );
  const figures = {
    kills,
    ...Object.fromEntries(Object.entries(onTheWay).map(([name, count]) => [`${name}: kills on the way`, count])),
    ...counts,
    deliveries: hook.arrivals.length,
    "deliveries made again": hook.arrivals.length - new Set(hook.arrivals).size,
    ...summarize(recoveries),
  };
  return { figures, violations };
}

/** How long it took, and on a machine how much slower than an idle one. */
interface Recovery {
  readonly ms: number;
  readonly slowness: number;
}

function summarize(recoveries: readonly Recovery[]): Readonly<Record<string, number>> {
  const sort = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);
  const took = sort(recoveries.map(({ ms }) => ms));
  const asIdle = sort(recoveries.map(({ ms, slowness }) => Math.round(ms / slowness)));
  const middle = Math.floor(recoveries.length / 2);
  return {
    "ms to recover, median": took[middle] ?? 0,
    "ms to recover, slowest": took.at(-1) ?? 0,
    "as on an idle machine, median": asIdle[middle] ?? 0,
    "as on an idle machine, slowest": asIdle.at(-1) ?? 0,
  };
}

/** A small web in which every page says which edition it is of. */
function pagesOfEdition(editions: { readonly crawl: number }): MiniWebPages {
  const pages = generatedPages(PAGES);
  return (target) => {
    const page = pages(target);
    if (page === undefined) return undefined;
    return { ...page, body: page.body.toString().replace("</h1>", `</h1><p>This is edition ${editions.crawl}.</p>`) };
  };
}

/** Each page of the web must be stored once, as the last crawl found it. */
async function comparePages(server: ServerProcess, edition: number): Promise<readonly string[]> {
  const violations: string[] = [];
  const urls = (await readAll(server, "/quarry/v1/documents")).map(({ url }) => String(url));
  const crawled = urls.filter((url) => url.startsWith("http://127.0.0.1"));
  if (new Set(urls).size !== urls.length) violations.push("a page is stored twice");
  if (crawled.length !== PAGES) violations.push(`${crawled.length} pages of the web are stored instead of ${PAGES}`);
  for (const url of crawled) {
    const { body } = await server.call("GET", `/quarry/v1/documents?url=${encodeURIComponent(url)}`);
    const { text = "" } = body as { readonly text?: string };
    if (!text.includes(`This is edition ${edition}.`)) violations.push(`${url} is not stored as it was seen last`);
  }
  return violations;
}

/** Waits until every open work has moved, and what the log tells of websets has arrived; how long after the start that was. */
async function recover(
  server: ServerProcess,
  client: CampaignClient,
  hook: Hook,
): Promise<{ readonly ms: number; readonly readyMs: number; readonly last: string }> {
  const readyAt = performance.now();
  const readyMs = Math.round(server.readyMs);
  let last = "nothing was under way";
  await Promise.all(
    client.open().map(async ({ wish: { work }, id }) => {
      const first = await work.look(server, id);
      const owed = work.name === "webset" ? await readEventIds(server, id, EVENT_TYPES) : [];
      await waitFor(async () => {
        const { isOver, stamp } = await work.look(server, id);
        return isOver || stamp !== first.stamp;
      }, `${work.name} ${id} does not go on`);
      last = work.name;
      await waitFor(() => owed.every((event) => hook.arrivals.includes(event)), `events of ${id} do not arrive`);
      if (owed.length > 0) last = "webhook";
    }),
  );
  return { ms: readyMs + Math.round(performance.now() - readyAt), readyMs, last };
}

async function waitUntilOver(server: ServerProcess, client: CampaignClient): Promise<void> {
  await waitFor(
    async () => {
      await client.keepBusy(server, { beginsNew: false });
      return client.wishes.every(({ isOver }) => isOver);
    },
    `stuck: ${JSON.stringify(client.open().map(({ id }) => id))}`,
  );
}

async function waitFor(look: () => boolean | Promise<boolean>, complaint: string): Promise<void> {
  for (const end = performance.now() + STUCK_AFTER_MS; performance.now() < end;) {
    if (await look()) return;
    await sleep(POLL_MS);
  }
  throw new Error(complaint);
}

/** A receiver of the websets' events that keeps what it got. */
interface Hook {
  readonly register: (server: ServerProcess) => Promise<void>;
  /** Ids of events in the order in which they came, also those that came again. */
  readonly arrivals: readonly string[];
  /** What is wrong with the deliveries; waits for those that are still to come. */
  readonly compare: (server: ServerProcess, client: CampaignClient) => Promise<readonly string[]>;
  readonly close: WebhookReceiver["close"];
}

async function startHook({ random }: SoakContext): Promise<Hook> {
  const arrivals: string[] = [];
  const faults: string[] = [];
  let secret = "";
  const receiver = await startWebhookReceiver((delivery, response) => {
    const { rawBody } = delivery;
    const fault = findFault({ header: headerOf(delivery, "exa-signature"), rawBody }, secret, new Date());
    if (fault !== undefined) faults.push(`a delivery: ${fault}`);
    const { id } = JSON.parse(rawBody.toString("utf8")) as { readonly id: string };
    const answer = (): void => {
      arrivals.push(id);
      response.end(); // a sender that was killed meanwhile never hears of it
    };
    setTimeout(answer, random.integer(0, RECEIVER_ANSWERS_WITHIN_MS));
  });
  return {
    arrivals,
    register: async (server) => {
      const wish = { url: receiver.url, events: EVENT_TYPES };
      const { status, body } = await server.call("POST", "/websets/v0/webhooks", wish);
      if (status >= 300) throw new Error(`the webhook was answered with ${status}: ${JSON.stringify(body)}`);
      secret = (body as { readonly secret: string }).secret;
    },
    compare: async (server, client) => {
      const firsts = [...new Set(arrivals)];
      const known = new Set<string>();
      for (const { work, acknowledged = "" } of client.wishes) {
        if (work.name !== "webset") continue;
        const log = await readEventIds(server, acknowledged, EVENT_TYPES);
        for (const id of log) known.add(id);
        await waitFor(() => log.every((id) => arrivals.includes(id)), `events of ${acknowledged} do not arrive`);
        const own = new Set(log);
        const came = [...new Set(arrivals)].filter((id) => own.has(id));
        if (came.join() !== log.join()) faults.push(`the events of ${acknowledged} came out of order`);
      }
      const foreign = firsts.filter((id) => !known.has(id));
      if (foreign.length > 0) faults.push(`${foreign.length} events came that no webset's log has`);
      return faults;
    },
    close: receiver.close,
  };
}
