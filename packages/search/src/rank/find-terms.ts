import type { TextRange } from "@quarry/retrieval";

/** A longer line is a sentence of its own. */
const MAX_TERM_CHARACTERS = 80;
const STOP = /[.!?…,;。！？]["”’»)\]']*$/u;

/**
 * For each sentence, whether it is the name of the one after it: the term of a definition, the heading of a section. It stands on a
 * line of its own and ends in no stop; and what follows is no such line again, as the entries of a menu are.
 */
export function findTerms(text: string, sentences: readonly TextRange[]): readonly boolean[] {
  const isLine = sentences.map(({ start, end }, place) => {
    if (end - start > MAX_TERM_CHARACTERS || STOP.test(text.slice(start, end))) return false;
    const before = text.slice(sentences[place - 1]?.end ?? 0, start);
    const after = text.slice(end, sentences[place + 1]?.start ?? end);
    return (place === 0 || before.includes("\n")) && after.includes("\n");
  });
  return isLine.map((is, place) => is && isLine[place + 1] === false);
}
