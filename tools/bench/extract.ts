import path from "node:path";
import { extractHtml } from "@quarry/extract";
import { extractWithReadability } from "../eval/extract-baseline.ts";
import { mean, quantile } from "../eval/extract-scores.ts";
import { readExtractSet, type JudgedPage } from "../eval/extract-sets.ts";
import { timeInTurns, timeOf, type Timing } from "../eval/extract-timing.ts";
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
    const { times, baseline, figures } = timeExtraction(pages);
    const hostile = HOSTILE.map(([name, make]) => {
      const html = make();
      const { milliseconds } = timeOf(() => extractHtml({ url: "https://example.org/", html }));
      return [name, html.length / 1e6, milliseconds, process.memoryUsage().heapUsed / 1e6] as const;
    });
    return Promise.resolve({
      tables: [
        {
          title: "extraction of real pages, milliseconds",
          columns: ["system", "pages", "median", "p99", "mean", "processor"],
          rows: [toRow("quarry", times), toRow("readability + linkedom", baseline)],
        },
        { title: "pages made to hurt", columns: ["page", "megabytes", "milliseconds", "heap MB after"], rows: hostile },
      ],
      figures: {
        ...figures,
        slowestHostileMs: Math.max(...hostile.map(([, , milliseconds]) => milliseconds)),
      },
    });
  },
};

/** What pages take beside Readability in the same run, and what the promises are about. */
export function timeExtraction(pages: readonly JudgedPage[]): {
  readonly times: readonly Timing[];
  readonly baseline: readonly Timing[];
  readonly figures: Readonly<
    Record<"medianMs" | "p99Ms" | "timesFasterThanReadability" | "timesFasterByProcessorTime", number>
  >;
} {
  const timed = timeInTurns<JudgedPage, unknown>(pages, {
    quarry: ({ url, html }) => extractHtml({ url, html }),
    readability: ({ html }) => extractWithReadability(html),
  });
  const times = timed["quarry"] ?? [];
  const baseline = timed["readability"] ?? [];
  return {
    times,
    baseline,
    figures: {
      medianMs: quantile(wall(times), 0.5),
      p99Ms: quantile(wall(times), 0.99),
      timesFasterThanReadability: mean(wall(baseline)) / Math.max(0.001, mean(wall(times))),
      timesFasterByProcessorTime: mean(processor(baseline)) / Math.max(0.001, mean(processor(times))),
    },
  };
}

function wall(times: readonly Timing[]): readonly number[] {
  return times.map(({ milliseconds }) => milliseconds);
}

function processor(times: readonly Timing[]): readonly number[] {
  return times.map(({ processorMilliseconds }) => processorMilliseconds);
}

function toRow(system: string, times: readonly Timing[]): readonly (string | number)[] {
  return [
    system,
    times.length,
    quantile(wall(times), 0.5),
    quantile(wall(times), 0.99),
    mean(wall(times)),
    mean(processor(times)),
  ];
}
