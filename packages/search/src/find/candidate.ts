import type { PageFacts, ScoreParts, VectorHit, WordHit } from "@quarry/retrieval";

/** A page that may be an answer, with what each way of finding says of it. */
export interface Candidate {
  readonly facts: PageFacts;
  readonly words: WordEvidence | undefined;
  readonly meaning: MeaningEvidence | undefined;
}

/** How a page was found by words. `place` is from 1, null when it was only looked up. */
export interface WordEvidence {
  readonly score: number;
  readonly place: number | null;
  readonly parts: ScoreParts | undefined;
}

/** How a page was found by meaning: the cosine of its nearest chunk. */
export interface MeaningEvidence {
  readonly score: number;
  readonly place: number | null;
  readonly chunk: { readonly start: number; readonly end: number };
}

/** Puts what was found both ways together, a page once, in no order that matters. */
export function mergeHits(wordHits: readonly WordHit[], vectorHits: readonly VectorHit[]): readonly Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const [index, hit] of wordHits.entries()) {
    const { score, explanation, ...facts } = hit;
    candidates.set(keyOf(hit), {
      facts,
      words: { score, place: index + 1, parts: explanation },
      meaning: undefined,
    });
  }
  for (const [index, hit] of vectorHits.entries()) {
    const { score, chunk, ...facts } = hit;
    const known = candidates.get(keyOf(hit));
    candidates.set(keyOf(hit), {
      facts: known?.facts ?? facts,
      words: known?.words,
      meaning: { score, place: index + 1, chunk: { start: chunk.start, end: chunk.end } },
    });
  }
  return [...candidates.values()];
}

/** What tells one page from another within a search. */
export function keyOf({ teamId, url }: { readonly teamId: string; readonly url: string }): string {
  return `${teamId}\n${url}`;
}
