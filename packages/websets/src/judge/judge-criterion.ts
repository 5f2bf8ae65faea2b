import { judgeByRules } from "./judge-by-rules.ts";
import type { CriterionQuestion, Verdict } from "./verdict.ts";

/** Judges one criterion of one entity from its pages. Rejects only on abort. */
export function judgeCriterion(question: CriterionQuestion): Promise<Verdict> {
  question.signal.throwIfAborted();
  return Promise.resolve(judgeByRules(question));
}
