import { DEFAULT_LIMITS } from "../limits.ts";
import { collectFacts } from "../metadata/collect-facts.ts";
import { makeResolver } from "../metadata/read-links.ts";
import { readRole } from "./block-role.ts";
import { HINT_GROUPS } from "./class-hints.ts";
import type { HtmlInput } from "./extract-html.ts";
import { parsePage } from "./parse-page.ts";
import { FAR, landmarkDistance, placeDistance, type Container } from "./container.ts";
import { findBlocks } from "./text-blocks.ts";
import { writeMarkdown } from "./write-markdown.ts";
import type { KeptBlock } from "./write-text.ts";

/** A part of a page, as its elements and their names tell. */
export type PageSection = "header" | "navigation" | "banner" | "body" | "sidebar" | "footer";

/**
 * Everything a reader of the page sees, as Markdown, in runs of one section each and in the order of the page. Unlike
 * `extractHtml` it leaves nothing out, so it is for those who ask for more than the main text. Never throws.
 */
export function readSections(
  input: HtmlInput,
): readonly { readonly section: PageSection; readonly markdown: string }[] {
  const limits = input.limits ?? DEFAULT_LIMITS;
  const { root } = parsePage(input.html, limits, input.syntax);
  const resolve = makeResolver(input.url, collectFacts(root, limits).baseHref);
  const runs: { readonly section: PageSection; readonly blocks: KeptBlock[] }[] = [];
  for (const block of findBlocks(root, limits).blocks) {
    if (landmarkDistance(block.container, "hidden") < FAR) continue;
    const section = sectionOf(block.container);
    const last = runs.at(-1);
    const kept = { block, role: readRole(block) };
    if (last?.section === section) last.blocks.push(kept);
    else runs.push({ section, blocks: [kept] });
  }
  return runs.map(({ section, blocks }) => ({
    section,
    markdown: writeMarkdown(blocks, resolve, limits.maxTextChars),
  }));
}

/** By the nearest element that says; a heading of an article is body, that of the page is not. */
function sectionOf(container: Container): PageSection {
  const main = Math.min(landmarkDistance(container, "main"), landmarkDistance(container, "article"));
  const candidates: readonly (readonly [PageSection, number])[] = [
    ["navigation", landmarkDistance(container, "nav")],
    ["footer", landmarkDistance(container, "footer")],
    ["sidebar", landmarkDistance(container, "aside")],
    ["header", landmarkDistance(container, "header")],
    ["banner", hintDistance(container, "dialog")],
    ["banner", hintDistance(container, "promotion")],
  ];
  let found: readonly [PageSection, number] = ["body", Math.min(main, FAR)];
  for (const candidate of candidates) if (candidate[1] < found[1]) found = candidate;
  return found[0];
}

function hintDistance(container: Container, name: (typeof HINT_GROUPS)[number]): number {
  return placeDistance(container, HINT_GROUPS.indexOf(name));
}
