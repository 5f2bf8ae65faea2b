import { isUrl } from "@quarry/base";
import { decodeHTML } from "entities";
import type { PageKind } from "../html/page-kind-names.ts";
import { collapseSpaces, walkTree, type PageElement } from "../html/page-tree.ts";
import { metaValue, type PageFacts } from "./collect-facts.ts";
import { firstText, typesOf } from "./json-ld.ts";
import { addressName, readAddress, type PageAddress } from "./read-address.ts";
import { isSite, splitTitle, splitWholly, squeeze, stripSiteName } from "./strip-site-name.ts";

const MAX_TITLE_CHARS = 500;
const WRITTEN_TYPES = /article|posting|report|recipe|qapage|question|howto/i;
/** A heading of fewer words says too little to be preferred to a title that says something else. */
const SHORT_HEADING_WORDS = 3;
/** Kinds of page that are often called by more than their heading. */
const WIDELY_NAMED: ReadonlySet<PageKind> = new Set<PageKind>(["collection", "listing", "service"]);

/** What else is known of a page when its title is chosen. */
export interface TitleContext {
  readonly url: string;
  readonly siteName: string | undefined;
  readonly kind: PageKind;
}

/**
 * The title of what the page is about: its main heading when that agrees with the head of the page,
 * else the head's title without the name of the site.
 */
export function readTitle(facts: PageFacts, { url, siteName, kind }: TitleContext): string | undefined {
  const host = isUrl(url) ? new URL(url).hostname.replace(/^www\./, "") : "";
  const address = readAddress(url);
  const declared = withoutHome(
    facts.titleElement === "" ? (metaValue(facts, "og:title", "twitter:title") ?? "") : facts.titleElement,
  );
  const named = host !== "" && declared.startsWith(`${host} `) ? declared.slice(host.length + 1) : declared;
  const heads = [facts.titleElement, metaValue(facts, "og:title", "twitter:title") ?? "", writtenTitle(facts)].filter(
    (title) => title !== "",
  );
  const head = tidy(stripSiteName(named, siteName, host, metaValue(facts, "og:title")));
  const headIsSite = isSite(splitTitle(named)[0] ?? "", siteName, host);
  const heading = bestHeading(facts, heads, siteName, host) ?? secondHeading(facts, address);
  const isShortened =
    heading !== undefined &&
    WIDELY_NAMED.has(kind) &&
    !isSite(head.split(" ")[0] ?? "", siteName, host) &&
    isShortFor(heading, head, facts);
  const chosen =
    heading === undefined
      ? head
      : address.names.has(addressName(heading)) && !isShortened
        ? heading
        : headIsSite && isHome(url)
          ? head
          : (namedPart(heading, heads, address) ??
            chooseTitle(heading, head, heads, facts, { headIsSite, isShortened, kind }));
  const title = asTheHeadWrites(chosen, heads);
  return title === "" ? undefined : title.slice(0, MAX_TITLE_CHARS);
}

function chooseTitle(
  heading: string,
  head: string,
  heads: readonly string[],
  facts: PageFacts,
  { headIsSite, isShortened, kind }: { headIsSite: boolean; isShortened: boolean; kind: PageKind },
): string {
  if (head === "") return heading;
  const parts = heads.flatMap(partsOf);
  const own = squeeze(heading);
  if (!heads.some((title) => addsTo(squeeze(title), own))) {
    // the heading may go on with a date, a counter or a subtitle that the head does not have
    const shorter = [head, ...heads]
      .map(tidy)
      .filter((title) => countWords(title) >= SHORT_HEADING_WORDS && addsTo(own, squeeze(title)))
      .sort((one, other) => other.length - one.length)[0];
    if (shorter !== undefined) return shorter;
  }
  if (own === squeeze(facts.titleElement)) return head;
  if (parts.some((part) => squeeze(part) === own)) return heading;
  const words = wordsOf(heading);
  const headWords = wordsOf(heads.join(" "));
  const shared = [...words].filter((word) => headWords.has(word)).length / Math.max(1, words.size);
  const headOnly = [...wordsOf(head)].filter((word) => !words.has(word));
  if (headOnly.length === 0) return heading;
  if (words.size <= SHORT_HEADING_WORDS) return !isShortened && jaccard(words, wordsOf(head)) >= 0.6 ? heading : head;
  const isWritten =
    kind === "article" && (/article/.test(metaValue(facts, "og:type") ?? "") || writtenTitle(facts) !== "");
  return shared >= 0.5 || isWritten || headIsSite ? heading : head;
}

