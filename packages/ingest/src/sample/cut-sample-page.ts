import { cutPassages, type CutPassage } from "../index-pages/cut-passages.ts";
import { toDocument } from "../to-document.ts";
import { toPageToIngest } from "./load-sample.ts";
import type { SamplePage } from "./sample-files.ts";
import { readSamplePage } from "./sample-reading.ts";

/** The passages of a page as they will be embedded once it is stored. */
export function cutSamplePage(sample: SamplePage): readonly CutPassage[] {
  const { text, ...reading } = readSamplePage(sample);
  const { title, details } = toDocument(toPageToIngest(sample, new Date(0)), "", { ...reading, text });
  return cutPassages({ text, headings: details.headings ?? [], title });
}
