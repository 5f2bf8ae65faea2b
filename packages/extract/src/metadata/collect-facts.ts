import type { ExtractLimits } from "../limits.ts";
import { collapseSpaces, textOf, walkTree, type PageElement } from "../html/page-tree.ts";
import { parseJsonLd, type JsonLdItem } from "./json-ld.ts";

/** A `<meta>` or `<link>` with a name and a value; the name is in lower case. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** What a page says about itself, gathered in one walk and not yet weighed. */
export interface PageFacts {
  readonly titleElement: string;
  readonly language: string | undefined;
  readonly baseHref: string | undefined;
  readonly metas: readonly NamedValue[];
  readonly links: readonly (NamedValue & {
    readonly sizes: string;
    readonly type: string;
    readonly hreflang: string;
  })[];
  readonly jsonLd: readonly JsonLdItem[];
  readonly headings: readonly PageElement[];
  readonly times: readonly PageElement[];
  /** Elements whose class, rel or itemprop speaks of an author. */
  readonly bylines: readonly PageElement[];
  /** Elements whose class or itemprop speaks of a date. */
  readonly dateLines: readonly PageElement[];
  /** Elements with `itemscope` that are not inside another item's property. */
  readonly items: readonly PageElement[];
  /** Elements by id; empty unless an item names some by `itemref`. */
  readonly byId: ReadonlyMap<string, PageElement>;
  /** What leads to other pages: links, areas of image maps, frames, and a meta element that goes on by itself. */
  readonly anchors: readonly PageElement[];
  readonly images: readonly PageElement[];
  readonly limitsReached: readonly string[];
}

const BYLINE_NAME = /author|byline|\bby\b|writer|username|user-name|contributor|poster|creator/i;
const DATE_NAME = /date|time|publish|posted|created|byline|meta\b/i;
const MAX_CANDIDATES = 60;
const MAX_METAS = 400;
const MAX_META_CHARS = 10_000;
const MAX_IDS = 10_000;

