import { askModelForVerdict } from "./ask-model.ts";
import { judgeByRules } from "./judge-by-rules.ts";
import type { CriterionQuestion, Verdict } from "./verdict.ts";

/**
 * Judges one criterion of one entity from its pages: by the model when there is one and its quotes stand in the pages, else
 * by rules. Without evidence it is unclear. Rejects only on abort.
 */
export async function judgeCriterion(question: CriterionQuestion): Promise<Verdict> {
  question.signal.throwIfAborted();
  if (question.llm === undefined) return judgeByRules(question);
  const { verdict, usage } = await askModelForVerdict({ ...question, llm: question.llm });
  return verdict ?? { ...judgeByRules(question), usage };
}
