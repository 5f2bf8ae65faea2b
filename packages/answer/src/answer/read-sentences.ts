/** A sentence that a model wrote, without its marks, and the sources it names. */
export interface WrittenSentence {
  readonly text: string;
  readonly sources: readonly number[];
}

/** The longest run of text without an end that is still waited for. */
const MAX_HELD_CHARACTERS = 4_000;
/** A sentence with the marks behind it; it is whole once something else follows. */
const SENTENCE =
  /^\s*(?!\s)(?<text>[^[\]]*?(?:\[(?!\d)[^[\]]*\][^[\]]*?)*)(?<marks>(?:(?:(?<!\s)\s+)?\[\d{1,3}(?:\s*,\s*\d{1,3})*\])+)(?<dot>[.!?。！？]?)/u;

/** Cuts a streamed answer into sentences by their marks. What follows the last mark rests on nothing and is left out. */
export async function* readSentences(deltas: AsyncIterable<string>): AsyncGenerator<WrittenSentence> {
  let held = "";
  for await (const delta of deltas) {
    held += delta;
    for (let cut = nextSentence(held, false); cut !== undefined; cut = nextSentence(held, false)) {
      yield cut.sentence;
      held = held.slice(cut.length);
    }
    if (held.length > MAX_HELD_CHARACTERS) held = held.slice(-MAX_HELD_CHARACTERS);
  }
  for (let cut = nextSentence(held, true); cut !== undefined; cut = nextSentence(held, true)) {
    yield cut.sentence;
    held = held.slice(cut.length);
  }
}

function nextSentence(
  held: string,
  isEnd: boolean,
): { readonly sentence: WrittenSentence; readonly length: number } | undefined {
  const found = SENTENCE.exec(held);
  if (found === null) return undefined;
  // More marks, or the dot behind them, may still be on their way.
  if (!isEnd && /^\s*(?:\[[\d,\s]*)?$/.test(held.slice(found[0].length))) return undefined;
  const marks = found.groups?.["marks"] ?? "";
  const dot = found.groups?.["dot"] ?? "";
  const text = `${(found.groups?.["text"] ?? "").trim()}${dot}`.trim();
  const sources = [...new Set((marks.match(/\d+/g) ?? []).map(Number))];
  return { sentence: { text, sources }, length: found[0].length };
}
