import { randomInt } from "node:crypto";
import { isSize, runByName } from "../run-by-name.ts";
import { backupLoadSoak } from "./backup-load.ts";
import { crawlKillsSoak } from "./crawl-kills.ts";
import { editMutationsSoak } from "./edit-mutations.ts";
import { eventStreamSoak } from "./event-stream.ts";
import { extractFuzzSoak } from "./extract-fuzz.ts";
import { faultSweepSoak } from "./fault-sweep.ts";
import { freshCloneSoak } from "./fresh-clone.ts";
import { httpFuzzSoak } from "./http-fuzz.ts";
import { indexKillsSoak } from "./index-kills.ts";
import { jobsDatabaseSoak, jobsSoak } from "./jobs.ts";
import { killCampaignSoak } from "./kill-campaign.ts";
import { livingKillsSoak } from "./living-kills.ts";
import { mcpBudgetSoak } from "./mcp-budget.ts";
import { monitorYearsSoak } from "./monitor-years.ts";
import { mutationsSoak } from "./mutations.ts";
import { makeRandom } from "./random.ts";
import { researchKillsSoak } from "./research-kills.ts";
import { searchFuzzSoak } from "./search-fuzz.ts";
import { serverKillsSoak } from "./server-kills.ts";
import type { Soak } from "./soak.ts";
import { toolsInterleavingsSoak } from "./tools-interleavings.ts";
import { upgradeKillsSoak } from "./upgrade-kills.ts";
import { webhookDeliveriesSoak } from "./webhook-deliveries.ts";
import { webhookKillsSoak } from "./webhook-kills.ts";
import { websetsKillsSoak } from "./websets-kills.ts";
import { workflowKillsSoak } from "./workflow-kills.ts";

/** Every long proof; a new one is one line here. */
const SOAKS: readonly Soak[] = [
  backupLoadSoak,
  crawlKillsSoak,
  editMutationsSoak,
  eventStreamSoak,
  extractFuzzSoak,
  faultSweepSoak,
  freshCloneSoak,
  httpFuzzSoak,
  indexKillsSoak,
  jobsSoak,
  jobsDatabaseSoak,
  killCampaignSoak,
  livingKillsSoak,
  mcpBudgetSoak,
  monitorYearsSoak,
  mutationsSoak,
  researchKillsSoak,
  searchFuzzSoak,
  serverKillsSoak,
  toolsInterleavingsSoak,
  upgradeKillsSoak,
  webhookDeliveriesSoak,
  webhookKillsSoak,
  websetsKillsSoak,
  workflowKillsSoak,
];

await runByName({
  command: "soak",
  runs: SOAKS,
  options: {
    seed: {
      value: "N",
      default: String(randomInt(2 ** 31)),
      accepts: (text) => text.trim() !== "" && Number.isSafeInteger(Number(text)),
    },
    size: { value: "0.05", default: "1", accepts: isSize },
  },
  perform: async (soak, values) => {
    const [seed, size] = [Number(values["seed"]), Number(values["size"])];
    process.stdout.write(`soak ${soak.name}: seed ${seed}, size ${size}\n`);
    const report = (line: string): void => void process.stderr.write(`${soak.name}: ${line}\n`);
    const result = await soak.run({ random: makeRandom(seed), size, report });
    for (const violation of result.violations) process.stdout.write(`  VIOLATION ${violation}\n`);
    if (result.violations.length > 0) process.exitCode = 1;
    const table = {
      title: `Soak ${soak.name} (seed ${seed}, size ${size})`,
      columns: ["", ""],
      rows: [...Object.entries(result.figures), ["violations", result.violations.length]],
    };
    const record = { name: soak.name, seed, size, node: process.version, ...result };
    return { tables: [table], file: `${soak.name}-${seed}`, record };
  },
});
