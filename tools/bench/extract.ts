import path from "node:path";
import { extractHtml } from "@quarry/extract";
import { extractWithReadability } from "../eval/extract-baseline.ts";
import { mean, quantile } from "../eval/extract-scores.ts";
import { readExtractSet, type JudgedPage } from "../eval/extract-sets.ts";
import type { Benchmark } from "./benchmark.ts";

const HOSTILE: readonly (readonly [string, () => string])[] = [
  [
    "20 MB of paragraphs",
    () => `<body>${"<p>The same sentence over and over, of some length.</p>".repeat(360_000)}</body>`,
  ],
  ["100,000 deep", () => `<body>${"<div>".repeat(100_000)}text at the bottom</body>`],
  ["a million links", () => `<body>${'<a href="/x">link</a> '.repeat(1_000_000)}</body>`],
  ["unclosed inline", () => `<p>${"<b><i>".repeat(200_000)}text</p>${"</div>".repeat(200_000)}`],
];

/** Milliseconds a page on real pages beside Readability, and on pages made to hurt. */
export const extractBenchmark: Benchmark = {
  name: "extract",
  run: ({ size, progress }) => {
    const dataDir = path.resolve(process.env["QUARRY_EVAL_DATA"] ?? path.join("..", "shared", "data"));
    const pages = (["article-extraction-benchmark", "wcxb-dev"] as const)
      .flatMap((name) => readExtractSet(dataDir, name) ?? [])
      .filter((_, index) => index % Math.max(1, Math.round(1 / size)) === 0);
    progress(pages.length === 0 ? `skipped the judged pages: not in ${dataDir}` : `${pages.length} judged pages`);
    const ours = ({ url, html }: JudgedPage): unknown => extractHtml({ url, html });
    for (const page of pages.slice(0, 50)) ours(page);
    const times = pages.map((page) => timeOf(() => ours(page)));
    const baseline = pages.map(({ html }) => timeOf(() => extractWithReadability(html)));
    const ratio = mean(baseline) / Math.max(0.001, mean(times));
    const hostile = HOSTILE.map(([name, make]) => {
      const html = make();
      const milliseconds = timeOf(() => extractHtml({ url: "https://example.org/", html }));
      return [name, html.length / 1e6, milliseconds, process.memoryUsage().heapUsed / 1e6] as const;
    });
    return Promise.resolve({
      tables: [
        {
          title: "extraction of real pages, milliseconds",
          columns: ["system", "pages", "median", "p99", "mean"],
          rows: [
            ["quarry", times.length, quantile(times, 0.5), quantile(times, 0.99), mean(times)],
            [
              "readability + linkedom",
              baseline.length,
              quantile(baseline, 0.5),
              quantile(baseline, 0.99),
              mean(baseline),
            ],
          ],
        },
        { title: "pages made to hurt", columns: ["page", "megabytes", "milliseconds", "heap MB after"], rows: hostile },
      ],
      figures: {
        medianMs: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
        timesFasterThanReadability: ratio,
        slowestHostileMs: Math.max(...hostile.map(([, , milliseconds]) => milliseconds)),
      },
    });
  },
};

function timeOf(act: () => unknown): number {
  const begin = performance.now();
  act();
  return performance.now() - begin;
}
