import { describeData } from "@quarry/crawl/testing";
import { createMiniLmEmbedder } from "@quarry/models";
import type { SearchPlan } from "@quarry/search";
import { verifies } from "@quarry/tests";
import { beforeAll, expect, it } from "vitest";
import { openPackedEmbedder, packedFileOf, type PackedSetName } from "./packed-embedder.ts";
import { evaluateSet } from "./search.ts";
import { readSearchSet, type JudgedSet } from "./search-sets.ts";
import { openSearchWorld, passagesOf } from "./search-world.ts";

const LONG_MS = 600_000;
/** How many pages each figure looks at. */
const DEPTHS = { "nDCG@10": 10, MAP: 100, MRR: 100 } as const;
/** How far auto may fall behind the better of keyword and neural, and deep behind auto. */
const AUTO_SLACK = 0.01;
const DEEP_SLACK = 0.005;

/** Every test query of the whole set is asked, as `npm run eval -- --only search` does; deep where queries are few. */
describeData("nfcorpus", (folder) => {
  const of = useFigures(folder, "nfcorpus", { figure: "nDCG@10", plans: ["keyword", "neural", "fast", "auto"] });

  verifies("search:quality:nfcorpus-keyword", "keyword reaches .32", () => {
    expect(of("keyword")).toBeGreaterThanOrEqual(0.32);
  });
  verifies("search:quality:nfcorpus-neural", "neural reaches .30", () => {
    expect(of("neural")).toBeGreaterThanOrEqual(0.3);
  });
  verifies("search:quality:nfcorpus-fast", "fast reaches .36", () => {
    expect(of("fast")).toBeGreaterThanOrEqual(0.36);
  });
  verifies("search:quality:nfcorpus-auto", "auto reaches .365", () => {
    expect(of("auto")).toBeGreaterThanOrEqual(0.365);
  });
  it("auto is not worse than words or meaning alone", () => expectAutoIsGood(of));
});

describeData("cranfield", (folder) => {
  const of = useFigures(folder, "cranfield", { figure: "nDCG@10", plans: ["keyword", "neural", "auto", "deep"] });

  verifies("search:quality:cranfield", "keyword reaches .38 and auto .43", () => {
    expect(of("keyword")).toBeGreaterThanOrEqual(0.38);
    expect(of("auto")).toBeGreaterThanOrEqual(0.43);
  });
  it("auto is not worse than words or meaning alone", () => expectAutoIsGood(of));
  verifies("search:quality:deep-not-worse", "deep is not worse than auto", () => {
    expect(of("deep")).toBeGreaterThanOrEqual(of("auto") - DEEP_SLACK);
  });
});

describeData("cacm", (folder) => {
  const of = useFigures(folder, "cacm", { figure: "MAP", plans: ["keyword", "neural", "auto", "deep"] });

  verifies("search:quality:cacm", "keyword reaches .31 and auto .35", () => {
    expect(of("keyword")).toBeGreaterThanOrEqual(0.31);
    expect(of("auto")).toBeGreaterThanOrEqual(0.35);
  });
  it("auto is not worse than words or meaning alone", () => expectAutoIsGood(of));
  verifies("search:quality:deep-not-worse", "deep is not worse than auto", () => {
    expect(of("deep")).toBeGreaterThanOrEqual(of("auto") - DEEP_SLACK);
  });
});

describeData("cosqa", (folder) => {
  const of = useFigures(folder, "cosqa", { figure: "MRR", plans: ["auto"] });

  verifies("search:quality:cosqa", "auto reaches .45", () => {
    expect(of("auto")).toBeGreaterThanOrEqual(0.45);
  });
});

/** Ranks a set once for all tests of its block; each plan's figure. The vectors are those that are kept, after a look at some. */
function useFigures(
  folder: string,
  name: PackedSetName,
  wanted: { readonly figure: keyof typeof DEPTHS; readonly plans: readonly SearchPlan[] },
): (plan: SearchPlan) => number {
  const { figure, plans } = wanted;
  const reached = new Map<string, number>();
  beforeAll(async () => {
    const set = readSearchSet(`${folder}/..`, name) ?? missing();
    await checkVectors(name, set);
    const world = await openSearchWorld(set, () => undefined, openPackedEmbedder(packedFileOf(name)));
    try {
      const options = { sample: undefined, progress: () => undefined, plans, depth: DEPTHS[figure] };
      const { columns, rows } = await evaluateSet(world, set, options);
      for (const row of rows) reached.set(String(row[0]), Number(row[columns.indexOf(figure)]));
    } finally {
      await world.close();
    }
    process.stdout.write(`${name}, ${figure}: ${JSON.stringify(Object.fromEntries(reached))}\n`);
  }, LONG_MS);
  return (plan) => reached.get(plan) ?? missing();
}

function expectAutoIsGood(of: (plan: SearchPlan) => number): void {
  expect(of("auto")).toBeGreaterThanOrEqual(Math.max(of("keyword"), of("neural")) - AUTO_SLACK);
}

/** Some passages of the set, embedded now: the vectors that are kept for them are the same. */
async function checkVectors(name: PackedSetName, { documents }: JudgedSet): Promise<void> {
  const at = Math.floor(Math.random() * (documents.length - 3));
  const texts = documents
    .slice(at, at + 3)
    .flatMap((document) => passagesOf(document).map(({ passage }) => passage))
    .slice(0, 6);
  const kept = await openPackedEmbedder(packedFileOf(name)).embed(texts);
  const model = await createMiniLmEmbedder();
  try {
    for (const [place, vector] of (await model.embed(texts)).entries()) {
      const cosine = vector.reduce((sum, value, axis) => sum + value * (kept[place]?.[axis] ?? 0), 0);
      expect(cosine, `document ${at} of ${name}, text ${place}`).toBeGreaterThan(0.999);
    }
  } finally {
    await model.close();
  }
}

function missing(): never {
  throw new Error("the set is not whole");
}
