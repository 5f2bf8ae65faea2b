/**
 * Where each part of an extracted text comes from: four numbers a run (text start, text length, source start,
 * source length), in the order of the text. A run of equal lengths maps character by character, another one
 * (an entity, collapsed white space) as a whole. Text between runs was added by the extractor: line breaks, separators.
 */
export type OffsetMap = readonly number[];

/** A range of UTF-16 offsets, `end` exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The smallest range of the source that holds the text from `start` to `end`; undefined when none of it has a source. */
export function sourceRangeOf(map: OffsetMap, start: number, end: number): TextRange | undefined {
  let low = 0;
  let high = map.length / 4;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((map[middle * 4] ?? 0) + (map[middle * 4 + 1] ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  let from: number | undefined;
  let to: number | undefined;
  for (let run = low; run * 4 < map.length; run += 1) {
    const [textStart = 0, textLength = 0, sourceStart = 0, sourceLength = 0] = map.slice(run * 4, run * 4 + 4);
    if (textStart >= end) break;
    const exact = textLength === sourceLength;
    from ??= sourceStart + (exact ? Math.max(0, start - textStart) : 0);
    to = exact ? sourceStart + Math.min(textLength, end - textStart) : sourceStart + sourceLength;
  }
  return from === undefined || to === undefined ? undefined : { start: from, end: to };
}

/** Builds a text and its map side by side. */
export interface TextBuilder {
  /** Adds text that stands for a range of the source. */
  readonly add: (text: string, sourceStart: number, sourceLength: number) => void;
  /** Adds text that the source does not have. */
  readonly insert: (text: string) => void;
  readonly length: () => number;
  readonly finish: () => { readonly text: string; readonly offsets: OffsetMap };
}

/** An empty builder. */
export function makeTextBuilder(): TextBuilder {
  const parts: string[] = [];
  const map: number[] = [];
  let length = 0;
  return {
    add: (text, sourceStart, sourceLength) => {
      if (text === "") return;
      parts.push(text);
      const last = map.length - 4;
      const lastText = map[last] ?? 0;
      const lastLength = map[last + 1] ?? 0;
      const lastSource = map[last + 2] ?? 0;
      const lastSourceLength = map[last + 3] ?? 0;
      const continues =
        last >= 0 &&
        text.length === sourceLength &&
        lastLength === lastSourceLength &&
        lastText + lastLength === length &&
        lastSource + lastSourceLength === sourceStart;
      if (continues) {
        map[last + 1] = lastLength + text.length;
        map[last + 3] = lastSourceLength + text.length;
      } else map.push(length, text.length, sourceStart, sourceLength);
      length += text.length;
    },
    insert: (text) => {
      parts.push(text);
      length += text.length;
    },
    length: () => length,
    finish: () => ({ text: parts.join(""), offsets: map }),
  };
}
