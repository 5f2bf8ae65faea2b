import { AppError } from "@quarry/base";
import { readGivenText } from "../given-text.ts";
import type { PageReading } from "../read-page.ts";
import type { SamplePage, SampleReading } from "./sample-files.ts";

/** A reading on its way into the sample. */
export function packReading(reading: PageReading): SampleReading {
  const { sourceMap, publishedAt, ...rest } = reading;
  return {
    ...rest,
    links: [],
    publishedAt: publishedAt?.toISOString(),
    sourceMap: sourceMap === null ? null : Buffer.from(sourceMap).toString("base64"),
  };
}

/** What was read in a page of the sample, when the sample was made: a first start need not read it again. */
export function readSamplePage({ url, text, reading }: SamplePage): PageReading {
  if (reading !== undefined) {
    const { sourceMap, publishedAt, ...rest } = reading;
    return {
      ...rest,
      ...(publishedAt !== undefined && { publishedAt: new Date(publishedAt) }),
      sourceMap: sourceMap === null ? null : Buffer.from(sourceMap, "base64"),
    };
  }
  if (text === undefined) throw new AppError("internal", `the sample's page ${url} has no text: install again`);
  return readGivenText(text);
}
