import type { Grounding, ResearchCost } from "@quarry/contract";
import { completeJson } from "@quarry/models";
import { readSentences } from "../answer/read-sentences.ts";
import { supportsClaim } from "../evidence/supports-claim.ts";
import { tryModel } from "../try-model.ts";
import { fillObject, type ResearchResult } from "./fill-object.ts";
import type { ResearchDeps, ResearchTask } from "./research-deps.ts";
import { REPORT_SCHEMA, reportPrompt } from "./research-prompts.ts";
import type { NotedClaim, ResearchRun } from "./research-run.ts";
import { SourceList, writeDigest, type Report } from "./write-report.ts";

const MAX_OUTPUT_TOKENS = 4_000;

/** Writes what a run has found: the report, or the object that its schema asks for. */
export async function finishResearch(
  deps: ResearchDeps,
  task: ResearchTask,
  run: ResearchRun,
  signal: AbortSignal,
): Promise<ResearchResult & { readonly tokens: number }> {
  const before = task.llm?.spent().tokens ?? 0;
  const spent = (): number => (task.llm?.spent().tokens ?? 0) - before;
  if (task.outputSchema !== null) {
    const result = await fillObject(deps, { ...task, outputSchema: task.outputSchema }, run, signal);
    return { ...result, tokens: spent() };
  }
  const { content, citations } =
    (await writeByModel(deps, task, run, signal)) ?? writeDigest(task.instructions, run.tasks);
  const grounding: readonly Grounding[] =
    citations.length === 0
      ? []
      : [{ field: "text", citations: citations.map(({ url, title }) => ({ url, title })), confidence: "high" }];
  return { kind: "completed", content, citations, grounding, tokens: spent() };
}

/** What a run costs by a price list: what it really used. */
export function costOfRun(
  run: ResearchRun,
  pageTokens: number,
  prices: ResearchDeps["prices"]["research"],
  model: ResearchTask["model"],
): ResearchCost {
  const numPages = Math.ceil(pageTokens / 1_000);
  const page = model === "exa-research-pro" ? prices.pagePro : prices.page;
  const total = run.spent.searches * prices.search + numPages * page + run.spent.tokens * prices.token;
  return {
    total: Math.round(total * 1e6) / 1e6,
    numSearches: run.spent.searches,
    numPages,
    reasoningTokens: run.spent.tokens,
  };
}

/** The model's report, of which only sentences stay that its claims carry; undefined when there is no model or nothing holds. */
async function writeByModel(
  deps: ResearchDeps,
  task: ResearchTask,
  run: ResearchRun,
  signal: AbortSignal,
): Promise<Report | undefined> {
  const claims = run.tasks.flatMap((part) => part.claims ?? []);
  if (task.llm === undefined || claims.length === 0) return undefined;
  const messages = reportPrompt(
    task.instructions,
    claims.map(({ text }) => text),
    task.systemPrompt,
  );
  const ask = { messages, maxOutputTokens: MAX_OUTPUT_TOKENS, temperature: 0, schema: REPORT_SCHEMA };
  const value = await tryModel(completeJson(task.llm, ask, signal), signal);
  if (value === undefined) return undefined;
  const { report, contradictions = [] } = value as {
    readonly report: string;
    readonly contradictions?: readonly (readonly number[])[];
  };
  const sources = new SourceList();
  const blocks = await keepCarried(deps, task, report, claims, sources);
  if (blocks.length === 0) return undefined;
  const disputes = contradictions.flatMap((pair) => {
    const [one, other] = pair.map((number) => claims[number - 1]);
    if (one === undefined || other === undefined || one === other) return [];
    return [`- ${one.text} ${sources.cite(one.quotes)} — but: ${other.text} ${sources.cite(other.quotes)}`];
  });
  const parts = [
    ...blocks,
    ...(disputes.length === 0 ? [] : [`## Where sources disagree\n\n${disputes.join("\n")}`]),
    sources.section(),
  ];
  return { content: parts.join("\n\n"), citations: sources.citations() };
}

/** Headings, and under them the sentences that the claims they name carry. */
async function keepCarried(
  deps: ResearchDeps,
  task: ResearchTask,
  report: string,
  claims: readonly NotedClaim[],
  sources: SourceList,
): Promise<readonly string[]> {
  const blocks: string[] = [];
  for (const block of report.split(/\n{1,}/)) {
    const heading = /^#{1,4}\s+\S.{0,200}$/.exec(block.trim());
    if (heading !== null) {
      blocks.push(heading[0]);
      continue;
    }
    const kept: string[] = [];
    for await (const sentence of readSentences(once(block))) {
      const cited = claims.filter((_, index) => sentence.sources.includes(index + 1));
      const quotes = cited.flatMap((claim) => claim.quotes);
      const support = {
        quotes: [...cited.map(({ text }) => text), ...quotes.map(({ text }) => text)],
        given: task.instructions,
      };
      if (quotes.length > 0 && supportsClaim(deps.analyser, sentence.text, support)) {
        kept.push(`${sentence.text} ${sources.cite(quotes)}`);
      }
    }
    if (kept.length > 0) blocks.push(kept.join(" "));
  }
  const hasText = blocks.some((block) => !block.startsWith("#"));
  // A heading without text below it says that something is there which is not.
  return hasText
    ? blocks.filter((block, index) => !block.startsWith("#") || !(blocks[index + 1] ?? "#").startsWith("#"))
    : [];
}

async function* once(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
