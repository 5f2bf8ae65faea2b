import { isUrl } from "@quarry/base";
import { collapseSpaces, textOf, type PageElement } from "../html/page-tree.ts";

/** A link of the page. */
export interface PageLink {
  readonly url: string;
  readonly text: string;
  /** Whether it stands in the main content. */
  readonly inMain: boolean;
  /** Whether the page asks robots not to follow it. */
  readonly nofollow: boolean;
}

/** An image of the page. */
export interface PageImage {
  readonly url: string;
  readonly alt: string;
  readonly inMain: boolean;
}

/** A range of the source that holds main content. */
export interface MainRange {
  readonly start: number;
  readonly end: number;
}

const MAX_LINK_TEXT_CHARS = 300;

/** Makes addresses absolute: http and https only, remembered since pages repeat theirs. */
export function makeResolver(url: string, baseHref: string | undefined): (href: string) => string | undefined {
  const base = baseHref !== undefined && isUrl(baseHref, url) ? new URL(baseHref, url).href : url;
  const origin = isUrl(base) && /^https?:/i.test(base) ? new URL(base).origin : undefined;
  const known = new Map<string, string | undefined>();
  return (href) => {
    if (known.has(href)) return known.get(href);
    const trimmed = href.trim();
    const isPath = origin !== undefined && PLAIN_PATH.test(trimmed);
    const isPlain = (isPath || PLAIN_ADDRESS.test(trimmed)) && !DOT_PART.test(trimmed);
    const resolved = !isPlain ? resolveFully(trimmed, base) : isPath ? origin + trimmed : trimmed;
    known.set(href, resolved);
    return resolved;
  };
}

/** A path that needs no rewriting, as most links of a page are: parsing each as a URL would cost as much as the rest. */
const PLAIN_PATH = /^\/(?!\/)[\w\-.~/%&=+;:@,!?]*$/;
/** The same of a whole address: a host of small letters that is neither a number nor in Punycode. */
const PLAIN_ADDRESS = /^https?:\/\/(?:(?!xn--)[a-z0-9][a-z0-9-]*\.)+(?!xn--)[a-z]{2,24}\/[\w\-.~/%&=+;:@,!?]*$/;
const DOT_PART = /\/(?:\.|%2e)/i;

