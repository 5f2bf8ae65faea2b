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

/** A container that is something: a bit for each hint group and each landmark. Most containers are nothing by themselves. */
export interface Places {
  readonly above: Places | undefined;
  readonly depth: number;
  readonly hints: number;
  readonly landmarks: number;
}

/** A block-level element that holds text, with sums over all that is below it. */
export interface Container {
  readonly element: PageElement;
  readonly parent: Container | undefined;
  readonly depth: number;
  /** The nearest place around it, itself included; see `placeDistance`. */
  readonly places: Places | undefined;
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
const HIDDEN_BIT = 1 << LANDMARK_TAGS.indexOf("hidden");

/** Opens the container of an element. `hintCache` remembers what names say: a page repeats its own over and over. */
export function makeContainer(
  element: PageElement,
  parent: Container | undefined,
  hintCache: Map<string, number>,
): Container {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  const above = parent?.places;
  const hints = hintsOf(element, hintCache);
  const landmark = landmarkOf(element);
  const landmarks = (landmark < 0 ? 0 : 1 << landmark) | (isHidden(element) ? HIDDEN_BIT : 0);
  return {
    element,
    parent,
    depth,
    places: hints === 0 && landmarks === 0 ? above : { above, depth, hints, landmarks },
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
export function placeDistance({ depth, places }: Container, place: number): number {
  const isHint = place < HINT_GROUPS.length;
  const bit = isHint ? 1 << place : 1 << (place - HINT_GROUPS.length);
  for (let near = places; near !== undefined && depth - near.depth < FAR; near = near.above) {
    if (((isHint ? near.hints : near.landmarks) & bit) !== 0) return depth - near.depth;
  }
  return FAR;
}

/** The distances of all places at once, written into `row` from `at` on. */
export function putPlaceDistances({ depth, places }: Container, row: Float32Array, at: number): void {
  const firstLandmark = at + HINT_GROUPS.length;
  for (let place = at; place < firstLandmark + LANDMARK_TAGS.length; place += 1) row[place] = FAR;
  let hints = 0;
  let landmarks = 0;
  for (let near = places; near !== undefined && depth - near.depth < FAR; near = near.above) {
    const distance = depth - near.depth;
    for (let fresh = near.hints & ~hints; fresh !== 0; fresh &= fresh - 1) row[at + lowestBit(fresh)] = distance;
    for (let fresh = near.landmarks & ~landmarks; fresh !== 0; fresh &= fresh - 1)
      row[firstLandmark + lowestBit(fresh)] = distance;
    hints |= near.hints;
    landmarks |= near.landmarks;
  }
}

/** Which places are around a container, as bits: hint groups and landmarks. */
export function placesAround({ depth, places }: Container): { readonly hints: number; readonly landmarks: number } {
  let hints = 0;
  let landmarks = 0;
  for (let near = places; near !== undefined && depth - near.depth < FAR; near = near.above) {
    hints |= near.hints;
    landmarks |= near.landmarks;
  }
  return { hints, landmarks };
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}
