import type { PageIdentity } from "@quarry/retrieval";
import { keyOf } from "./candidate.ts";

/** How much of a page is read: a shorter page whole, of a longer one its lead and what begins at `start`. */
export interface PartSize {
  readonly leadCharacters: number;
  readonly maxCharacters: number;
}

/** A page of which a part is wanted. */
export interface PartWish extends PageIdentity {
  /** Where in the text the part beside the lead begins. */
  readonly start: number;
}

/** The part of a page's text that was read. */
export interface PagePart extends PageIdentity {
  readonly text: string;
  /** The same for pages whose whole text is the same. */
  readonly contentId: string;
}

/** Cuts the part out of a text. Parts that a database cuts may differ by a few characters where text is not plain. */
export function partOf(text: string, start: number, { leadCharacters, maxCharacters }: PartSize): string {
  if (text.length <= maxCharacters) return text;
  const from = Math.max(leadCharacters, start);
  return `${text.slice(0, leadCharacters)}\n${text.slice(from, from + maxCharacters - leadCharacters)}`;
}

/** Reads parts where whole texts are at hand anyway. */
export function partsOfTexts(
  readTexts: (
    pages: readonly PageIdentity[],
    signal?: AbortSignal,
  ) => Promise<readonly (PageIdentity & { readonly text: string })[]>,
): (pages: readonly PartWish[], size: PartSize, signal?: AbortSignal) => Promise<readonly PagePart[]> {
  return async (wishes, size, signal) => {
    const starts = new Map(wishes.map((wish) => [keyOf(wish), wish.start]));
    const pages = await readTexts(wishes, signal);
    return pages.map(({ teamId, url, text }) => ({
      teamId,
      url,
      text: partOf(text, starts.get(keyOf({ teamId, url })) ?? 0, size),
      contentId: text.trim(),
    }));
  };
}
