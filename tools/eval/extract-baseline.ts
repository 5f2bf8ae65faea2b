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
  // linkedom's types name the browser's, which this project does not load
  const page = parseHTML(html) as unknown as { readonly document: ConstructorParameters<typeof Readability>[0] };
  const article = new Readability(page.document).parse();
  return {
    text: article?.textContent ?? "",
    title: article?.title ?? undefined,
    author: article?.byline ?? undefined,
    publishedDate: article?.publishedTime ?? undefined,
  };
}
