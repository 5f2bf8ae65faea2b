import path from "node:path";
import { runByName } from "../run-by-name.ts";
import type { Evaluation } from "./evaluation.ts";
import { answerEvaluation } from "./answer.ts";
import { codeEvaluation } from "./code.ts";
import { editsEvaluation } from "./edits.ts";
import { extractEvaluation } from "./extract.ts";
import { searchEvaluation } from "./search.ts";
import { websetsEvaluation } from "./websets.ts";

/** Every judged set we can run; a new evaluation is one line here. */
const EVALUATIONS: readonly Evaluation[] = [
  answerEvaluation,
  editsEvaluation,
  codeEvaluation,
  extractEvaluation,
  searchEvaluation,
  websetsEvaluation,
];

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));

await runByName({
  command: "eval",
  runs: EVALUATIONS,
  options: {
    sample: { value: "200", accepts: (text) => Number.isInteger(Number(text)) && Number(text) > 0 },
    "no-baseline": {},
  },
  perform: async (evaluation, values) => {
    const result = await evaluation.run({
      dataDir,
      sample: values["sample"] === undefined ? undefined : Number(values["sample"]),
      withBaseline: values["no-baseline"] !== true,
      progress: (line) => process.stderr.write(`${line}\n`),
    });
    for (const name of result.skipped) process.stdout.write(`skipped ${name}: not in ${dataDir}\n`);
    return { tables: result.tables, file: evaluation.name, record: result };
  },
});
