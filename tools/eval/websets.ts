import { openCachedEmbedder } from "./cached-embedder.ts";
import type { Evaluation } from "./evaluation.ts";
import type { Table } from "./print-table.ts";
import { evaluateLists } from "./websets-lists.ts";
import { evaluateProducts } from "./websets-products.ts";
import { evaluateRecognizers } from "./websets-recognizers.ts";
import { evaluateVerdicts } from "./websets-verdicts.ts";

/** How well criteria are judged, cells filled and lists found without a language model. */
export const websetsEvaluation: Evaluation = {
  name: "websets",
  run: async ({ dataDir, sample, progress }) => {
    const skipped: string[] = [];
    const tables: Table[] = [];
    const embedder = openCachedEmbedder("claims", progress);
    const parts = [
      () => evaluateVerdicts(dataDir, sample, embedder),
      () => evaluateProducts(dataDir),
      () => evaluateRecognizers(dataDir),
      () => evaluateLists(dataDir, sample),
    ];
    for (const part of parts) {
      const outcome = await part();
      progress(`websets: ${outcome.table?.title ?? outcome.missing.join(", ")}`);
      skipped.push(...outcome.missing);
      if (outcome.table !== undefined) tables.push(outcome.table);
    }
    await embedder.close();
    return { tables, figures: Object.fromEntries(tables.map((table) => [table.title, table])), skipped };
  },
};
