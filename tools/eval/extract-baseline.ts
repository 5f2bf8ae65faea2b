import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";

/** What one extractor made of a page, in the fields the judged sets know. */
export interface Extraction {
  readonly text: string;
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly publishedDate: string | undefined;
}

/** Mozilla's Readability on linkedom: the extractor we compare ourselves with. */
export function extractWithReadability(html: string): Extraction {
  const { document } = parseHTML(html);
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0]).parse();
  return {
    text: article?.textContent ?? "",
    title: article?.title ?? undefined,
    author: article?.byline ?? undefined,
    publishedDate: article?.publishedTime ?? undefined,
  };
}
