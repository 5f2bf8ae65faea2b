import type { Satisfied } from "@quarry/websets";

/** How well verdicts agree with people's. */
export interface VerdictScores {
  readonly accuracy: number;
  readonly macroF1: number;
  readonly yesPrecision: number;
  readonly yesRecall: number;
  readonly yesCount: number;
  readonly noF1: number;
  readonly unclearF1: number;
}

/** Scores verdicts, given pairwise with the right ones. */
export function scoreVerdicts(
  pairs: readonly { readonly label: Satisfied; readonly said: Satisfied }[],
): VerdictScores {
  const of = (
    verdict: Satisfied,
  ): { readonly f1: number; readonly precision: number; readonly recall: number; readonly count: number } => {
    const said = pairs.filter((pair) => pair.said === verdict).length;
    const meant = pairs.filter((pair) => pair.label === verdict).length;
    const right = pairs.filter((pair) => pair.said === verdict && pair.label === verdict).length;
    return {
      f1: (2 * right) / Math.max(1, said + meant),
      precision: right / Math.max(1, said),
      recall: right / Math.max(1, meant),
      count: said,
    };
  };
  const [yes, no, unclear] = [of("yes"), of("no"), of("unclear")];
  return {
    accuracy: pairs.filter(({ label, said }) => label === said).length / Math.max(1, pairs.length),
    macroF1: (yes.f1 + no.f1 + unclear.f1) / 3,
    yesPrecision: yes.precision,
    yesRecall: yes.recall,
    yesCount: yes.count,
    noF1: no.f1,
    unclearF1: unclear.f1,
  };
}
