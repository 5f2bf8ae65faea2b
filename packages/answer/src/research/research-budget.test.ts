import { PRICE_LISTS, type ResearchModel } from "@quarry/contract";
import { limitLlm, type Llm } from "@quarry/models";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { answerWorld, contentPage } from "../testing.ts";
import { nextStep } from "./next-step.ts";
import { performStep } from "./perform-step.ts";
import { RESEARCH_BUDGETS, type ResearchBudget } from "./research-budget.ts";
import type { ResearchDeps } from "./research-deps.ts";
import { foldRun, type ResearchRun, type RunEvent } from "./research-run.ts";

const PAGES = Array.from({ length: 200 }, (_, index) =>
  contentPage({
    url: `https://wind.example/${index}`,
    title: `Wind farm ${index}`,
    text: `Wind farm number ${index} makes ${index} megawatts of power. It was built in ${1900 + index}.`,
  }),
);
const INSTRUCTIONS = Array.from({ length: 9 }, (_, index) => `- How much power does wind farm ${index} make?`).join(
  "\n",
);

/** A model that asks for all it may, and counts what it is given. */
function greedyLlm(): Llm & { readonly used: () => number } {
  let used = 0;
  return {
    model: "greedy",
    used: () => used,
    complete: ({ messages, maxOutputTokens }) => {
      const system = messages[0]?.content ?? "";
      const tasks = Array.from({ length: 20 }, () => `How much power does wind farm ${used} make?`);
      const text = system.includes("plan research")
        ? JSON.stringify({ reasoning: "More.", tasks })
        : system.includes("take notes")
          ? '{"claims":[]}'
          : '{"report":""}';
      const usage = { inputTokens: 900, outputTokens: maxOutputTokens };
      used += usage.inputTokens + usage.outputTokens;
      return Promise.resolve({ text, finish: "stop", usage });
    },
    stream: () => {
      throw new Error("research does not stream");
    },
  };
}

/** A run from its first step to its last, in memory, at a second a step. */
async function simulate(budget: ResearchBudget, llm: Llm | undefined): Promise<ResearchRun> {
  let ids = 0;
  let searches = 0;
  const world = answerWorld(PAGES);
  const deps: ResearchDeps = {
    ...world,
    llm,
    prices: PRICE_LISTS.free,
    newId: (prefix) => `${prefix}_${(ids += 1)}`,
    search: ({ limit }) => {
      searches += 1;
      return Promise.resolve(PAGES.slice(searches * limit, (searches + 1) * limit).map(({ url }) => ({ url })));
    },
    readPage: ({ url }) => Promise.resolve(PAGES.find((page) => page.url === url)),
  };
  const events: RunEvent[] = [];
  for (let step = 0; ; step += 1) {
    const run = foldRun(events);
    const next = nextStep(run, budget, step * 1_000);
    if (next.kind === "nothing") return run;
    expect(step).toBeLessThan(1_000);
    const spent = { calls: 0, tokens: run.spent.tokens, dollars: 0 };
    const limited = llm === undefined ? undefined : limitLlm(llm, { maxTokens: budget.maxTokens }, spent);
    const task = {
      teamIds: ["team_1"],
      model: "exa-research" as ResearchModel,
      instructions: INSTRUCTIONS,
      outputSchema: null,
      budget,
      llm: limited,
    };
    events.push(...(await performStep(deps, task, events, next, new AbortController().signal)));
  }
}

verifies(
  ["research:run:budget-pages", "research:create:models"],
  "no run reads more than its budget of pages, and the three models read more and more",
  async () => {
    const read: number[] = [];
    for (const budget of Object.values(RESEARCH_BUDGETS)) {
      const { spent } = await simulate(budget, undefined);
      expect(spent.pages).toBeLessThanOrEqual(budget.maxPages);
      read.push(spent.pages);
    }
    expect(read).toEqual([...new Set(read)].sort((one, other) => one - other));
    for (const maxPages of [1, 2, 5]) {
      const tight = await simulate({ ...RESEARCH_BUDGETS["exa-research"], maxPages }, undefined);
      expect(tight.spent.pages).toBe(maxPages);
    }
  },
);

verifies("research:run:budget-tokens", "no run spends more than its budget of tokens, and still ends", async () => {
  for (const maxTokens of [1, 3_000, 20_000]) {
    const llm = greedyLlm();
    const run = await simulate({ ...RESEARCH_BUDGETS["exa-research-pro"], maxTokens }, llm);
    expect(run.isOver).toBe(true);
    expect(llm.used()).toBeLessThanOrEqual(maxTokens);
    expect(run.spent.tokens).toBe(llm.used());
  }
});
