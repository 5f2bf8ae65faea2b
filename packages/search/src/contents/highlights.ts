import type { ScoredSentence } from "../rank/score-sentences.ts";
import type { HighlightsPlan } from "./contents-plan.ts";
import { cutAtWord } from "./cut-text.ts";

/** A part of a page's text, word for word. */
export interface Highlight extends ScoredSentence {
  readonly text: string;
}

/** Less than this share of the best score is not worth showing when as many as fit are wanted. */
const MIN_SHARE = 0.35;
/** What neighbours of the best sentence add to a highlight. */
const NEIGHBOUR_WEIGHT = 0.3;

/** With room for so many characters of a page and no count, whole passages are shown rather than single sentences. */
const PASSAGE_CHARACTERS = 2_000;

/** Whether so much is shown that the passage a sentence stands in matters more than the sentence. */
export function showsPassages({ perPage, maxCharacters }: HighlightsPlan): boolean {
  return perPage === Infinity && maxCharacters >= PASSAGE_CHARACTERS;
}

/** The best runs of sentences, best first, none overlapping another. */
export function pickHighlights(
  text: string,
  sentences: readonly ScoredSentence[],
  plan: HighlightsPlan,
): readonly Highlight[] {
  const windows = sentences
    .map((_, index) => toWindow(sentences.slice(index, index + plan.sentences)))
    .filter(({ start, end }) => end > start)
    .sort((one, other) => other.score - one.score || one.start - other.start);
  const picked: Highlight[] = [];
  let room = plan.maxCharacters;
  const floor = plan.perPage === Infinity ? (windows[0]?.score ?? 0) * MIN_SHARE : 0;
  for (const window of windows) {
    if (
      picked.length >= plan.perPage ||
      room <= 0 ||
      (picked.length > 0 && (window.score === 0 || window.score < floor))
    )
      break;
    if (picked.some((other) => window.start < other.end && other.start < window.end)) continue;
    const whole = text.slice(window.start, window.end);
    if (picked.length > 0 && whole.length > room) continue;
    const shown = cutAtWord(whole, room);
    picked.push({ start: window.start, end: window.start + shown.length, score: window.score, text: shown });
    room -= shown.length;
  }
  return picked;
}

/** Shares one budget over the pages' highlights, the best of all first; the pages stay in their order. */
export function shareBudget(
  pages: readonly (readonly Highlight[])[],
  maxCharacters: number,
): readonly (readonly Highlight[])[] {
  const all = pages.flatMap((highlights, page) => highlights.map((highlight) => ({ page, highlight })));
  all.sort((one, other) => other.highlight.score - one.highlight.score);
  const kept = new Set<Highlight>();
  let room = maxCharacters;
  for (const { highlight } of all) {
    if (highlight.text.length > room) continue;
    kept.add(highlight);
    room -= highlight.text.length;
  }
  return pages.map((highlights) => highlights.filter((highlight) => kept.has(highlight)));
}

function toWindow(sentences: readonly ScoredSentence[]): ScoredSentence {
  const scores = sentences.map(({ score }) => score);
  const best = Math.max(0, ...scores);
  const others = scores.reduce((sum, score) => sum + score, 0) - best;
  const mean = scores.length > 1 ? others / (scores.length - 1) : 0;
  return {
    start: sentences[0]?.start ?? 0,
    end: sentences.at(-1)?.end ?? 0,
    score: Math.min(1, best * (1 - NEIGHBOUR_WEIGHT) + mean * NEIGHBOUR_WEIGHT),
  };
}
