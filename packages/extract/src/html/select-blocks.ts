import { SURE_KIND, type PageKindGuess } from "./page-kind.ts";
import type { TextBlock } from "./text-block.ts";

const SCENARIOS = 40;

/**
 * Which blocks to keep, given their chances: those above one cut for the page, set where the expected F1 of the
 * kept words is highest. On a page with one text (article, manual) doubtful blocks stand or fall together, so the
 * expectation is taken over scenarios with a common cut; on pages of many parts each block is its own bet.
 */
export function selectBlocks(
  blocks: readonly TextBlock[],
  chances: Float64Array,
  guess: PageKindGuess,
): readonly boolean[] {
  const weights = blocks.map((block) => Math.max(1, block.text.length));
  const order = blocks.map((block) => block.index).sort((one, other) => (chances[other] ?? 0) - (chances[one] ?? 0));
  const ranked: Ranked = {
    chances: order.map((index) => chances[index] ?? 0),
    weights: order.map((index) => weights[index] ?? 0),
  };
  const cut =
    guess.chance >= SURE_KIND && guess.kind === "article"
      ? cutByScenario(ranked, 0.8, 350)
      : guess.chance >= SURE_KIND && guess.kind === "documentation"
        ? cutByScenario(ranked, 1.4, 600)
        : cutByExpectation(ranked);
  return blocks.map((block) => (chances[block.index] ?? 0) >= cut);
}

/** Blocks by falling chance, with their weights in characters. */
interface Ranked {
  readonly chances: readonly number[];
  readonly weights: readonly number[];
}

/** How much more the missing content counts than the chances say; learnt on the dev pages. */
const MISSING_WEIGHT = 1.5;

function cutByExpectation({ chances, weights }: Ranked): number {
  let total = 0;
  chances.forEach((chance, index) => (total += chance * (weights[index] ?? 0)));
  let kept = 0;
  let hits = 0;
  let best = 0;
  let cut = 1;
  chances.forEach((chance, index) => {
    kept += weights[index] ?? 0;
    hits += chance * (weights[index] ?? 0);
    const score = hits / (kept + total * MISSING_WEIGHT);
    if (score > best) {
      best = score;
      cut = chance;
    }
  });
  return cut;
}

/**
 * In scenario u the content is what has a chance above u. `bend` below 1 makes strict scenarios more likely;
 * the strictest one leaves at least `leastChars`, since a page has some content.
 */
function cutByScenario({ chances, weights }: Ranked, bend: number, leastChars: number): number {
  const sums = [0];
  for (const weight of weights) sums.push((sums.at(-1) ?? 0) + weight);
  const strictest = chances[Math.max(0, sums.findIndex((sum) => sum >= leastChars) - 1)] ?? chances.at(-1) ?? 0;
  const contents = Array.from({ length: SCENARIOS }, (_, index) => {
    const above = ((index + 0.5) / SCENARIOS) ** bend * strictest;
    return sums[countAbove(chances, above)] ?? 0;
  });
  let best = -1;
  let cut = 1;
  chances.forEach((chance, index) => {
    if (chances[index + 1] === chance) return;
    const kept = sums[index + 1] ?? 0;
    let score = 0;
    for (const content of contents) score += Math.min(kept, content) / (kept + content);
    if (score > best) {
      best = score;
      cut = chance;
    }
  });
  return cut;
}

function countAbove(falling: readonly number[], limit: number): number {
  let low = 0;
  let high = falling.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((falling[middle] ?? 0) > limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
