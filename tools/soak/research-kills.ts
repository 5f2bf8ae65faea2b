import { sleep } from "@quarry/base";
import { serveMiniWeb, type MiniWeb } from "@quarry/crawl/testing";
import { startLightEmbedder } from "../light-embedder.ts";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { startResearchModel } from "./research-model.ts";
import { crawlManual, readGitManual, THREE_QUESTIONS } from "./research-web.ts";
import type { Soak, SoakContext } from "./soak.ts";

/** For each of the two ways to do research, with a language model and without. */
const KILLS = 10;
const SETTINGS = { QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };
/** So slow that kills find requests on their way. */
const MODEL_ANSWERS_AFTER_MS = 150;
const ENDS_WITHIN_MS = 600_000;
const REQUEST = { instructions: THREE_QUESTIONS.join(" "), model: "exa-research-pro" } as const;

/**
 * Research over the Git manual that needs three pages, done once in peace and once under `kill -9`, with a scripted language model
 * and without: each citation opens and holds its quote, both runs end with the same report, citations and events but for ids
 * and times, and the model is asked for each operation once, save what was under way at a kill.
 */
export const researchKillsSoak: Soak = {
  name: "research-kills",
  run: (context) =>
    withDataDirectory(async (directory) => {
      const pages = readGitManual();
      if (pages === undefined) throw new Error("miniweb-git-htmldocs is missing: set QUARRY_EVAL_DATA");
      const web = await serveMiniWeb(pages);
      const model = await startResearchModel(THREE_QUESTIONS, MODEL_ANSWERS_AFTER_MS);
      const kills = Math.max(1, Math.ceil(KILLS * context.size));
      // The whole proof is by meaning too; a part of it has five pages, which words tell apart, and loads no model in each life.
      const embedder = context.size === 1 ? undefined : await startLightEmbedder();
      const common = { ...SETTINGS, ...embedder?.settings };
      let server = await startServerProcess(directory, common);
      const restart = async (settings: Readonly<Record<string, string>>): Promise<void> => {
        server = await startServerProcess(directory, { ...common, ...settings });
      };
      try {
        const stored = await crawlManual(server, web.origin, context.size === 1 ? "whole" : "some");
        const violations: string[] = [];
        const figures: Record<string, number> = { kills: kills * 2, stored };
        for (const way of ["extractive", "model"] as const) {
          const settings = way === "model" ? { QUARRY_LLM_URL: model.url, QUARRY_LLM_MODEL: "scripted" } : {};
          if (way === "model") {
            await server.stop();
            await restart(settings);
          }
          const whole = await runWhole(server);
          violations.push(...(await checkCitations(server, web, whole)).map((line) => `${way}: ${line}`));
          const askedWhole = model.takeAsked();
          const { id, onTheWay } = await strike(
            { server: () => server, restart: () => restart(settings) },
            { kills, events: whole.events.length, context, way },
          );
          const struck = await waitForEnd(server, id);
          const askedStruck = model.takeAsked();
          violations.push(...compareResearch(whole, struck).map((line) => `${way}: ${line}`));
          violations.push(...compareAsked(askedWhole, askedStruck, kills).map((line) => `${way}: ${line}`));
          figures[`${way}: kills on the way`] = onTheWay;
          figures[`${way}: events`] = whole.events.length;
          figures[`${way}: citations`] = whole.citations.length;
          figures[`${way}: asked of the model`] = askedWhole.length;
          figures[`${way}: asked again`] = askedStruck.length - askedWhole.length;
          if (onTheWay === 0) violations.push(`${way}: no kill hit the run on its way`);
        }
        return { figures, violations };
      } finally {
        await server.stop();
        await model.close();
        await embedder?.close();
        await web.close();
      }
    }),
};

