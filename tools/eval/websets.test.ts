import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { verifies } from "@quarry/tests";
import { afterAll, expect, it, type TestContext } from "vitest";
import { openCachedEmbedder } from "./cached-embedder.ts";
import { evaluateProducts } from "./websets-products.ts";
import { evaluateRecognizers } from "./websets-recognizers.ts";
import { evaluateVerdicts } from "./websets-verdicts.ts";
import { websetsEvaluation } from "./websets.ts";

const made = mkdtempSync(path.join(tmpdir(), "quarry-eval-"));
afterAll(() => rmSync(made, { recursive: true, force: true }));

it("measures what is there and names what is not", async () => {
  const folder = path.join(made, "product-extraction-a");
  mkdirSync(path.join(folder, "html"), { recursive: true });
  const truth = { lamp: { url: "https://shop.example/lamp", price: ["12.50"], availability: ["InStock"] } };
  writeFileSync(path.join(folder, "ground-truth.json"), JSON.stringify(truth));
  const offer = {
    "@type": "Product",
    name: "Lamp",
    offers: { "@type": "Offer", price: "12.5", availability: "https://schema.org/InStock" },
  };
  const html = `<title>Lamp</title><script type="application/ld+json">${JSON.stringify(offer)}</script><h1>Lamp</h1><p>A lamp.</p>`;
  writeFileSync(path.join(folder, "html", "lamp.html.gz"), gzipSync(html));
  const result = await websetsEvaluation.run({
    dataDir: made,
    sample: 2,
    withBaseline: false,
    progress: () => undefined,
  });
  expect(result.skipped).toEqual(["wice-dev", "climate-fever", "pubmedqa", "recognizers-text-specs", "limit-small"]);
  expect(result.tables.map(({ rows }) => rows[0]?.slice(0, 5))).toEqual([["price", 1, 1, 1, 1]]);
});

/** The judged sets are not part of the repository. */
const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
const SAMPLE = 250;
const JUDGED_SETS = ["wice-dev", "climate-fever", "pubmedqa"] as const;

function need({ skip }: TestContext, set: string): void {
  if (!existsSync(path.join(dataDir, set))) skip(`${set} is not on this machine: set QUARRY_EVAL_DATA`);
}

/** Both tests read the same table. */
let table: Promise<readonly (readonly (string | number)[])[]> | undefined;

function verdictRows(): Promise<readonly (readonly (string | number)[])[]> {
  table ??= (async () => {
    const embedder = openCachedEmbedder("claims", () => undefined);
    const outcome = await evaluateVerdicts(dataDir, SAMPLE, embedder);
    await embedder.close();
    return outcome.table?.rows ?? [];
  })();
  return table;
}

/** A set's row of the table: of the majority, or of a pair of bars. */
async function figuresOf(set: string, kind: RegExp): Promise<{ readonly macroF1: number; readonly yes: number }> {
  const row = (await verdictRows()).find(([name]) => String(name).replace(kind, "") === `${set}, `);
  return { macroF1: Number(row?.[3]), yes: Number(row?.[4]) };
}

verifies(
  "websets:quality:verdicts",
  "verdicts are at least 0.15 of macro-F1 above the majority's on each judged set",
  async (context) => {
    for (const set of JUDGED_SETS) need(context, set);
    for (const set of [...JUDGED_SETS, "climate-fever, one sentence"]) {
      const majority = await figuresOf(set, /always \w+$/);
      expect((await figuresOf(set, /balanced$/)).macroF1, set).toBeGreaterThanOrEqual(majority.macroF1 + 0.15);
    }
  },
  60_000,
);

it("says yes to claims over pages with strict bars only where it is right, and tells the rest apart as well", async (context) => {
  for (const set of JUDGED_SETS) need(context, set);
  const majority = await figuresOf("wice-dev", /always \w+$/);
  const strict = await figuresOf("wice-dev", /strict$/);
  expect(strict.yes).toBeGreaterThanOrEqual(0.8);
  expect(strict.macroF1).toBeGreaterThanOrEqual(majority.macroF1 + 0.15);
  for (const set of ["climate-fever", "climate-fever, one sentence", "pubmedqa"])
    expect((await figuresOf(set, /strict$/)).yes, set).toBeGreaterThan((await figuresOf(set, /balanced$/)).yes);
}, 60_000);

verifies(
  "websets:quality:price",
  "prices of shop pages have an F1 of at least 0.80",
  (context) => {
    need(context, "product-extraction-a");
    const [price] = evaluateProducts(dataDir).table?.rows ?? [];
    expect(price?.[4]).toBeGreaterThanOrEqual(0.8);
  },
  60_000,
);

verifies(
  "websets:quality:recognizers",
  "of the recognisers' cases that our formats cover at least 85 % pass, in every format",
  (context) => {
    need(context, "recognizers-text-specs");
    const rows = evaluateRecognizers(dataDir).table?.rows ?? [];
    expect(rows).toHaveLength(6);
    for (const [format, , , , share] of rows) expect(Number(share), String(format)).toBeGreaterThanOrEqual(0.85);
  },
  60_000,
);
