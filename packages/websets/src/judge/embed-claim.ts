import type { Embedder } from "@quarry/models";
import { isQuestion, MAX_LIKENED_SENTENCES, type ClaimEvidence, type ClaimVectors } from "./verdict-features.ts";

/**
 * The vectors that judging asks for: of a question its own, of a claim over a few sentences its own and theirs. Undefined for
 * claims over pages, which are judged by their words, so that no page is embedded for a verdict.
 */
export async function embedClaim(
  embed: Embedder["embed"],
  { claim, sentences }: ClaimEvidence,
  signal?: AbortSignal,
): Promise<ClaimVectors | undefined> {
  if (!isQuestion(claim) && (sentences.length === 0 || sentences.length > MAX_LIKENED_SENTENCES)) return undefined;
  const [own, ...others] = await embed(isQuestion(claim) ? [claim] : [claim, ...sentences], signal);
  return own === undefined ? undefined : { claim: own, sentences: others };
}
