import type { PageToIndex } from "@quarry/retrieval";

/** Terms of the made-up language; their frequencies are Zipf's. */
const VOCABULARY = 200_000;
/** The commonest words, which no query is about. */
const COMMON_WORDS = 30;
const SITES = 500;
const DAYS = 3_650;
const CLUSTERS = 300;
const CATEGORIES = ["news", "blog", "paper", "company", null] as const;

/** Page number `number` of a made-up web: about 300 words, always the same ones. */
export function makeGeneratedPage(number: number): PageToIndex {
  const { words, ...place } = makeParts(number);
  const at = (start: number, end: number): string => words.slice(start, end).join(" ");
  return {
    ...place,
    title: at(3, 10),
    headings: [at(20, 26), at(150, 157)],
    text: words.join(" "),
    language: "xx",
    author: null,
    siteName: null,
    image: null,
    favicon: null,
    crawledAt: new Date("2026-01-01T00:00:00Z"),
    canonicalUrl: null,
  };
}

/** Where a made-up page is and when it was published. */
export function makeGeneratedPlace(
  number: number,
): Pick<PageToIndex, "teamId" | "url" | "version" | "publishedAt" | "category"> {
  const random = makeRandom(number * 7_919 + 13);
  return placeOf(number, random);
}

/** Queries of three words that are neither the commonest nor unheard of. */
export function makeGeneratedQueries(count: number): readonly string[] {
  const random = makeRandom(99);
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 }, () => {
      let rank = 0;
      while (rank < COMMON_WORDS) rank = pickRank(random);
      return wordOf(rank);
    }).join(" "),
  );
}

/** Vectors in clusters, of length 1. */
export function makeGeneratedVectors(count: number, dimensions: number): readonly Float32Array[] {
  const random = makeRandom(5);
  const centres = Array.from({ length: CLUSTERS }, () => randomNumbers(random, dimensions));
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * CLUSTERS)] ?? new Float32Array(dimensions);
    const vector = randomNumbers(random, dimensions).map((value, axis) => value + 0.7 * (centre[axis] ?? 0));
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    return vector.map((value) => value / length);
  });
}

function makeParts(number: number): ReturnType<typeof placeOf> & { readonly words: readonly string[] } {
  const random = makeRandom(number * 7_919 + 13);
  const place = placeOf(number, random);
  const words = Array.from({ length: 250 + Math.floor(random() * 100) }, () => wordOf(pickRank(random)));
  return { ...place, words };
}

function placeOf(
  number: number,
  random: () => number,
): Pick<PageToIndex, "teamId" | "url" | "version" | "publishedAt" | "category"> {
  return {
    teamId: "shared",
    url: `https://site${Math.floor(random() * random() * SITES)}.example/p/${number}`,
    version: number + 1,
    publishedAt: new Date(Date.UTC(2016, 0, 1 + Math.floor(random() * DAYS))),
    category: CATEGORIES[Math.floor(random() * CATEGORIES.length)] ?? null,
  };
}

const cumulative = ((): Float64Array => {
  const shares = Float64Array.from({ length: VOCABULARY }, (_, rank) => 1 / (rank + 2.7));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let sum = 0;
  return shares.map((share) => (sum += share / total));
})();

function pickRank(random: () => number): number {
  const point = random();
  let [low, high] = [0, VOCABULARY - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 1) < point) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wordOf(rank: number): string {
  const [consonants, vowels] = ["bcdfghjklmnprstvz", "aeiou"];
  let word = "";
  for (let left = rank + 17; left > 0;) {
    word += consonants[left % 17] ?? "";
    left = Math.floor(left / 17);
    word += vowels[left % 5] ?? "";
    left = Math.floor(left / 5);
  }
  return word;
}

function randomNumbers(random: () => number, count: number): Float32Array {
  return Float32Array.from({ length: count }, () => random() + random() + random() - 1.5);
}

/** Mulberry32. */
function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
