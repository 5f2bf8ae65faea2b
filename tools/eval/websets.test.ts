import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { verifies } from "@quarry/tests";
import { afterAll, expect, it, type TestContext } from "vitest";
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
const SAMPLE = 400;

function need({ skip }: TestContext, set: string): void {
  if (!existsSync(path.join(dataDir, set))) skip(`${set} is not on this machine: set QUARRY_EVAL_DATA`);
}

verifies(
  "websets:quality:verdicts",
  "verdicts are at least 0.15 of macro-F1 above the majority's on each judged set",
  (context) => {
    for (const set of ["wice-dev", "climate-fever", "pubmedqa"]) need(context, set);
    const rows = evaluateVerdicts(dataDir, SAMPLE).table?.rows ?? [];
    const macroF1 = (name: RegExp): readonly number[] =>
      rows.filter(([row]) => name.test(String(row))).map((row) => Number(row[3]));
    const [majority, ours] = [macroF1(/always/), macroF1(/balanced/)];
    expect(ours).toHaveLength(3);
    for (const [index, value] of ours.entries()) expect(value).toBeGreaterThanOrEqual((majority[index] ?? 1) + 0.15);
  },
  60_000,
);

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
