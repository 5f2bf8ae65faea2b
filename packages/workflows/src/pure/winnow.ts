import type { WebsetItem } from "../project-item.ts";

/** How elites are chosen. */
export type Selection = "all-criteria" | "any-criteria" | "diverse";

/** An item with its place among the others. */
export interface RatedItem {
  readonly item: WebsetItem;
  /** A bit for each criterion: 1 where it is met. */
  readonly niche: string;
  readonly fitness: number;
}

/** How good a population is. */
export interface WinnowMetrics {
  /** Niches with items, of all there could be. */
  readonly coverage: number;
  readonly avgFitness: number;
  /** Entropy of the items over niches, of the most it could be. */
  readonly diversity: number;
  /** Found, of what was analysed. */
  readonly stringency: number;
}

/** What a criterion does for the search. */
export interface DescriptorFeedback {
  readonly criterion: string;
  /** 0 to 100. */
  readonly successRate: number;
  readonly verdict: "too-strict" | "not-discriminating" | "good";
}

const TOO_STRICT_BELOW = 5;
const TOO_LAX_ABOVE = 95;

/** The niche and fitness of each item. */
export function rateItems(items: readonly WebsetItem[], criteria: readonly string[]): readonly RatedItem[] {
  return items.map((item) => ({ item, niche: nicheOf(item, criteria), fitness: fitnessOf(item) }));
}

/** Which criteria an item meets, as bits in the order of the list. */
export function nicheOf(item: WebsetItem, criteria: readonly string[]): string {
  const met = new Set(
    (item.evaluations ?? []).filter(({ satisfied }) => satisfied === "yes").map(({ criterion }) => criterion),
  );
  return criteria.map((criterion) => (met.has(criterion) ? "1" : "0")).join("");
}

/** The mean over an item's completed enrichments: a number counts as it is, anything else as 1 when there is something. */
export function fitnessOf({ enrichments }: WebsetItem): number {
  const completed = (enrichments ?? []).filter(({ status }) => status === undefined || status === "completed");
  if (completed.length === 0) return 0;
  const values = completed.map(({ format, result }) => {
    const [first = ""] = result ?? [];
    const number = format === "number" ? Number.parseFloat(first) : Number.NaN;
    return Number.isFinite(number) ? number : first === "" || format === "number" ? 0 : 1;
  });
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The chosen ones, the fittest first: those that meet all criteria, those that meet any, or the fittest of each niche. */
export function selectElites(rated: readonly RatedItem[], selection: Selection): readonly RatedItem[] {
  const byFitness = [...rated].sort((a, b) => b.fitness - a.fitness);
  switch (selection) {
    case "all-criteria":
      return byFitness.filter(({ niche }) => !niche.includes("0"));
    case "any-criteria":
      return byFitness.filter(({ niche }) => niche.includes("1"));
    case "diverse": {
      const seen = new Set<string>();
      return byFitness.filter(({ niche }) => !seen.has(niche) && seen.add(niche));
    }
  }
}

/** How good the population is. */
export function measureWinnow(
  rated: readonly RatedItem[],
  options: { readonly criteriaCount: number; readonly found: number; readonly analyzed: number },
): WinnowMetrics {
  const niches = new Map<string, number>();
  for (const { niche } of rated) niches.set(niche, (niches.get(niche) ?? 0) + 1);
  const fitness = rated.reduce((sum, one) => sum + one.fitness, 0);
  return {
    coverage: niches.size / 2 ** options.criteriaCount,
    avgFitness: rated.length === 0 ? 0 : fitness / rated.length,
    diversity: options.criteriaCount === 0 ? 0 : entropyBits([...niches.values()]) / options.criteriaCount,
    stringency: options.analyzed === 0 ? 0 : options.found / options.analyzed,
  };
}

/** Shannon entropy of a distribution given by counts, in bits. */
export function entropyBits(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts
    .filter((count) => count > 0)
    .reduce((sum, count) => sum - (count / total) * Math.log2(count / total), 0);
}

/** Which criteria let almost nothing or almost everything through. */
export function judgeDescriptors(
  criteria: readonly { readonly description: string; readonly successRate: number }[],
): readonly DescriptorFeedback[] {
  return criteria.map(({ description, successRate }) => ({
    criterion: description,
    successRate,
    verdict:
      successRate < TOO_STRICT_BELOW ? "too-strict" : successRate > TOO_LAX_ABOVE ? "not-discriminating" : "good",
  }));
}
