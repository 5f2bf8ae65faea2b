import type { ContentPage } from "./content-page.ts";
import { cutAtWord } from "./cut-text.ts";
import type { ScoredSentence } from "../rank/score-sentences.ts";
import type { ScoreSentences } from "./sentence-scorer.ts";

/** Longer texts are summed up by their beginning: what a page is about stands there. */
const MAX_READ_CHARACTERS = 100_000;
const MAX_SENTENCES = 4;
const MIN_SENTENCE_CHARACTERS = 25;
/** The first sentences of a page say what it is about. */
const LEAD_BONUS = 0.2;
const LEAD_SENTENCES = 5;
/** Two sentences that share more of their words say the same. */
const MAX_OVERLAP = 0.6;

/** The page in a few of its own sentences, in their order: those that answer the query, or tell what it is about. */
export function summarise(
  page: ContentPage,
  query: string | undefined,
  wish: { readonly scoreSentences: ScoreSentences; readonly maxCharacters: number },
): string {
  const text = page.text.slice(0, MAX_READ_CHARACTERS);
  const about = query ?? [page.title, page.description].filter((part) => part !== null).join(" ");
  const sentences = bestSentences(text, wish.scoreSentences(about, { text, language: page.language }), {
    most: MAX_SENTENCES,
    maxCharacters: wish.maxCharacters,
    leadBonus: query === undefined ? LEAD_BONUS * 2 : LEAD_BONUS,
  });
  if (sentences.length > 0) return sentences.map(({ start, end }) => text.slice(start, end)).join(" ");
  return cutAtWord((page.description ?? text).trim(), wish.maxCharacters);
}

/** The best sentences that are whole ones and do not repeat each other, in the order of the text. */
export function bestSentences(
  text: string,
  scored: readonly ScoredSentence[],
  wish: { readonly most: number; readonly maxCharacters: number; readonly leadBonus: number },
): readonly ScoredSentence[] {
  const candidates = scored
    .map((sentence, index) => ({
      ...sentence,
      score: sentence.score + (index < LEAD_SENTENCES ? wish.leadBonus * (1 - index / LEAD_SENTENCES) : 0),
    }))
    .filter(({ start, end }) => isSentence(text.slice(start, end)))
    .sort((one, other) => other.score - one.score);
  const picked: ScoredSentence[] = [];
  const words: ReadonlySet<string>[] = [];
  let room = wish.maxCharacters;
  for (const sentence of candidates) {
    if (picked.length >= wish.most) break;
    const length = sentence.end - sentence.start;
    const own = wordsOf(text.slice(sentence.start, sentence.end));
    if (length > room || words.some((other) => overlap(own, other) > MAX_OVERLAP)) continue;
    picked.push(sentence);
    words.push(own);
    room -= length + 1;
  }
  return picked.sort((one, other) => one.start - other.start);
}

/** No heading, no row of a table, no crumb of navigation. */
function isSentence(text: string): boolean {
  return text.length >= MIN_SENTENCE_CHARACTERS && !text.includes(" | ") && /[.!?…。！？।؟"”»)]$/u.test(text);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  return common / Math.max(1, Math.min(one.size, other.size));
}
