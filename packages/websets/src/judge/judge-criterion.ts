import { askModelForVerdict } from "./ask-model.ts";
import { claimsOf, judgeByRules, type RuleQuestion } from "./judge-by-rules.ts";
import { likenSentences } from "./liken-sentences.ts";
import type { CriterionQuestion, Verdict } from "./verdict.ts";

/**
 * Judges one criterion of one entity from its pages: by the model when there is one and its quotes stand in the pages, else
 * by rules. Without evidence it is unclear. Rejects only on abort.
 */
export async function judgeCriterion(question: CriterionQuestion): Promise<Verdict> {
  question.signal.throwIfAborted();
  if (question.llm === undefined) return judgeByRules({ ...question, likeness: await likenClaims(question) });
  const { verdict, usage } = await askModelForVerdict({ ...question, llm: question.llm });
  return verdict ?? { ...judgeByRules({ ...question, likeness: await likenClaims(question) }), usage };
}

/** Likeness of the sentences of short pages to long claims; without a model for it they are judged by their words. */
async function likenClaims(question: CriterionQuestion): Promise<RuleQuestion["likeness"]> {
  const { embed, signal } = question;
  if (embed === undefined) return undefined;
  const known = new Map<string, readonly number[]>();
  const keyOf = (one: Parameters<typeof likenSentences>[1]): string => JSON.stringify([one.claim, one.sentences]);
  for (const claim of claimsOf(question)) {
    // a model that is still being loaded, or gone, is a normal state
    const likeness = await likenSentences(embed, claim, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (likeness !== undefined) known.set(keyOf(claim), likeness);
  }
  return (claim) => known.get(keyOf(claim));
}
