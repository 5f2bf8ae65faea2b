import { canonicalUrl, isSameSite } from "@quarry/crawl";
import { syntaxOfType } from "@quarry/extract";
import type { ReadPage, SnapshotStore } from "@quarry/ingest";
import type { ContentPage } from "./content-page.ts";

/** What finding subpages needs from outside. */
export interface SubpageDeps {
  readonly snapshots: Pick<SnapshotStore, "get">;
  readonly readPage: ReadPage;
}

/** Files that are no pages. */
const NO_PAGE = /\.(?:png|jpe?g|gif|webp|svg|ico|css|js|mjs|json|xml|zip|gz|mp[34]|webm|woff2?|ttf)$/i;

/**
 * The URLs of pages that a page links to on its own site, the wanted ones first: those whose address or link text has
 * one of the targets' words, then in the order of the page, its main text before its frame.
 */
export async function findSubpages(
  deps: SubpageDeps,
  page: ContentPage,
  wish: { readonly count: number; readonly targets: readonly string[] },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  const own = canonicalUrl(page.url);
  const add = (link: string, text: string): void => {
    const url = canonicalUrl(link, page.url);
    if (url === undefined || url === own || texts.has(url) || !isSameSite(url, page.url)) return;
    if (!NO_PAGE.test(new URL(url).pathname)) texts.set(url, text);
  };
  for (const { url, text } of page.details.links ?? []) add(url, text);
  const targets = wish.targets.map(plainWords).filter((target) => target !== "");
  const isWanted = (url: string): boolean => {
    const words = plainWords(`${decodeSafely(new URL(url).pathname)} ${texts.get(url) ?? ""}`);
    return targets.some((target) => words.includes(target));
  };
  // Links such as "About" stand in the frame, which is not kept: it is read again only when it is needed.
  const enough = [...texts.keys()].filter((url) => targets.length === 0 || isWanted(url)).length;
  if (enough < wish.count) for (const url of await readAllLinks(deps, page, signal)) add(url, "");
  const urls = [...texts.keys()];
  return [...urls.filter(isWanted), ...urls.filter((url) => !isWanted(url))].slice(0, wish.count);
}

async function readAllLinks(deps: SubpageDeps, page: ContentPage, signal: AbortSignal): Promise<readonly string[]> {
  if (syntaxOfType(page.mediaType) === undefined || page.snapshotId === null) return [];
  const bytes = await deps.snapshots.get(page.snapshotId);
  if (bytes === undefined) return [];
  const contentType = `${page.mediaType}${page.charset === null ? "" : `; charset=${page.charset}`}`;
  const content = { kind: "bytes", bytes, contentType } as const;
  const read = await deps.readPage({ url: page.url, content, now: page.readAt }, signal);
  return read.kind === "read" ? read.reading.links.map(({ url }) => url) : [];
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function decodeSafely(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a percent sign that stands for itself
  }
}
