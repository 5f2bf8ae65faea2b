import { chunkText } from "@quarry/retrieval";
import { extractContent } from "../extract-content.ts";
import type { PageToIngest } from "../page-to-ingest.ts";
import { toDocument } from "../to-document.ts";

/** The passages of a page as they will be embedded once it is stored. Throws the page's AppError when it cannot be read. */
export async function cutSamplePage(page: PageToIngest): Promise<readonly string[]> {
  const outcome = await extractContent({ url: page.url, content: page.content, now: page.fetchedAt });
  if (outcome.kind === "unreadable") throw outcome.error;
  const { title, details } = toDocument(page, "", outcome.reading);
  return chunkText(outcome.reading.text, details.headings ?? [], { title }).map(({ passage }) => passage);
}
