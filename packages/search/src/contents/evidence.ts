import type { ContentPage } from "./content-page.ts";
import type { ScoreSentences } from "./sentence-scorer.ts";

/** A sentence of a page that speaks to a question. */
export interface Evidence {
  readonly page: ContentPage;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** What of each page is read for one question. */
const READ_CHARACTERS = 20_000;

/** The sentences of pages that speak to a question, best first; pages that rank higher win where sentences are equal. */
export function findEvidence(
  scoreSentences: ScoreSentences,
  pages: readonly ContentPage[],
  question: string,
): readonly Evidence[] {
  return pages
    .flatMap((page, rank) => {
      const text = page.text.slice(0, READ_CHARACTERS);
      return scoreSentences(question, { text, language: page.language })
        .filter(({ score }) => score > 0)
        .map(({ start, end, score }) => ({
          rank,
          evidence: { page, text: text.slice(start, end), start, end, score },
        }));
    })
    .sort((one, other) => other.evidence.score - one.evidence.score || one.rank - other.rank)
    .map(({ evidence }) => evidence);
}

/** How sure a field is, by how well its best sentence answers. */
export function confidenceOf(score: number): "low" | "medium" | "high" {
  if (score >= 0.6) return "high";
  return score >= 0.3 ? "medium" : "low";
}
