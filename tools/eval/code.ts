import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { createWorkspace, type WorkspaceDeps } from "@quarry/agent";
import type { Embedder } from "@quarry/models";
import { openCachedEmbedder } from "./cached-embedder.ts";
import type { Evaluation, EvaluationRun } from "./evaluation.ts";
import type { Table } from "./print-table.ts";

/** CoSQA: questions that people typed, and the one function of the pool that answers each. */
interface CodeSet {
  /** The functions, by their number. */
  readonly functions: readonly string[];
  readonly questions: readonly { readonly part: "dev" | "test"; readonly text: string; readonly gold: number }[];
}

/** BM25 of another library on the same pool and the test split, names split (SOURCE.txt of the set). */
const PUBLISHED_BM25 = 0.347;
const RANKED = 1_000;
/** Questions at once share one look at the files. */
const ASKED_AT_ONCE = 100;

/** How well code is found by what people ask, through the index that the workspace tools search. */
export const codeEvaluation: Evaluation = {
  name: "code",
  run: async ({ dataDir, sample, progress }) => {
    const set = readCodeSet(dataDir);
    if (set === undefined) return { tables: [], figures: {}, skipped: ["cosqa"] };
    const embedder = openCachedEmbedder("code", progress);
    const table = await evaluateCode(set, { sample, progress }, embedder).finally(() => embedder.close());
    return { tables: [table], figures: { cosqa: { columns: table.columns, rows: table.rows } }, skipped: [] };
  },
};

/** Reads the set; undefined where it is not. */
export function readCodeSet(dataDir: string): CodeSet | undefined {
  const folder = path.join(dataDir, "cosqa");
  if (!existsSync(folder)) return undefined;
  const read = (name: string): unknown =>
    JSON.parse(gunzipSync(readFileSync(path.join(folder, name))).toString("utf8"));
  const numbers = Object.entries(read("code_idx_map.json.gz") as Record<string, number>);
  const functions: string[] = [];
  for (const [text, number] of numbers) functions[number] = text;
  const questions = (["dev", "test"] as const).flatMap((part) =>
    (read(`cosqa-retrieval-${part}-500.json.gz`) as { doc: string; retrieval_idx: number }[]).map((question) => ({
      part,
      text: question.doc,
      gold: question.retrieval_idx,
    })),
  );
  return { functions, questions };
}

/** Asks every question of the whole pool, by words and vectors and by words alone. A sample has a smaller pool. */
export async function evaluateCode(
  set: CodeSet,
  { sample, progress }: Pick<EvaluationRun, "sample" | "progress">,
  embedder: Pick<Embedder, "model" | "embed">,
): Promise<Table> {
  const step = sample === undefined ? 1 : Math.max(1, Math.floor(set.questions.length / sample));
  const questions = set.questions.filter((_, index) => index % step === 0);
  const wanted = new Set(sample === undefined ? set.functions.keys() : questions.map(({ gold }) => gold));
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-eval-code-"));
  const root = path.join(directory, "root");
  mkdirSync(root);
  for (const number of wanted) writeFileSync(path.join(root, `${number}.py`), `${set.functions[number] ?? ""}\n`);
  const open = (name: string, code: Parameters<typeof createWorkspace>[0]["code"]): WorkspaceDeps =>
    createWorkspace({
      roots: [root],
      historyDirectory: path.join(directory, name, "history"),
      ...(code === undefined ? {} : { code }),
    });
  const [words, both] = [open("words", undefined), open("both", { embedder })];
  try {
    // A question would not wait for a whole index on a slow machine.
    for (const { code } of [words, both]) await code.indexes.embedAll(root, new AbortController().signal);
    const rows: (readonly (string | number)[])[] = [];
    for (const part of ["dev", "test"] as const) {
      const asked = questions.filter((question) => question.part === part);
      for (const [name, workspace] of [
        ["words", words],
        ["words and vectors", both],
      ] as const) {
        const scores: number[] = [];
        for (let start = 0; start < asked.length; start += ASKED_AT_ONCE) {
          const some = asked.slice(start, start + ASKED_AT_ONCE);
          scores.push(...(await Promise.all(some.map((question) => reciprocalRank(workspace, root, question)))));
        }
        const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
        rows.push([
          part,
          name,
          asked.length,
          wanted.size,
          mean,
          part === "test" && sample === undefined ? PUBLISHED_BM25 : "-",
        ]);
        progress(`cosqa ${part}, ${name}: MRR ${mean.toFixed(4)}`);
      }
    }
    return {
      title: "cosqa: code found by questions through the workspace's index (weights looked at on dev alone)",
      columns: ["part", "by", "questions", "functions", "MRR", "BM25 published"],
      rows,
    };
  } finally {
    await Promise.all([words.code.close(), both.code.close()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function reciprocalRank(
  workspace: WorkspaceDeps,
  root: string,
  { text, gold }: CodeSet["questions"][number],
): Promise<number> {
  const asked = { query: text, limit: RANKED, isWanted: () => true };
  const { found } = await workspace.code.indexes.search(root, asked, new AbortController().signal);
  const files = [...new Set(found.map(({ chunk }) => chunk.relative))];
  const place = files.indexOf(`${gold}.py`);
  return place < 0 ? 0 : 1 / (place + 1);
}
