import type { SearchResult } from "@quarry/contract";
import type { ContentPage } from "./content-page.ts";
import type { ExtrasPlan } from "./contents-plan.ts";

/** The extras of a page; a kind of which none was asked for is absent. */
export function readExtras(page: ContentPage, plan: ExtrasPlan): NonNullable<SearchResult["extras"]> {
  const { links = [], imageLinks = [], codeBlocks = [] } = page.details;
  const distinctLinks = distinctByUrl(links);
  const distinctImages = distinctByUrl(imageLinks);
  return {
    ...(plan.links > 0 && { links: distinctLinks.slice(0, plan.links).map(({ url }) => url) }),
    ...(plan.imageLinks > 0 && { imageLinks: distinctImages.slice(0, plan.imageLinks).map(({ url }) => url) }),
    ...(plan.richLinks > 0 && {
      richLinks: distinctLinks.slice(0, plan.richLinks).map(({ url, text }) => ({ url, anchor: text })),
    }),
    ...(plan.richImageLinks > 0 && {
      richImageLinks: distinctImages.slice(0, plan.richImageLinks).map(({ url, alt }) => ({ url, alt })),
    }),
    ...(plan.codeBlocks > 0 && {
      codeBlocks: codeBlocks.slice(0, plan.codeBlocks).map(({ text, language }) => ({ text, source: language })),
    }),
  };
}

function distinctByUrl<T extends { readonly url: string }>(entries: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return entries.filter(({ url }) => !seen.has(url) && seen.add(url));
}
