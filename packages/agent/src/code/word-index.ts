/** A chunk that has some of the words, and how well it fits by BM25. */
export interface WordMatch {
  readonly chunk: number;
  readonly score: number;
}

/** How fast repeats stop counting, and how much the length of a chunk counts. */
const K1 = 1.2;
const B = 0.75;
/** Dead postings are swept out when they are more than this part. */
const MAX_DEAD_PART = 0.2;

/** Finds chunks by words. Chunks are numbers that are never used twice. */
export class WordIndex {
  /** Chunk and count, one after the other. */
  readonly #postings = new Map<string, number[]>();
  readonly #lengths = new Map<number, number>();
  #totalLength = 0;
  #dead = 0;

  get chunkCount(): number {
    return this.#lengths.size;
  }

  add(chunk: number, words: readonly (readonly [word: string, count: number])[]): void {
    let length = 0;
    for (const [word, count] of words) {
      length += count;
      const postings = this.#postings.get(word);
      if (postings === undefined) this.#postings.set(word, [chunk, count]);
      else postings.push(chunk, count);
    }
    this.#lengths.set(chunk, length);
    this.#totalLength += length;
  }

  remove(chunk: number): void {
    const length = this.#lengths.get(chunk);
    if (length === undefined) return;
    this.#lengths.delete(chunk);
    this.#totalLength -= length;
    this.#dead += 1;
    if (this.#dead > Math.max(100, this.#lengths.size * MAX_DEAD_PART)) this.#sweep();
  }

  /** The best chunks for these words that `isWanted`, best first. */
  find(words: readonly string[], limit: number, isWanted: (chunk: number) => boolean): readonly WordMatch[] {
    const scores = new Map<number, number>();
    const average = this.#totalLength / Math.max(1, this.#lengths.size);
    for (const word of words) {
      const postings = this.#postings.get(word) ?? [];
      const weight = this.weightOf(word);
      for (let at = 0; at < postings.length; at += 2) {
        const [chunk = 0, count = 0] = [postings[at], postings[at + 1]];
        const length = this.#lengths.get(chunk);
        if (length === undefined) continue; // gone
        const gain = (weight * (K1 + 1) * count) / (count + K1 * (1 - B + (B * length) / average));
        scores.set(chunk, (scores.get(chunk) ?? 0) + gain);
      }
    }
    return [...scores]
      .filter(([chunk]) => isWanted(chunk))
      .sort(([chunk, score], [otherChunk, otherScore]) => otherScore - score || chunk - otherChunk)
      .slice(0, limit)
      .map(([chunk, score]) => ({ chunk, score }));
  }

  /** How telling a word is: the fewer chunks have it, the more. */
  weightOf(word: string): number {
    const all = this.#lengths.size;
    const having = Math.min(all, (this.#postings.get(word)?.length ?? 0) / 2);
    return Math.log(1 + (all - having + 0.5) / (having + 0.5));
  }

  #sweep(): void {
    for (const [word, postings] of this.#postings) {
      const live: number[] = [];
      for (let at = 0; at < postings.length; at += 2) {
        const [chunk = 0, count = 0] = [postings[at], postings[at + 1]];
        if (this.#lengths.has(chunk)) live.push(chunk, count);
      }
      if (live.length === 0) this.#postings.delete(word);
      else if (live.length < postings.length) this.#postings.set(word, live);
    }
    this.#dead = 0;
  }
}
