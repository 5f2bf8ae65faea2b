import type { Analyser } from "@quarry/retrieval";

/** So much of a claim's words must stand in the quotes it rests on. */
const MIN_COVERED = 0.6;

/**
 * Whether quotes carry a claim: most of its words stand in them, and every number and every name does. `given` is what the
 * asker said, whose names need no proof. Strict on purpose: a true sentence that is lost costs less than a false one that passes.
 */
export function supportsClaim(
  analyser: Analyser,
  claim: string,
  support: { readonly quotes: readonly string[]; readonly given: string },
): boolean {
  const quoted = support.quotes.join("\n");
  const words = contentWords(analyser, claim);
  if (words.length === 0 || quoted === "") return false;
  const known = new Set(analyser.analyseText(quoted, null));
  const asked = new Set(analyser.analyseText(support.given, null));
  const covered = words.filter((word) => known.has(word)).length;
  // Words of the question say nothing new, so they neither prove nor disprove.
  const counted = words.filter((word) => known.has(word) || !asked.has(word)).length;
  if (covered === 0 || covered / counted < MIN_COVERED) return false;
  return hardFacts(claim).every((fact) =>
    analyser.analyseText(fact, null).every((token) => known.has(token) || (!/\d/.test(token) && asked.has(token))),
  );
}

function contentWords(analyser: Analyser, text: string): readonly string[] {
  const words = analyser.analyseQuery(text, []).filter(({ role }) => role !== "phrase");
  return words.flatMap(({ tokens }) => tokens.slice(0, 1));
}

/** Numbers, and words with a capital that do not begin a sentence: what must never be made up. */
function hardFacts(claim: string): readonly string[] {
  const numbers = claim.match(/\p{N}+(?:[.,]\p{N}+)*/gu) ?? [];
  const names = Array.from(
    claim.matchAll(/(?=\p{Lu})(?<=[\p{L}\p{N},;:)"”’]\s+["“(]?)\p{Lu}[\p{L}\p{N}'’-]*/gu),
    ([name]) => name,
  );
  return [...numbers, ...names];
}
