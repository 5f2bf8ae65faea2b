import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "./print-table.ts";
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

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    sample: { type: "string" },
    "no-baseline": { type: "boolean", default: false },
    out: { type: "string", default: "eval-results" },
  },
});

const wanted = (values.only ?? []).flatMap((names) => names.split(","));
const unknown = wanted.filter((name) => !EVALUATIONS.some((evaluation) => evaluation.name === name));
if (unknown.length > 0) {
  const names = EVALUATIONS.map((evaluation) => evaluation.name).join(", ");
  process.stderr.write(`no evaluation called ${unknown.join(", ")}; there are: ${names}\n`);
  process.exit(2);
}

const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
mkdirSync(values.out, { recursive: true });
for (const evaluation of EVALUATIONS) {
  if (wanted.length > 0 && !wanted.includes(evaluation.name)) continue;
  const result = await evaluation.run({
    dataDir,
    sample: values.sample === undefined ? undefined : Number(values.sample),
    withBaseline: !values["no-baseline"],
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  for (const name of result.skipped) process.stdout.write(`skipped ${name}: not in ${dataDir}\n`);
  for (const table of result.tables) printTable(table);
  const file = path.join(values.out, `${evaluation.name}.json`);
  writeFileSync(file, `${JSON.stringify({ ...result, at: new Date().toISOString() }, undefined, 2)}\n`);
  process.stdout.write(`wrote ${file}\n`);
}