/** A heading in small letters may be one that a style sheet writes large: then as the head of the page writes it. */
function asTheHeadWrites(title: string, heads: readonly string[]): string {
  if (title !== title.toLowerCase()) return title;
  return heads.flatMap(partsOf).find((part) => part.toLowerCase() === title) ?? title;
}

/** A title, and its parts at the strongest of its separators and at all of them. */
function partsOf(title: string): readonly string[] {
  return [title, ...splitTitle(title), ...splitWholly(title)];
}

function addsTo(own: string, shorter: string): boolean {
  return own.startsWith(shorter) || own.endsWith(shorter);
}

/**
 * The part of a heading that the address calls the page by, without what the heading says before or after it; not where
 * the address says that too, nor a single word, which would say too little.
 */
function namedPart(heading: string, heads: readonly string[], address: PageAddress): string | undefined {
  if ([...wordsOf(heading)].every((word) => address.whole.includes(addressName(word)))) return undefined;
  const own = addressName(heading);
  return [heading, ...heads]
    .flatMap(partsOf)
    .map(tidy)
    .find((part) => countWords(part) > 1 && address.names.has(addressName(part)) && addsTo(own, addressName(part)));
}

/** Whether the heading is but a part of the name that both titles of the head give: "Design" of "Design courses". */
function isShortFor(heading: string, head: string, facts: PageFacts): boolean {
  const whole = squeeze(head);
  const words = wordsOf(head);
  return (
    squeeze(metaValue(facts, "og:title") ?? "").startsWith(whole) &&
    squeeze(facts.titleElement).startsWith(whole) &&
    [...wordsOf(heading)].every((word) => words.has(word))
  );
}

const HOME = /^(?:home ?page|home|welcome|start ?page|startseite|accueil|inicio)$/i;

/** A title that begins by saying "Home" says whose home it is in what follows. */
function withoutHome(title: string): string {
  const [lead = "", ...rest] = splitTitle(title);
  return HOME.test(lead.trim()) && rest.length > 0 ? title.slice(title.indexOf(rest[0] ?? "")) : title;
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
    if (title !== undefined) return collapseSpaces(decodeHTML(title.slice(0, MAX_HEADING_CHARS)));
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
    const text = withoutNumber(tidy(headingText(heading)), heads);
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

/** Without the number of a section ("3.1 Branches") that no title of the head has. */
function withoutNumber(heading: string, heads: readonly string[]): string {
  const number = /^\d+(?:\.\d+)+(?=\.?\s)/.exec(heading)?.[0] ?? "";
  return number === "" || heads.length === 0 || heads.some((head) => head.includes(number))
    ? heading
    : heading.slice(number.length).replace(/^\.?\s+/, "");
}

/** Where no first-level heading is about the page: one of the second level that the address ends in or asks for. */
function secondHeading(facts: PageFacts, { names }: PageAddress): string | undefined {
  return facts.headings
    .filter(({ tag }) => tag === "h2")
    .map((heading) => tidy(headingText(heading)))
    .find((text) => countWords(text) > 1 && names.has(addressName(text)));
}

/** With the white space between tags, of which there may be much more than text. */
const MAX_HEADING_CHARS = 10_000;
const SPACED_TAGS: ReadonlySet<string> = new Set(["br", "p", "div", "li"]);
const UNREAD_TAGS: ReadonlySet<string> = new Set(["script", "style", "button", "select", "template"]);
const LABEL_CLASS = /(?:^|\s)(?:label|badge)(?:\s|$)/;
const BUTTON_TEXT = /(?:(?<!\s)\s+)?(?:copy item path|copy link|permalink|edit this page)\s*$/i;

/** The text of a heading without the buttons, icons and labels that sites put into it. */
function headingText(heading: PageElement): string {
  const parts: string[] = [];
  let length = 0;
  walkTree(heading, (node) => {
    if (length > MAX_HEADING_CHARS) return false;
    if (node.kind === "text") {
      parts.push(node.data);
      length += node.data.length;
      return true;
    }
    if (SPACED_TAGS.has(node.tag)) parts.push(" ");
    return !UNREAD_TAGS.has(node.tag) && (node === heading || !LABEL_CLASS.test(node.attributes["class"] ?? ""));
  });
  const text = collapseSpaces(parts.join(""))
    .slice(0, MAX_TITLE_CHARS + 1)
    .replace(BUTTON_TEXT, "");
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
