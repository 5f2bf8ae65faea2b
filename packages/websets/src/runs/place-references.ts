import type { WebsetReference } from "@quarry/store";
import { checkEvidence, type Evidence } from "../evidence.ts";
import type { StoredPage } from "./websets-deps.ts";

/** Quotes as rows keep them; one that does not stand where it says in a page that was read is left out. */
export function placeReferences(
  evidence: readonly Evidence[],
  pages: readonly StoredPage[],
): readonly WebsetReference[] {
  return evidence.flatMap((quote) => {
    const page = pages.find((one) => checkEvidence(one, quote));
    if (page === undefined) return [];
    const { url, title, snippet, snapshotId, start, end } = quote;
    return [{ url, title, snippet, snapshotId, extractorVersion: page.extractorVersion, start, end }];
  });
}
