import { splitShownSentences, type TextRange } from "@quarry/retrieval";
import { tellingParts, type PartsWish } from "./telling-parts.ts";

/** The sentences of a text, in order; of one that is too long to be read whole, those of the parts that tell. */
export function readSentences(
  text: string,
  wish: PartsWish & { readonly wholeCharacters: number },
): readonly TextRange[] {
  if (text.length <= wish.wholeCharacters) return splitShownSentences(text);
  return tellingParts(text, wish).flatMap(({ start: from, end: to }) => {
    const sentences = splitShownSentences(text.slice(from, to));
    // Where a part begins or ends inside the text, its first and its last sentence may be halves.
    const whole = sentences.slice(from === 0 ? 0 : 1, to === text.length ? undefined : -1);
    return (whole.length === 0 ? sentences : whole).map(({ start, end }) => ({ start: from + start, end: from + end }));
  });
}
