import { collapseSpaces, textOf, type PageElement } from "../html/page-tree.ts";
import { metaValue, type PageFacts } from "./collect-facts.ts";
import { firstText, typesOf } from "./json-ld.ts";

const SEPARATORS = /\s+[|\-–—·•»:/\\]+\s+|\s*[|»]\s*|\s+::\s+|\s+:\s+/;
const ARTICLE_TYPES = /article|posting|report|recipe|product|qapage|question|howto|course|event|job/i;
const MAX_TITLE_CHARS = 500;

/**
 * The title of what the page is about: its main heading when that agrees with the head, else the head's
 * title without the name of the site.
 */
export function readTitle(facts: PageFacts, siteName: string | undefined): string | undefined {
  const ogTitle = metaValue(facts, "og:title", "twitter:title", "dc.title", "title");
  const head = [facts.titleElement, ogTitle ?? "", jsonLdTitle(facts) ?? ""].filter((title) => title !== "");
  const heading = bestHeading(facts, head, siteName);
  if (heading !== undefined) return heading;
  const plain = ogTitle ?? facts.titleElement;
  const cut = stripSite(plain, siteName, facts.titleElement, ogTitle);
  return cut === "" ? undefined : cut.slice(0, MAX_TITLE_CHARS);
}

function jsonLdTitle(facts: PageFacts): string | undefined {
  for (const item of facts.jsonLd) {
    if (!typesOf(item).some((type) => ARTICLE_TYPES.test(type))) continue;
    const title = firstText(item["headline"] ?? item["name"]);
    if (title !== undefined) return collapseSpaces(title);
  }
  return undefined;
}

/** The first-level heading that shares the most words with the head's titles; the first one when none does. */
function bestHeading(facts: PageFacts, head: readonly string[], siteName: string | undefined): string | undefined {
  const headWords = head.map((title) => wordsOf(title));
  let best: { readonly text: string; readonly score: number } | undefined;
  const first = facts.headings.filter((heading) => heading.tag === "h1");
  for (const [place, heading] of first.entries()) {
    const text = headingText(heading);
    if (text === "" || text.length > MAX_TITLE_CHARS) continue;
    const own = wordsOf(text);
    if (own.size === 0) continue;
    const agreement = Math.max(0, ...headWords.map((words) => overlap(own, words)));
    const isSite = siteName !== undefined && sameText(text, siteName) && first.length > 1;
    const inside = isInside(heading, "header", "nav", "footer", "aside") && !isInside(heading, "article", "main");
    const score =
      agreement - (isSite ? 1 : 0) - (inside ? 0.15 : 0) - place * 0.05 - (isHiddenHeading(heading) ? 0.3 : 0);
    if (best === undefined || score > best.score) best = { text, score };
  }
  if (best !== undefined && (best.score >= 0.2 || first.length === 1)) return best.text;
  return undefined;
}

/** The text of a heading without the anchors that documentation adds to it. */
function headingText(heading: PageElement): string {
  return textOf(heading, MAX_TITLE_CHARS + 1)
    .replace(/\s*[¶§#🔗]+$/u, "")
    .trim();
}

function stripSite(
  title: string,
  siteName: string | undefined,
  titleElement: string,
  ogTitle: string | undefined,
): string {
  const text = collapseSpaces(title);
  // a title element that only adds the site to og:title shows that og:title has none
  if (ogTitle !== undefined && titleElement.length > ogTitle.length && titleElement.startsWith(ogTitle)) return text;
  const parts = text.split(SEPARATORS);
  if (parts.length < 2) return text;
  if (siteName !== undefined) {
    const last = parts.at(-1) ?? "";
    if (isSiteName(last, siteName)) return text.slice(0, text.lastIndexOf(last)).replace(/[\s|\-–—·•»:/\\]+$/, "");
    const first = parts[0] ?? "";
    if (isSiteName(first, siteName)) return text.slice(first.length).replace(/^[\s|\-–—·•»:/\\]+/, "");
  }
  const lead = parts[0] ?? "";
  return wordsOf(lead).size >= 3 || lead.length >= 12 ? lead : text;
}

function isSiteName(part: string, siteName: string): boolean {
  const squeeze = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const [one, other] = [squeeze(part), squeeze(siteName)];
  return one !== "" && other !== "" && (one === other || other.includes(one) || one.includes(other));
}

function isInside(element: PageElement, ...tags: readonly string[]): boolean {
  for (let above = element.parent; above !== undefined; above = above.parent) if (tags.includes(above.tag)) return true;
  return false;
}

function isHiddenHeading({ attributes }: PageElement): boolean {
  return /hidden|sr-only|screen-reader|visually/i.test(attributes["class"] ?? "");
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** The share of the smaller set's words that the other one has, mostly of the first. */
function overlap(own: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of own) if (other.has(word)) shared += 1;
  return own.size === 0 || other.size === 0 ? 0 : shared / Math.max(1, Math.min(own.size, other.size));
}
