import type { Embedder } from "@quarry/models";
import { MAX_LIKENED_SENTENCES } from "./judge-claim.ts";
import { isQuestion, type ClaimEvidence } from "./verdict-features.ts";

/**
 * How near each sentence is to the claim, where judging asks for it: a claim over a few sentences. Undefined for questions and
 * pages, which are judged by their words, so that no page is embedded for a verdict.
 */
export async function likenSentences(
  embed: Embedder["embed"],
  { claim, sentences }: ClaimEvidence,
  signal?: AbortSignal,
): Promise<readonly number[] | undefined> {
  if (isQuestion(claim) || sentences.length === 0 || sentences.length > MAX_LIKENED_SENTENCES) return undefined;
  const [own, ...others] = await embed([claim, ...sentences], signal);
  return others.map((vector) => vector.reduce((sum, value, index) => sum + value * (own?.[index] ?? 0), 0));
}
