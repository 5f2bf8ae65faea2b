import { askModelForVerdict } from "./ask-model.ts";
import { embedClaim } from "./embed-claim.ts";
import { claimsOf, judgeByRules, type RuleQuestion } from "./judge-by-rules.ts";
import type { ClaimEvidence, ClaimVectors } from "./verdict-features.ts";
import type { CriterionQuestion, Verdict } from "./verdict.ts";

/**
 * Judges one criterion of one entity from its pages: by the model when there is one and its quotes stand in the pages, else
 * by rules. Without evidence it is unclear. Rejects only on abort.
 */
export async function judgeCriterion(question: CriterionQuestion): Promise<Verdict> {
  question.signal.throwIfAborted();
  if (question.llm === undefined) return judgeByRules({ ...question, vectorsOf: await embedClaims(question) });
  const { verdict, usage } = await askModelForVerdict({ ...question, llm: question.llm });
  return verdict ?? { ...judgeByRules({ ...question, vectorsOf: await embedClaims(question) }), usage };
}

/** The vectors of long claims and of the sentences of short pages; without a model for it their words alone count. */
async function embedClaims(question: CriterionQuestion): Promise<RuleQuestion["vectorsOf"]> {
  const { embed, signal } = question;
  if (embed === undefined) return undefined;
  const known = new Map<string, ClaimVectors>();
  const keyOf = (one: ClaimEvidence): string => JSON.stringify([one.claim, one.sentences]);
  for (const claim of claimsOf(question)) {
    // a model that is still being loaded, or gone, is a normal state
    const vectors = await embedClaim(embed, claim, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (vectors !== undefined) known.set(keyOf(claim), vectors);
  }
  return (claim) => known.get(keyOf(claim));
}
