import { HINT_GROUPS, readHints } from "./class-hints.ts";
import type { PageElement } from "./page-tree.ts";

/** Element names whose distance above a block tells something; see `Container.distances`. */
export const LANDMARK_TAGS = [
  "nav",
  "header",
  "footer",
  "aside",
  "main",
  "article",
  "section",
  "form",
  "table",
  "list",
  "dl",
  "figure",
  "blockquote",
  "details",
  "button",
  "heading",
  "hidden",
  "noscript",
] as const;

/** Further away than this counts as not there. */
export const FAR = 30;

/** Siblings of one tag and class. */
export interface Twins {
  count: number;
  chars: number;
  linkChars: number;
}

/** The children of a container by tag and first class; most containers have children of one kind, and need no map. */
export interface TwinGroups {
  readonly tag: string;
  readonly name: string;
  readonly twins: Twins;
  others: Map<string, Twins> | undefined;
}

const NO_TWINS: Twins = Object.freeze({ count: 0, chars: 0, linkChars: 0 });

/** A block-level element that holds text, with sums over all that is below it. */
export interface Container {
  readonly element: PageElement;
  readonly parent: Container | undefined;
  readonly depth: number;
  /** The depth of the nearest container of each hint group and landmark, shared with the parent where it is the same. */
  readonly nearest: readonly number[];
  /** The outermost article element around it, or itself. */
  readonly article: PageElement | undefined;
  /** How many of its siblings have the same tag and class, itself included, and what they hold together. */
  twins: Twins;
  /** The same of its children, as they are counted. */
  childTwins: TwinGroups | undefined;
  chars: number;
  linkChars: number;
  /** Characters in paragraphs: blocks of some length with few links. */
  paragraphChars: number;
  blockCount: number;
  /** Readability-like points given by the paragraphs close below. */
  points: number;
  headings: number;
}

const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const PLACE_COUNT = HINT_GROUPS.length + LANDMARK_TAGS.length;
const HIDDEN_PLACE = HINT_GROUPS.length + LANDMARK_TAGS.indexOf("hidden");
const NOWHERE = -FAR;
/** A plain list: typed ones of this length lie outside the heap, and a page makes thousands of them. */
const NOWHERE_NEAR: readonly number[] = Array.from({ length: PLACE_COUNT }, () => NOWHERE);

/** Opens the container of an element. `hintCache` remembers what names say: a page repeats its own over and over. */
export function makeContainer(
  element: PageElement,
  parent: Container | undefined,
  hintCache: Map<string, number>,
): Container {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  let nearest = parent?.nearest ?? NOWHERE_NEAR;
  const hints = hintsOf(element, hintCache);
  const landmark = landmarkOf(element);
  const hidden = isHidden(element);
  if (hints !== 0 || landmark >= 0 || hidden) {
    const own = nearest.slice();
    for (let group = 0, rest = hints; rest !== 0; group += 1, rest >>>= 1) if ((rest & 1) === 1) own[group] = depth;
    if (landmark >= 0) own[HINT_GROUPS.length + landmark] = depth;
    if (hidden) own[HIDDEN_PLACE] = depth;
    nearest = own;
  }
  return {
    element,
    parent,
    depth,
    nearest,
    article: parent?.article ?? (element.tag === "article" ? element : undefined),
    twins: NO_TWINS,
    childTwins: undefined,
    chars: 0,
    linkChars: 0,
    paragraphChars: 0,
    blockCount: 0,
    points: 0,
    headings: 0,
  };
}

function hintsOf({ attributes, tag }: PageElement, hintCache: Map<string, number>): number {
  const { class: className, id } = attributes;
  if ((className === undefined && id === undefined) || tag === "body" || tag === "html") return 0;
  return hintsOfName(className, hintCache) | hintsOfName(id, hintCache);
}

function hintsOfName(name: string | undefined, hintCache: Map<string, number>): number {
  if (name === undefined || name === "") return 0;
  let hints = hintCache.get(name);
  if (hints === undefined) hintCache.set(name, (hints = readHints(name)));
  return hints;
}

const LANDMARK_OF_TAG: ReadonlyMap<string, number> = new Map([
  ...LANDMARK_TAGS.map((tag, index): [string, number] => [tag, index]),
  ...["ul", "ol", "menu"].map((tag): [string, number] => [tag, LANDMARK_TAGS.indexOf("list")]),
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((tag): [string, number] => [tag, LANDMARK_TAGS.indexOf("heading")]),
]);

const LANDMARK_OF_ROLE: ReadonlyMap<string, number> = new Map([
  ["navigation", LANDMARK_TAGS.indexOf("nav")],
  ["menu", LANDMARK_TAGS.indexOf("nav")],
  ["menubar", LANDMARK_TAGS.indexOf("nav")],
  ["banner", LANDMARK_TAGS.indexOf("header")],
  ["contentinfo", LANDMARK_TAGS.indexOf("footer")],
  ["complementary", LANDMARK_TAGS.indexOf("aside")],
  ["main", LANDMARK_TAGS.indexOf("main")],
  ["article", LANDMARK_TAGS.indexOf("article")],
  ["form", LANDMARK_TAGS.indexOf("form")],
  ["search", LANDMARK_TAGS.indexOf("form")],
  ["button", LANDMARK_TAGS.indexOf("button")],
]);

function landmarkOf(element: PageElement): number {
  const role = element.attributes["role"];
  const byRole = role === undefined ? undefined : LANDMARK_OF_ROLE.get(role);
  return byRole ?? LANDMARK_OF_TAG.get(element.tag) ?? -1;
}

function isHidden({ attributes }: PageElement): boolean {
  if (attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true") return true;
  const style = attributes["style"];
  return style !== undefined && HIDDEN_STYLE.test(style);
}

/** How far above a container the nearest landmark of this name is; FAR when there is none. */
export function landmarkDistance(container: Container, name: (typeof LANDMARK_TAGS)[number]): number {
  return placeDistance(container, HINT_GROUPS.length + LANDMARK_TAGS.indexOf(name));
}

/** The same by place: hint groups come first, then landmarks, each in the order of its list. */
export function placeDistance({ depth, nearest }: Container, place: number): number {
  return Math.min(FAR, depth - (nearest[place] ?? NOWHERE));
}
