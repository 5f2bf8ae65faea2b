import { randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../eval/print-table.ts";
import { crawlKillsSoak } from "./crawl-kills.ts";
import { editMutationsSoak } from "./edit-mutations.ts";
import { eventStreamSoak } from "./event-stream.ts";
import { extractFuzzSoak } from "./extract-fuzz.ts";
import { httpFuzzSoak } from "./http-fuzz.ts";
import { indexKillsSoak } from "./index-kills.ts";
import { jobsDatabaseSoak, jobsSoak } from "./jobs.ts";
import { livingKillsSoak } from "./living-kills.ts";
import { mcpBudgetSoak } from "./mcp-budget.ts";
import { monitorYearsSoak } from "./monitor-years.ts";
import { makeRandom } from "./random.ts";
import { researchKillsSoak } from "./research-kills.ts";
import { searchFuzzSoak } from "./search-fuzz.ts";
import { serverKillsSoak } from "./server-kills.ts";
import type { Soak } from "./soak.ts";
import { toolsInterleavingsSoak } from "./tools-interleavings.ts";
import { webhookDeliveriesSoak } from "./webhook-deliveries.ts";
import { webhookKillsSoak } from "./webhook-kills.ts";
import { websetsKillsSoak } from "./websets-kills.ts";
import { workflowKillsSoak } from "./workflow-kills.ts";

/** Every long proof; a new one is one line here. */
const SOAKS: readonly Soak[] = [
  crawlKillsSoak,
  editMutationsSoak,
  eventStreamSoak,
  extractFuzzSoak,
  httpFuzzSoak,
  indexKillsSoak,
  jobsSoak,
  jobsDatabaseSoak,
  livingKillsSoak,
  mcpBudgetSoak,
  monitorYearsSoak,
  researchKillsSoak,
  searchFuzzSoak,
  serverKillsSoak,
  toolsInterleavingsSoak,
  webhookDeliveriesSoak,
  webhookKillsSoak,
  websetsKillsSoak,
  workflowKillsSoak,
];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    size: { type: "string", default: "1" },
    out: { type: "string", default: "soak-results" },
  },
});

const wanted = (values.only ?? []).flatMap((names) => names.split(","));
const unknown = wanted.filter((name) => !SOAKS.some((soak) => soak.name === name));
const seed = Number(values.seed);
const size = Number(values.size);
if (unknown.length > 0 || !Number.isSafeInteger(seed) || !(size > 0 && size <= 1)) {
  const names = SOAKS.map((soak) => soak.name).join(", ");
  process.stderr.write(`usage: npm run soak -- [--only NAME[,NAME]] [--seed N] [--size 0.05]; there are: ${names}\n`);
  process.exit(2);
}

mkdirSync(values.out, { recursive: true });
for (const soak of SOAKS) {
  if (wanted.length > 0 && !wanted.includes(soak.name)) continue;
  process.stdout.write(`soak ${soak.name}: seed ${seed}, size ${size}\n`);
  const report = (line: string): void => void process.stderr.write(`${soak.name}: ${line}\n`);
  const result = await soak.run({ random: makeRandom(seed), size, report });
  printTable({
    title: `Soak ${soak.name} (seed ${seed}, size ${size})`,
    columns: ["", ""],
    rows: [...Object.entries(result.figures), ["violations", result.violations.length]],
  });
  for (const violation of result.violations) process.stdout.write(`  VIOLATION ${violation}\n`);
  const file = path.join(values.out, `${soak.name}-${seed}.json`);
  const record = { name: soak.name, seed, size, at: new Date().toISOString(), node: process.version, ...result };
  writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
  process.stdout.write(`wrote ${file}\n`);
  if (result.violations.length > 0) process.exitCode = 1;
}
