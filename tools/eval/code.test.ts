import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { createFakeEmbedder } from "@quarry/models";
import { verifies } from "@quarry/tests";
import { afterAll, expect, it } from "vitest";
import { codeEvaluation, evaluateCode, readCodeSet } from "./code.ts";

const made = mkdtempSync(path.join(tmpdir(), "quarry-eval-"));
afterAll(() => rmSync(made, { recursive: true, force: true }));

const FUNCTIONS = [
  'def write_boolean(stream, n):\n    """Writes a Boolean to the stream."""\n    stream.write(n)',
  'def paste():\n    """Returns the clipboard contents."""\n    return clipboard.read()',
  'def create_path(path):\n    """Creates a directory."""\n    os.makedirs(path)',
];

/** A set in the form of the published one. */
function makeSet(): void {
  const folder = path.join(made, "cosqa");
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(path.join(folder, name), gzipSync(JSON.stringify(value)));
  write("code_idx_map.json.gz", Object.fromEntries(FUNCTIONS.map((text, number) => [text, number])));
  write("cosqa-retrieval-dev-500.json.gz", [{ doc: "python read from clipboard", retrieval_idx: 1 }]);
  write("cosqa-retrieval-test-500.json.gz", [
    { doc: "python make directory path", retrieval_idx: 2 },
    { doc: "quantum zebra", retrieval_idx: 0 },
  ]);
}

verifies(
  "tools:semantic-search-full:quality:cosqa",
  "the MRR of CoSQA through the workspace's index is told beside BM25's",
  async () => {
    makeSet();
    const set = readCodeSet(made);
    if (set === undefined) throw new Error("the set was made above");
    const lines: string[] = [];
    const { columns, rows } = await evaluateCode(
      set,
      { sample: undefined, progress: (line) => lines.push(line) },
      createFakeEmbedder(),
    );
    expect(columns).toEqual(["part", "by", "questions", "functions", "MRR", "BM25 published"]);
    expect(rows.filter(([, by]) => by === "words")).toEqual([
      ["dev", "words", 1, 3, 1, "-"],
      ["test", "words", 2, 3, 0.5, 0.347],
    ]);
    // Whatever the vectors say, every question gets a rank.
    expect(rows.filter(([, by]) => by === "words and vectors").map(([part, , asked]) => [part, asked])).toEqual([
      ["dev", 1],
      ["test", 2],
    ]);
    expect(lines).toHaveLength(4);
  },
);

it("names the set when it is not there", async () => {
  const run = { dataDir: path.join(made, "nowhere"), sample: 2, withBaseline: false, progress: () => undefined };
  expect(await codeEvaluation.run(run)).toEqual({ tables: [], figures: {}, skipped: ["cosqa"] });
});
