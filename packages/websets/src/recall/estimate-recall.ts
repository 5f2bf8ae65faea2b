/** How many entities there probably are, and how sure that is. */
export interface RecallEstimate {
  readonly expectedTotal: number;
  readonly bounds: { readonly min: number; readonly max: number };
  readonly confidence: "high" | "medium" | "low";
  readonly reasoning: string;
}

/** What independent formulations of one query found: one list of entity keys each, repeats within a list do not count. */
export interface Captures {
  readonly captures: readonly (readonly string[])[];
}

/** 1.96 standard deviations: bounds that hold 19 times of 20 if the captures were independent. */
const DEVIATIONS = 1.96;

/**
 * Estimates how many entities there are in all from how often the same ones are found again: Chao's estimator over
 * several formulations (for two it is Lincoln–Petersen, corrected for bias), with log-normal bounds. Entities that are hard to
 * find for every formulation pull it down, so the upper bound starts from the jackknife, which allows for them.
 */
export function estimateRecall({ captures }: Captures): RecallEstimate {
  const lists = captures.map((list) => new Set(list));
  const counts = new Map<string, number>();
  for (const list of lists) for (const key of list) counts.set(key, (counts.get(key) ?? 0) + 1);
  const found = counts.size;
  if (found === 0) return nothingFound(lists.length);
  const occasions = lists.filter(({ size }) => size > 0).length;
  if (occasions < 2) return oneCapture(found);

  const once = frequency(counts, 1);
  const twice = frequency(counts, 2);
  const unseen = chao(once, twice, occasions);
  const expected = found + unseen;
  const variance = varianceOf(once, twice, occasions);
  const bounds = {
    min: logNormalBounds(found, unseen, variance).min,
    max: logNormalBounds(found, Math.max(unseen, jackknife(once, twice, occasions)), variance).max,
  };
  const expectedTotal = Math.round(expected);
  const max = Math.max(expectedTotal, Math.ceil(bounds.max));
  const min = Math.min(expectedTotal, Math.max(found, Math.floor(bounds.min)));
  const share = found / expected;
  const confidence = occasions >= 3 && (max - min) / expected <= 0.35 ? "high" : share >= 0.5 ? "medium" : "low";
  return {
    expectedTotal,
    bounds: { min, max },
    confidence,
    reasoning:
      `${occasions} formulations of the query found ${found} different entities: ${once} of them once, ${twice} twice. ` +
      `Chao's capture–recapture estimator puts the number that none has found at ${Math.round(unseen)}, so ` +
      `about ${expectedTotal} in all (${min} to ${max}); some ${Math.round(share * 100)} % of them are found.`,
  };
}

function nothingFound(formulations: number): RecallEstimate {
  return {
    expectedTotal: 0,
    bounds: { min: 0, max: 0 },
    confidence: "low",
    reasoning: `None of ${formulations} formulations of the query found an entity, so nothing can be said about how many there are.`,
  };
}

function oneCapture(found: number): RecallEstimate {
  return {
    expectedTotal: found,
    bounds: { min: found, max: found * 2 },
    confidence: "low",
    reasoning:
      `Only one formulation of the query found anything (${found} entities). Without a second list to compare with, ` +
      "the total cannot be estimated; the upper bound is a guess.",
  };
}

function frequency(counts: ReadonlyMap<string, number>, times: number): number {
  let sum = 0;
  for (const count of counts.values()) if (count === times) sum += 1;
  return sum;
}

/** Chao's bias-corrected count of entities never seen, for incidences over `occasions` lists. */
function chao(once: number, twice: number, occasions: number): number {
  const correction = (occasions - 1) / occasions;
  return (correction * once * (once - 1)) / (2 * (twice + 1));
}

/** The second-order jackknife of Burnham and Overton, which knows that some entities are found more easily than others. */
function jackknife(once: number, twice: number, occasions: number): number {
  return (once * (2 * occasions - 3)) / occasions - (twice * (occasions - 2) ** 2) / (occasions * (occasions - 1));
}

/** The variance of Chao's estimator, from its authors' formula for the bias-corrected form. */
function varianceOf(once: number, twice: number, occasions: number): number {
  const correction = (occasions - 1) / occasions;
  return (
    (correction * once * (once - 1)) / (2 * (twice + 1)) +
    (correction ** 2 * once * (2 * once - 1) ** 2) / (4 * (twice + 1) ** 2) +
    (correction ** 2 * once ** 2 * twice * (once - 1) ** 2) / (4 * (twice + 1) ** 4)
  );
}

function logNormalBounds(
  found: number,
  unseen: number,
  variance: number,
): { readonly min: number; readonly max: number } {
  if (unseen <= 0) return { min: found, max: found };
  const spread = Math.exp(DEVIATIONS * Math.sqrt(Math.log(1 + variance / unseen ** 2)));
  return { min: found + unseen / spread, max: found + unseen * spread };
}
