import { isUrl } from "@quarry/base";
import { collapseSpaces, textOf, type PageElement } from "../html/page-tree.ts";
import { metaValue, type PageFacts } from "./collect-facts.ts";
import { firstText, typesOf } from "./json-ld.ts";
import { isSite, splitTitle, splitWholly, squeeze, stripSiteName } from "./strip-site-name.ts";

const MAX_TITLE_CHARS = 500;
const WRITTEN_TYPES = /article|posting|report|recipe|qapage|question|howto/i;
/** A heading of fewer words says too little to be preferred to a title that says something else. */
const SHORT_HEADING_WORDS = 3;

/**
 * The title of what the page is about: its main heading when that agrees with the head of the page,
 * else the head's title without the name of the site.
 */
export function readTitle(facts: PageFacts, siteName: string | undefined, url: string): string | undefined {
  const host = isUrl(url) ? new URL(url).hostname.replace(/^www\./, "") : "";
  const declared =
    facts.titleElement === "" ? (metaValue(facts, "og:title", "twitter:title") ?? "") : facts.titleElement;
  const named = host !== "" && declared.startsWith(`${host} `) ? declared.slice(host.length + 1) : declared;
  const heads = [facts.titleElement, metaValue(facts, "og:title", "twitter:title") ?? "", writtenTitle(facts)].filter(
    (title) => title !== "",
  );
  const head = tidy(stripSiteName(named, siteName, host, metaValue(facts, "og:title")));
  const headIsSite = isSite(splitTitle(named)[0] ?? "", siteName, host);
  const heading = bestHeading(facts, heads, siteName, host);
  const chosen =
    heading === undefined
      ? head
      : isSlug(heading, url)
        ? heading
        : headIsSite && isHome(url)
          ? head
          : chooseTitle(heading, head, heads, facts, headIsSite);
  return chosen === "" ? undefined : chosen.slice(0, MAX_TITLE_CHARS);
}

function chooseTitle(
  heading: string,
  head: string,
  heads: readonly string[],
  facts: PageFacts,
  headIsSite: boolean,
): string {
  if (head === "") return heading;
  const parts = heads.flatMap((title) => [title, ...splitTitle(title), ...splitWholly(title)]);
  const own = squeeze(heading);
  // the heading may go on with a date, a counter or a subtitle that the head does not have
  const shorter = [head, ...heads]
    .map(tidy)
    .filter(
      (title) => countWords(title) >= SHORT_HEADING_WORDS && own !== squeeze(title) && addsTo(own, squeeze(title)),
    )
    .sort((one, other) => other.length - one.length)[0];
  if (shorter !== undefined) return shorter;
  if (own === squeeze(facts.titleElement)) return head;
  if (parts.some((part) => squeeze(part) === own)) return heading;
  const words = wordsOf(heading);
  const headWords = wordsOf(heads.join(" "));
  const shared = [...words].filter((word) => headWords.has(word)).length / Math.max(1, words.size);
  const headOnly = [...wordsOf(head)].filter((word) => !words.has(word));
  if (headOnly.length === 0) return heading;
  if (words.size <= SHORT_HEADING_WORDS) return jaccard(words, wordsOf(head)) >= 0.6 ? heading : head;
  const isWritten = /article/.test(metaValue(facts, "og:type") ?? "") || writtenTitle(facts) !== "";
  return shared >= 0.5 || isWritten || headIsSite ? heading : head;
}

function addsTo(own: string, shorter: string): boolean {
  return own.startsWith(shorter) || own.endsWith(shorter);
}

/** Whether the address ends in the heading: then the site itself calls the page so, however its head praises it. */
function isSlug(heading: string, url: string): boolean {
  const last =
    url
      .replace(/^[a-z]+:\/\/[^/]*|[?#].*$|(?<!\/)\/+(?=$|[?#])/gis, "")
      .split("/")
      .at(-1) ?? "";
  const slug = squeeze(last.replace(/\.[a-z]{2,5}$/i, ""));
  return slug !== "" && slug === squeeze(heading);
}

/** A home page is about its site, so its title may well begin with the site's name. */
function isHome(url: string): boolean {
  return isUrl(url) && new URL(url).pathname === "/";
}

/** The headline in the structured data of something written; empty when there is none. */
function writtenTitle(facts: PageFacts): string {
  for (const item of facts.jsonLd) {
    if (!typesOf(item).some((type) => WRITTEN_TYPES.test(type))) continue;
    const title = firstText(item["headline"] ?? item["name"]);
    if (title !== undefined) return collapseSpaces(title);
  }
  return "";
}

/** The first-level heading that agrees best with the head's titles and is not the name of the site. */
function bestHeading(
  facts: PageFacts,
  heads: readonly string[],
  siteName: string | undefined,
  host: string,
): string | undefined {
  const headWords = heads.map(wordsOf);
  const titleParts = splitWholly(facts.titleElement);
  const siteParts = new Set(
    [siteName ?? "", host, titleParts.length > 1 ? (titleParts.at(-1) ?? "") : ""]
      .map(squeeze)
      .filter((part) => part !== ""),
  );
  let best: { readonly text: string; readonly score: number } | undefined;
  for (const [place, heading] of facts.headings.filter(({ tag }) => tag === "h1").entries()) {
    const text = tidy(headingText(heading));
    const own = wordsOf(text);
    if (own.size === 0 || text.length > MAX_TITLE_CHARS || text.includes("{{") || siteParts.has(squeeze(text)))
      continue;
    const agreement = Math.max(0, ...headWords.map((words) => overlap(own, words)));
    const outside = isInside(heading, "header", "nav", "footer", "aside") && !isInside(heading, "article", "main");
    const score = agreement - (outside ? 0.15 : 0) - place * 0.05 - (isHidden(heading) ? 0.3 : 0);
    if (best === undefined || score > best.score) best = { text, score };
  }
  return best?.text;
}

const BUTTON_TEXT = /(?:(?<!\s)\s+)?(?:copy item path|copy link|permalink|edit this page)\s*$/i;

/** The text of a heading without the anchors and buttons that documentation adds to it. */
function headingText(heading: PageElement): string {
  const text = textOf(heading, MAX_TITLE_CHARS + 1).replace(BUTTON_TEXT, "");
  const half = text.slice(0, Math.floor(text.length / 2)).trim();
  return half !== "" && text === `${half} ${half}` ? half : text;
}

function tidy(title: string): string {
  return collapseSpaces(title.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")).replace(
    /(?:(?<!\s)\s+|(?<![\s¶§#]))[¶§#]+$/u,
    "",
  );
}

function isInside(element: PageElement, ...tags: readonly string[]): boolean {
  for (let above = element.parent; above !== undefined; above = above.parent) if (tags.includes(above.tag)) return true;
  return false;
}

function isHidden({ attributes }: PageElement): boolean {
  return /hidden|sr-only|screen-reader|visually/i.test(attributes["class"] ?? "");
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}

/** The share of the smaller set that both have. */
function overlap(own: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...own].filter((word) => other.has(word)).length;
  return shared / Math.max(1, Math.min(own.size, other.size));
}

function jaccard(own: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...own].filter((word) => other.has(word)).length;
  return shared / Math.max(1, own.size + other.size - shared);
}
