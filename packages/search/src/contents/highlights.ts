import type { ScoredSentence } from "../rank/score-sentences.ts";
import type { HighlightsPlan } from "./contents-plan.ts";
import { cutAtWord } from "./cut-text.ts";

/** A part of a page's text, word for word. */
export interface Highlight extends ScoredSentence {
  readonly text: string;
  /** Characters it takes of what may be shown: in a passage, with the white space up to the next sentence. */
  readonly room: number;
}

/** Less than this share of the best score is not worth showing when as many as fit are wanted. */
const MIN_SHARES = {
  sentence: 0.35,
  /** A passage's sentences score alike; what falls off by this much is about something else. Chosen on half a judged set. */
  passage: 0.55,
} as const;
/** What neighbours of the best sentence add to a highlight. */
const NEIGHBOUR_WEIGHT = 0.3;

/** The best runs of sentences, best first, none overlapping another; `joinNeighbours` makes passages of them. */
export function pickHighlights(
  text: string,
  sentences: readonly ScoredSentence[],
  plan: HighlightsPlan,
): readonly Highlight[] {
  const windows = sentences
    .map((_, index) => {
      const window = toWindow(sentences.slice(index, index + plan.sentences));
      const next = plan.unit === "passage" ? sentences[index + plan.sentences]?.start : undefined;
      return { ...window, room: (next ?? window.end) - window.start };
    })
    .filter(({ start, end }) => end > start)
    .sort((one, other) => other.score - one.score || one.start - other.start);
  const picked: Highlight[] = [];
  let room = plan.maxCharacters;
  const floor = plan.perPage === Infinity ? (windows[0]?.score ?? 0) * MIN_SHARES[plan.unit] : 0;
  for (const window of windows) {
    if (
      picked.length >= plan.perPage ||
      room <= 0 ||
      (picked.length > 0 && (window.score === 0 || window.score < floor))
    )
      break;
    if (picked.some((other) => window.start < other.end && other.start < window.end)) continue;
    if (picked.length > 0 && window.room > room) continue;
    const shown = cutAtWord(text.slice(window.start, window.end), room);
    picked.push({ ...window, end: window.start + shown.length, room: Math.min(window.room, room), text: shown });
    room -= window.room;
  }
  return picked;
}

/** Makes one highlight, with the best score of them, of those that only white space parts; best first. */
export function joinNeighbours(text: string, highlights: readonly Highlight[]): readonly Highlight[] {
  const joined: Highlight[] = [];
  for (const next of highlights.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || text.slice(last.end, next.start).trim() !== "") {
      joined.push(next);
      continue;
    }
    const { start } = last;
    const { end } = next;
    const score = Math.max(last.score, next.score);
    joined[joined.length - 1] = { start, end, score, room: last.room + next.room, text: text.slice(start, end) };
  }
  return joined.sort((one, other) => other.score - one.score || one.start - other.start);
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
    if (highlight.room > room) continue;
    kept.add(highlight);
    room -= highlight.room;
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