function resolveFully(href: string, base: string): string | undefined {
  if (href === "" || /^(?:#|javascript:|mailto:|tel:|data:|blob:)/i.test(href)) return undefined;
  if (!isUrl(href, base)) return undefined;
  const { protocol, href: absolute } = new URL(href, base);
  return protocol === "http:" || protocol === "https:" ? absolute : undefined;
}

/** An address to write to or to call, without what a mail would say. */
const CONTACT = /^\s*(mailto:[^\s?<>()]{3,320}|tel:\+?[\d\s().-]{3,40})/i;

/** Whether a link is to write or to call, rather than to another page. */
export function isContact(href: string): boolean {
  return CONTACT.test(href);
}

/** The resolver of a page for its Markdown, where people may be written to and called. */
export function withContacts(resolve: (href: string) => string | undefined): (href: string) => string | undefined {
  return (href) => resolve(href) ?? CONTACT.exec(href)?.[1]?.trim();
}

/** Where the main content of a page is. */
export interface MainContent {
  readonly isMain: (position: number) => boolean;
  /** Whether any of it begins in a range of the source. */
  readonly beginsIn: (range: MainRange) => boolean;
}

/** The links of a page, each address once; main content first decides `inMain`. */
export function readLinks(
  anchors: readonly PageElement[],
  resolve: (href: string) => string | undefined,
  main: MainContent,
): readonly PageLink[] {
  const links = new Map<string, PageLink>();
  for (const anchor of anchors) {
    const url = resolve(addressOf(anchor));
    if (url === undefined) continue;
    const inMain = anchor.tag === "a" && (main.isMain(anchor.start) || isBesideMain(anchor, url, main));
    const known = links.get(url);
    if (known !== undefined && (known.inMain || !inMain) && known.text !== "") continue;
    const text =
      textOf(anchor, MAX_LINK_TEXT_CHARS) ||
      collapseSpaces(anchor.attributes["title"] ?? anchor.attributes["aria-label"] ?? anchor.attributes["alt"] ?? "");
    const nofollow = /\bnofollow\b/i.test(anchor.attributes["rel"] ?? "");
    links.set(url, {
      url,
      text: text === "" ? (known?.text ?? "") : text,
      inMain: inMain || (known?.inMain ?? false),
      nofollow,
    });
  }
  return [...links.values()];
}

/** How far above a link without words the text may be that it belongs to. */
const MAX_CLIMB = 3;
const NOT_MAIN_TAGS: ReadonlySet<string> = new Set(["nav", "header", "footer", "aside", "form", "body", "html"]);
const SHARES = /shar(?:e|ing)|\/intent\/|[?&](?:u|url|text)=/i;

/** Whether a link without words, such as the sign of a network, stands beside main content; links to share it do not count. */
function isBesideMain(anchor: PageElement, url: string, { beginsIn }: MainContent): boolean {
  if (SHARES.test(url) || textOf(anchor, 1) !== "" || hasPicture(anchor)) return false;
  let around = anchor.parent;
  for (let climb = 0; around !== undefined && climb < MAX_CLIMB; climb += 1, around = around.parent) {
    if (NOT_MAIN_TAGS.has(around.tag) || SHARES.test(around.attributes["class"] ?? "")) return false;
    if (beginsIn(around)) return true;
  }
  return false;
}

/** A picture that is a link leads to what it shows, which has its words elsewhere. */
function hasPicture({ children }: PageElement): boolean {
  return children.some((child) => child.kind === "element" && (child.tag === "img" || child.tag === "picture"));
}

function addressOf({ tag, attributes }: PageElement): string {
  if (tag === "meta") {
    const content = (attributes["content"] ?? "").trim().slice(0, MAX_REFRESH_CHARS);
    return REFRESH.exec(content)?.[1]?.trim() ?? "";
  }
  return attributes[tag === "frame" || tag === "iframe" ? "src" : "href"] ?? "";
}

/** What is longer leads nowhere. */
const MAX_REFRESH_CHARS = 10_000;
/** `5; url='next.html'`, as browsers read it; without an address the page only loads itself again. */
const REFRESH = /^[\d.]*[\s;,]+url\s*=\s*["']?([^"']*)/i;

/** The images of a page, each address once. */
export function readImages(
  images: readonly PageElement[],
  resolve: (href: string) => string | undefined,
  isMain: (position: number) => boolean,
): readonly PageImage[] {
  const found = new Map<string, PageImage>();
  for (const image of images) {
    const { attributes } = image;
    const lazy = attributes["data-src"];
    const source = lazy ?? attributes["src"] ?? firstOfSet(attributes["srcset"]);
    const url = source === undefined ? undefined : resolve(source);
    if (url === undefined || found.has(url)) continue;
    found.set(url, { url, alt: collapseSpaces(attributes["alt"] ?? ""), inMain: isMain(image.start) });
  }
  return [...found.values()];
}

/** Tells whether a position lies between the first and the last kept block of its neighbourhood. */
export function makeMainTest(ranges: readonly MainRange[]): (position: number) => boolean {
  const starts = ranges.map(({ start }) => start);
  return (position) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low - 1];
    return range !== undefined && position < range.end;
  };
}

/** Tells whether a main range begins in another; the main ones are in the order of the source. */
export function makeBeginTest(ranges: readonly MainRange[]): (range: MainRange) => boolean {
  const starts = ranges.map(({ start }) => start);
  return ({ start, end }) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return (starts[low] ?? end) < end;
  };
}

function firstOfSet(srcset: string | undefined): string | undefined {
  return srcset?.split(",", 1)[0]?.trim().split(/\s/, 1)[0];
}