/** A finished run, as the wire shows it. */
export interface ResearchRun {
  readonly status: string;
  readonly output?: { readonly content: string };
  readonly error?: string;
  readonly citations: readonly { readonly url: string; readonly snippet: string }[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

async function begin(server: ServerProcess): Promise<string> {
  const { status, body } = await server.call("POST", "/research/v1", REQUEST);
  if (status !== 201) throw new Error(`research was answered with ${status}: ${JSON.stringify(body)}`);
  return (body as { readonly researchId: string }).researchId;
}

async function runWhole(server: ServerProcess): Promise<ResearchRun> {
  return waitForEnd(server, await begin(server));
}

async function waitForEnd(server: ServerProcess, id: string): Promise<ResearchRun> {
  for (const end = performance.now() + ENDS_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("GET", `/research/v1/${id}?events=true`);
    const { citations = [], events = [], ...run } = body as Partial<ResearchRun> & { readonly status: string };
    if (!["pending", "running"].includes(run.status)) return { ...run, citations, events };
    await sleep(100);
  }
  throw new Error("the run did not end");
}

/** Starts a run and kills the server again and again, each time a little later in it; counts the kills that came before its end. */
async function strike(
  process: { readonly server: () => ServerProcess; readonly restart: () => Promise<void> },
  plan: { readonly kills: number; readonly events: number; readonly context: SoakContext; readonly way: string },
): Promise<{ readonly id: string; readonly onTheWay: number }> {
  const { kills, events, context } = plan;
  const id = await begin(process.server());
  let onTheWay = 0;
  let seen = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    // Every life must have brought the run on, or a kill would strike at nothing.
    const until = Math.max(seen + 1, Math.floor((events * kill) / (kills + 1)) - context.random.integer(0, 1));
    seen = await followUntil(process.server(), id, until);
    await sleep(context.random.integer(0, MODEL_ANSWERS_AFTER_MS));
    await process.server().kill();
    if (seen < events) onTheWay += 1;
    context.report(`${plan.way}: kill ${kill} of ${kills} at event ${seen} of ${events}`);
    await process.restart();
  }
  return { id, onTheWay };
}

/** Follows a run as a client does, until so many events have come; how many had. */
async function followUntil(server: ServerProcess, id: string, count: number): Promise<number> {
  const stop = new AbortController();
  const reply = await fetch(`${server.url}/research/v1/${id}?stream=true`, {
    headers: { "x-api-key": server.key },
    signal: stop.signal,
  });
  let text = "";
  const seen = (): number => text.split("\n\n").length - 1;
  const decoder = new TextDecoder();
  for await (const chunk of reply.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (seen() >= count) break;
  }
  stop.abort();
  return seen();
}

/** Each citation must be a page that opens, be stored, and hold its quote in both; three pages must be among them. */
async function checkCitations(server: ServerProcess, web: MiniWeb, run: ResearchRun): Promise<readonly string[]> {
  if (run.status !== "completed") return [`the run is ${run.status}: ${run.error ?? ""}`];
  const violations: string[] = [];
  for (const { url, snippet } of run.citations) {
    const page = await fetch(url);
    if (!url.startsWith(web.origin) || page.status !== 200) violations.push(`${url} does not open`);
    if (!lettersOf(textOf(await page.text())).includes(lettersOf(snippet))) {
      violations.push(`${url} does not say: ${snippet}`);
    }
    const { body } = await server.call("GET", `/quarry/v1/documents?url=${encodeURIComponent(url)}`);
    const { text = "" } = body as { readonly text?: string };
    if (!text.includes(snippet)) violations.push(`the stored text of ${url} does not hold: ${snippet}`);
    if (run.output?.content.includes(url) !== true) violations.push(`the report does not cite ${url}`);
  }
  for (const name of ["git-bisect", "git-stash", "git-cherry-pick"]) {
    if (!run.citations.some(({ url }) => url.endsWith(`/${name}.html`))) violations.push(`${name} is not cited`);
  }
  return violations;
}

function textOf(html: string): string {
  return html
    .replace(/<(?:script|style)[\s\S]*?<\/(?:script|style)>/gi, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&[a-z]+;/gi, "");
}

/** Signs, entities and line breaks are not what a quote says. */
function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "");
}

/** How a run differs from the one in peace, but for ids and times; a sentence each. */
export function compareResearch(whole: ResearchRun, struck: ResearchRun): readonly string[] {
  const violations: string[] = [];
  const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
  if (whole.status !== struck.status) violations.push(`it is ${struck.status} in the end: ${struck.error ?? ""}`);
  if (differs(whole.output, struck.output)) violations.push("the report differs");
  if (differs(whole.citations, struck.citations)) violations.push("the citations differ");
  const [expected, events] = [whole.events.map(withoutStamps), struck.events.map(withoutStamps)];
  if (expected.length !== events.length) violations.push(`${events.length} events instead of ${expected.length}`);
  const first = expected.findIndex((event, place) => event !== events[place]);
  if (first !== -1)
    violations.push(`event ${first} differs: ${events[first] ?? "none"} instead of ${expected[first] ?? ""}`);
  return violations;
}

function withoutStamps(event: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(event, (name, value: unknown) =>
    ["researchId", "createdAt", "planId", "taskId", "operationId"].includes(name) ? undefined : value,
  );
}

/** The same questions, each once, but for at most one more a kill. */
function compareAsked(whole: readonly string[], struck: readonly string[], kills: number): readonly string[] {
  const violations: string[] = [];
  if (new Set(whole).size !== whole.length)
    violations.push("the model was asked the same twice in a run without kills");
  const known = new Set(whole);
  if (struck.some((asked) => !known.has(asked))) violations.push("the model was asked something else");
  for (const asked of known) if (!struck.includes(asked)) violations.push("the model was not asked for an operation");
  if (struck.length > whole.length + kills) {
    violations.push(`the model was asked ${struck.length} times for ${whole.length} operations in ${kills + 1} lives`);
  }
  return violations;
}
