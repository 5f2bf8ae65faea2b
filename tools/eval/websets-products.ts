import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { extractHtml } from "@quarry/extract";
import { readProduct } from "@quarry/websets";
import type { PartOutcome } from "./websets-part.ts";

const NAME = "product-extraction-a";
const ATTRIBUTES = ["price", "sku", "availability"] as const;
const PUBLISHED: Readonly<Record<(typeof ATTRIBUTES)[number], string>> = {
  price: "extruct .644, Diffbot .784, Zyte .883",
  sku: "extruct .400, Diffbot .697, Zyte .939",
  availability: "extruct .595, Diffbot .931, Zyte .948",
};

type Truth = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Price, sku and availability of shop pages; F1 as the benchmark counts it: an unknown availability is InStock. */
export function evaluateProducts(dataDir: string): PartOutcome {
  const folder = path.join(dataDir, NAME);
  if (!existsSync(folder)) return { table: undefined, missing: [NAME] };
  const truths = JSON.parse(readFileSync(path.join(folder, "ground-truth.json"), "utf8")) as Readonly<
    Record<string, Truth>
  >;
  const counts = new Map(ATTRIBUTES.map((name) => [name, { right: 0, wrong: 0, missed: 0 }]));
  let pages = 0;
  for (const file of readdirSync(path.join(folder, "html"))) {
    const truth = truths[file.replace(".html.gz", "")];
    if (truth === undefined) continue;
    pages += 1;
    const found = readPage(
      String(truth["url"]),
      gunzipSync(readFileSync(path.join(folder, "html", file))).toString("utf8"),
    );
    for (const name of ATTRIBUTES) {
      const accepted = [truth[name] ?? []].flat().map((value) => value.trim());
      const said = name === "availability" ? (found.availability ?? "InStock") : found[name];
      const isRight =
        said !== null &&
        accepted.some((value) =>
          name === "price" ? Number(value.replaceAll(",", "")) === Number(said) : value === said,
        );
      const count = counts.get(name);
      if (count === undefined) continue;
      if (isRight) count.right += 1;
      else {
        if (said !== null) count.wrong += 1;
        if (accepted.length > 0) count.missed += 1;
      }
    }
  }
  const rows = [...counts].map(([name, { right, wrong, missed }]) => [
    name,
    pages,
    right / Math.max(1, right + wrong),
    right / Math.max(1, right + missed),
    (2 * right) / Math.max(1, 2 * right + wrong + missed),
    PUBLISHED[name],
  ]);
  return {
    table: {
      title: `${NAME}: facts of shop pages`,
      columns: ["what", "pages", "precision", "recall", "F1", "published on these pages"],
      rows,
    },
    missing: [],
  };
}

function readPage(url: string, html: string): ReturnType<typeof readProduct> {
  const { title, text, structuredData } = extractHtml({ url, html });
  return readProduct({
    url,
    title: title ?? null,
    text,
    snapshotId: null,
    structured: [
      ...structuredData.jsonLd.map((item) => ({ format: "json-ld", item })),
      ...structuredData.microdata.map((item) => ({ format: "microdata", item })),
      { format: "open-graph", item: structuredData.openGraph },
    ],
  });
}
