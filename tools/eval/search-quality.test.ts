import { describeData } from "@quarry/crawl/testing";
import { createFakeEmbedder } from "@quarry/models";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { HIGHLIGHT_BUDGETS, measureHighlights, PUBLISHED_HIGHLIGHTS, readHighlightSet } from "./search-highlights.ts";
import { evaluateSet } from "./search.ts";
import { readSearchSet, type SearchSetName } from "./search-sets.ts";
import { openSearchWorld } from "./search-world.ts";

const LONG_MS = 300_000;
/** Every other question: the set has 472. */
const HIGHLIGHT_QUESTIONS = 236;

// What words alone find, on every test query of whole sets. What needs vectors takes an hour of embedding: `npm run eval` does that.
describeData("nfcorpus", (folder) => {
  verifies(
    "search:quality:nfcorpus-keyword",
    "keyword reaches .32",
    async () => expect(await figureOfWords(folder, "nfcorpus", "nDCG@10")).toBeGreaterThanOrEqual(0.32),
    LONG_MS,
  );
});

describeData("cranfield", (folder) => {
  it(
    "keyword reaches .38",
    async () => expect(await figureOfWords(folder, "cranfield", "nDCG@10")).toBeGreaterThanOrEqual(0.38),
    LONG_MS,
  );
});

describeData("cacm", (folder) => {
  it(
    "keyword reaches .31",
    async () => expect(await figureOfWords(folder, "cacm", "MAP")).toBeGreaterThanOrEqual(0.31),
    LONG_MS,
  );
});

describeData("chunking-eval", (folder) => {
  verifies(
    "contents:quality:highlights",
    "highlights by words alone hold as much of the answers as the published row, at its precision",
    () => {
      const set = readHighlightSet(`${folder}/..`, HIGHLIGHT_QUESTIONS);
      if (set === undefined) throw new Error("chunking-eval is not whole");
      const halves = [...measureHighlights(set, HIGHLIGHT_BUDGETS[0], () => undefined).values()];
      const all = halves.reduce((sum, { questions }) => sum + questions, 0);
      const mean = (name: "recall" | "precision"): number =>
        halves.reduce((sum, half) => sum + half[name] * half.questions, 0) / all;
      expect(mean("recall")).toBeGreaterThanOrEqual(PUBLISHED_HIGHLIGHTS.recall);
      expect(mean("precision")).toBeGreaterThanOrEqual(PUBLISHED_HIGHLIGHTS.precision);
    },
    LONG_MS,
  );
});

/** Ranks every test query of a set by words, as `npm run eval -- --only search` does. */
async function figureOfWords(folder: string, name: SearchSetName, figure: "nDCG@10" | "MAP"): Promise<number> {
  const set = readSearchSet(`${folder}/..`, name);
  if (set === undefined) throw new Error(`${name} is not whole`);
  const world = await openSearchWorld(set, () => undefined, { embedder: createFakeEmbedder(), finds: "words" });
  try {
    const { columns, rows } = await evaluateSet(world, set, {
      sample: undefined,
      progress: () => undefined,
      plans: ["keyword"],
    });
    return Number(rows[0]?.[columns.indexOf(figure)]);
  } finally {
    await world.close();
  }
}
