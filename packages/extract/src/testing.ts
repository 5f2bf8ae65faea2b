import type { ExtractedDocument } from "./extracted-document.ts";

/** What a fixture pins: the Markdown, and the rest that a reader can check. */
export function toExpectation(document: ExtractedDocument): { readonly json: string; readonly markdown: string } {
  const { text, markdown, offsets, links, structuredData, limitsReached, extractorVersion, ...rest } = document;
  const expectation = {
    ...rest,
    textChars: text.length,
    offsetRuns: offsets.length / 4,
    links: links.filter((link) => link.inMain),
    structuredData: {
      jsonLd: structuredData.jsonLd.length,
      microdata: structuredData.microdata.length,
      openGraph: Object.keys(structuredData.openGraph).length,
    },
    limitsReached,
    extractorVersion,
  };
  return { json: `${JSON.stringify(expectation, undefined, 2)}\n`, markdown: `${markdown}\n` };
}
