import type { Citation } from "./find-citations.ts";

/** One test that ran and cites requirements. */
export interface CitingTest {
  readonly ids: readonly string[];
  readonly passed: boolean;
}

/** What a run says about requirements. */
export interface MetRequirements {
  readonly met: ReadonlySet<string>;
  /** Ids that some test of this run cites, met or not. */
  readonly touched: ReadonlySet<string>;
  /** Whether every file that cites anything was part of the run. */
  readonly isWholeSuite: boolean;
}

/**
 * A requirement is met when every test that cites it ran and passed; one that a
 * file outside this run cites too cannot be called met.
 */
export function metRequirements(
  tests: readonly CitingTest[],
  citations: readonly Citation[],
  filesRun: ReadonlySet<string>,
): MetRequirements {
  const touched = new Set(tests.flatMap(({ ids }) => ids));
  const failed = new Set(tests.filter(({ passed }) => !passed).flatMap(({ ids }) => ids));
  const elsewhere = new Set(citations.filter(({ file }) => !filesRun.has(file)).map(({ id }) => id));
  return {
    met: new Set([...touched].filter((id) => !failed.has(id) && !elsewhere.has(id))),
    touched,
    isWholeSuite: elsewhere.size === 0,
  };
}