/** Gathers everything metadata is read from; elements in document order. */
export function collectFacts(root: PageElement, limits: ExtractLimits): PageFacts {
  const metas: NamedValue[] = [];
  const links: PageFacts["links"][number][] = [];
  const scripts: string[] = [];
  const headings: PageElement[] = [];
  const times: PageElement[] = [];
  const bylines: PageElement[] = [];
  const dateLines: PageElement[] = [];
  const items: PageElement[] = [];
  const referring: PageElement[] = [];
  const anchors: PageElement[] = [];
  const images: PageElement[] = [];
  const limitsReached = new Set<string>();
  const kindOf = makeNameReader();
  let titleElement = "";
  let language: string | undefined;
  let baseHref: string | undefined;
  let scriptChars = 0;
  let svgDepth = 0;
  const addAnchor = (element: PageElement): void => {
    if (anchors.length < limits.maxLinks) anchors.push(element);
    else limitsReached.add("maxLinks");
  };

  walkTree(
    root,
    (node) => {
      if (node.kind === "text") return true;
      const { tag, attributes } = node;
      switch (tag) {
        case "html":
          language ??= attributes["lang"] ?? attributes["xml:lang"];
          break;
        case "title":
          if (titleElement === "" && svgDepth === 0) titleElement = textOf(node, 1_000);
          break;
        case "base":
          baseHref ??= attributes["href"];
          break;
        case "meta": {
          const name =
            attributes["property"] ?? attributes["name"] ?? attributes["itemprop"] ?? attributes["http-equiv"];
          const value = attributes["content"];
          if (attributes["http-equiv"]?.trim().toLowerCase() === "refresh") addAnchor(node);
          if (name !== undefined && value !== undefined && metas.length < MAX_METAS && !isOfReview(node)) {
            metas.push({ name: name.trim().toLowerCase(), value: collapseSpaces(value.slice(0, MAX_META_CHARS)) });
          }
          break;
        }
        case "link": {
          const { rel, href } = attributes;
          if (rel === undefined || href === undefined || links.length >= MAX_METAS) break;
          const { sizes = "", type = "", hreflang = "" } = attributes;
          links.push({ name: rel.toLowerCase(), value: href.trim(), sizes, type, hreflang });
          break;
        }
        case "script": {
          const text = node.children[0];
          if (!(attributes["type"] ?? "").toLowerCase().includes("ld+json") || text === undefined) return false;
          const json = node.children.map((child) => (child.kind === "text" ? child.data : "")).join("");
          scriptChars += json.length;
          if (scriptChars <= limits.maxStructuredChars) scripts.push(json);
          else limitsReached.add("maxStructuredChars");
          return false;
        }
        case "svg":
          svgDepth += 1;
          break;
        case "h1":
        case "h2":
          if (headings.length < MAX_CANDIDATES) headings.push(node);
          break;
        case "time":
          if (times.length < MAX_CANDIDATES) times.push(node);
          break;
        case "a":
        case "area":
          if (attributes["href"] !== undefined) addAnchor(node);
          break;
        case "frame":
        case "iframe":
          if (attributes["src"] !== undefined) addAnchor(node);
          break;
        case "img":
          if (images.length < limits.maxImages) images.push(node);
          else limitsReached.add("maxImages");
          break;
        default:
          break;
      }
      if (attributes["itemref"] !== undefined) referring.push(node);
      if (attributes["itemscope"] !== undefined && attributes["itemprop"] === undefined) {
        if (items.length < limits.maxStructuredItems) items.push(node);
        else limitsReached.add("maxStructuredItems");
      }
      const { class: className = "", id = "", itemprop = "", rel: relation = "" } = attributes;
      if (className === "" && id === "" && itemprop === "" && relation === "") return true;
      if (tag !== "body" && tag !== "html" && tag !== "meta" && tag !== "link") {
        const kind = kindOf(className) | kindOf(id) | kindOf(itemprop) | kindOf(relation);
        if ((kind & 1) === 1 && bylines.length < MAX_CANDIDATES) bylines.push(node);
        if (kind >= 2 && dateLines.length < MAX_CANDIDATES) dateLines.push(node);
      }
      return true;
    },
    (element) => {
      if (element.tag === "svg") svgDepth -= 1;
    },
  );
  return {
    titleElement,
    language,
    baseHref,
    metas,
    links,
    jsonLd: scripts.flatMap((json) => parseJsonLd(json)).slice(0, limits.maxStructuredItems),
    headings,
    times,
    bylines,
    dateLines,
    items,
    byId: referring.length > 0 ? collectIds(root) : new Map<string, PageElement>(),
    anchors,
    images,
    limitsReached: [...limitsReached],
  };
}

/** Tells of a name whether it speaks of an author (1), a date (2) or both (3); pages repeat their names over and over. */
function makeNameReader(): (name: string) => number {
  const known = new Map<string, number>();
  return (name) => {
    if (name === "") return 0;
    let kind = known.get(name);
    if (kind === undefined) {
      kind = Number(BYLINE_NAME.test(name)) + 2 * Number(DATE_NAME.test(name));
      known.set(name, kind);
    }
    return kind;
  };
}

function collectIds(root: PageElement): ReadonlyMap<string, PageElement> {
  const byId = new Map<string, PageElement>();
  walkTree(root, (node) => {
    const id = node.kind === "element" ? node.attributes["id"] : undefined;
    if (node.kind === "element" && id !== undefined && byId.size < MAX_IDS && !byId.has(id)) byId.set(id, node);
    return true;
  });
  return byId;
}

/** Whether a meta belongs to a review or a comment on the page, and says nothing about the page itself. */
function isOfReview(meta: PageElement): boolean {
  if (meta.attributes["itemprop"] === undefined) return false;
  for (let above = meta.parent; above !== undefined; above = above.parent) {
    const type = above.attributes["itemtype"];
    if (type !== undefined && /review|comment|answer|rating/i.test(type)) return true;
  }
  return false;
}

/** The first non-empty value of the metas with one of these names, in the order of the names. */
export function metaValue(facts: PageFacts, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = facts.metas.find((meta) => meta.name === name && meta.value !== "");
    if (found !== undefined) return found.value;
  }
  return undefined;
}
