/** What ranking has learnt; `gen/rank-model.ts` holds it. */
export interface RankModel {
  /** Before texts are read. */
  readonly fusion: Doubting & { readonly words: number };
  /** Of the best pages, whose texts are read. */
  readonly rerank: Doubting & Readonly<Record<Exclude<RerankFeature, "meaning" | "words">, number>>;
  /** How likely the best page is an answer at all: log-odds by its share of the ideal score by words, and by its cosine. */
  readonly anchor: Readonly<Record<"words" | "meaning", { readonly bias: number; readonly slope: number }>>;
  /** How fast scores fall below the best page's: log-odds for each point of difference. */
  readonly steepness: number;
}

/**
 * Meaning counts as it is; how much all else counts beside it grows with the doubt about it, which is how far the best
 * cosine stays below `doubtBelow`, and with how decisive words are. A query for a thing in a list is near no page, and
 * its very word decides; a question that a page answers is near that page, whatever words others share with it, unless
 * that page or another alone has nearly all of the question's words.
 */
export interface Doubting {
  readonly doubtBelow: number;
  readonly decisive: number;
}

/** What the pages found for a query tell about the query. */
export interface QuerySigns {
  /** Of the page that is nearest in meaning; undefined when no page has a vector. */
  readonly bestCosine: number | undefined;
  /** 0 to 1: see `decisivenessOf`. */
  readonly decisiveness: number;
}

/**
 * How decisive a query's words are: much when the best page by words has most of what they could give and the tenth is
 * far behind; little when many pages have a few of them, as code has the words of a question about it. `words` are
 * shares of the best page's score.
 */
export function decisivenessOf(words: readonly number[], bestWordShare: number): number {
  const tenth = words.toSorted((one, other) => other - one)[FEW_PAGES - 1] ?? 0;
  return Math.max(0, 1 - tenth) * Math.sqrt(bestWordShare);
}

const FEW_PAGES = 10;
/** What is usual: words count the more the more decisive than this they are. */
const USUAL_DECISIVENESS = 0.4;

/** What ranking looks at. */
export type RerankFeature =
  /** The score by words as a share of the best page's. */
  | "words"
  /** The cosine of the nearest chunk. */
  | "meaning"
  /** What the page has in common with the best pages. */
  | "feedback"
  /** The score by words, less for a page that lacks words of the query: a chance match of one word is no answer. */
  | "coveredWords"
  /** The share of the query's neighbouring words that are neighbours on the page. */
  | "adjacency"
  /** By the words of the best pages, which only the plan `deep` searches for. */
  | "expansion";

/** What each feature's value is multiplied with. */
export type FeatureWeights = Readonly<Partial<Record<RerankFeature, number>>>;

/** The weights for one query. */
export function weightsFor(
  model: Doubting & Readonly<Partial<Record<RerankFeature, number>>>,
  { bestCosine, decisiveness }: QuerySigns,
): FeatureWeights {
  const { doubtBelow, decisive, ...weights } = model;
  const sureOfWords = decisive * (decisiveness - USUAL_DECISIVENESS);
  const doubt = bestCosine === undefined ? 1 : Math.max(0, doubtBelow - bestCosine + sureOfWords);
  const doubted = Object.entries(weights).map(([name, weight]) => [name, weight * doubt] as const);
  return { ...Object.fromEntries(doubted), meaning: bestCosine === undefined ? 0 : 1 };
}

/** The sum that decides a page's place. */
export function weigh(features: Readonly<Partial<Record<RerankFeature, number>>>, weights: FeatureWeights): number {
  let sum = 0;
  for (const name of FEATURES) sum += (features[name] ?? 0) * (weights[name] ?? 0);
  return sum;
}

/** How likely a page is an answer, by whichever of words and meaning is surer. */
export function logOddsOf(
  page: { readonly wordShare: number; readonly meaning: number },
  { words, meaning }: RankModel["anchor"],
): number {
  return Math.max(words.bias + words.slope * page.wordShare, meaning.bias + meaning.slope * Math.max(0, page.meaning));
}

/** A probability from log-odds. */
export function toProbability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

const FEATURES: readonly RerankFeature[] = ["words", "meaning", "feedback", "coveredWords", "adjacency", "expansion"];
