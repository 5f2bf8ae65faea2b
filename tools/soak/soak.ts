import type { Random } from "./random.ts";

/** A long proof that `npm run soak` knows: it breaks things at random and looks whether the promises held. */
export interface Soak {
  readonly name: string;
  readonly run: (context: SoakContext) => Promise<SoakResult>;
}

/** What a soak gets. */
export interface SoakContext {
  /** Everything left to chance comes from here, so that a seed chooses the same jobs and blows again. */
  readonly random: Random;
  /** A fraction of the full size: 1 is full, 0.05 the least that counts as a part of the proof. */
  readonly size: number;
  readonly report: (line: string) => void;
}

/** What a soak found. */
export interface SoakResult {
  readonly figures: Readonly<Record<string, number>>;
  /** Broken promises, a sentence each; none when the proof holds. */
  readonly violations: readonly string[];
}
