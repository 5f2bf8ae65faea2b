import type { Statement } from "./statements.ts";
import type { Trap } from "./traps.ts";
import type { Satisfied } from "./verdict.ts";

/** What one statement says of one condition. `unclear` ones are kept to say why nothing was decided. */
export interface Finding {
  readonly statement: Statement;
  readonly satisfied: Satisfied;
  /** The rule in words: "the year founded is 2019". */
  readonly why: string;
  /** Larger speaks louder when statements disagree. */
  readonly weight: number;
  readonly trap?: Trap | "other-entity" | undefined;
  /** The year or the number that it gives. */
  readonly value?: number;
  /** Counts only where nothing else decides. */
  readonly isHint?: boolean;
}
