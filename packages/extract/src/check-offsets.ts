import { decodeHTML } from "entities";
import type { ExtractedDocument } from "./extracted-document.ts";
import { sourceRangeOf } from "./offset-map.ts";

/**
 * What is wrong with the offsets of a page that was extracted from `html`, in a sentence; undefined when every run of
 * the text stands in the source where its map says. For tests and soaks.
 */
export function findWrongOffset(html: string, document: ExtractedDocument): string | undefined {
  const { text, offsets, headings, codeBlocks } = document;
  if (offsets.length % 4 !== 0) return "the map is not made of runs";
  let textEnd = 0;
  let sourceEnd = 0;
  for (let run = 0; run < offsets.length; run += 4) {
    const [start = -1, length = -1, sourceStart = -1, sourceLength = -1] = offsets.slice(run, run + 4);
    const name = `run ${run / 4} (${start}+${length} from ${sourceStart}+${sourceLength})`;
    if (length < 1 || start < textEnd || start + length > text.length) return `${name} is out of the text`;
    if (sourceLength < 1 || sourceStart < sourceEnd || sourceStart + sourceLength > html.length)
      return `${name} is out of the source`;
    if (/[^\s|]/u.test(text.slice(textEnd, start))) return `before ${name} stands text without a source`;
    const written = text.slice(start, start + length);
    const source = html.slice(sourceStart, sourceStart + sourceLength);
    if (!standsFor(source, written)) return `${name}: ${JSON.stringify(source)} is not ${JSON.stringify(written)}`;
    textEnd = start + length;
    sourceEnd = sourceStart + sourceLength;
  }
  if (/[^\s|]/u.test(text.slice(textEnd))) return "the text ends without a source";
  for (const part of [...headings, ...codeBlocks]) {
    if (part.end > part.start && sourceRangeOf(offsets, part.start, part.end) === undefined)
      return `${JSON.stringify(part.text)} has no range of the source`;
  }
  return undefined;
}

function standsFor(source: string, written: string): boolean {
  if (source.length === written.length) return source.replace(/\s/gu, " ") === written.replace(/\s/gu, " ");
  if (written.trim() === "") return true; // white space, a break, or what stood around it
  return decodeHTML(source) === written;
}
