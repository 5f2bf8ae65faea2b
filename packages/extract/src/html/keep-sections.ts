import { isContact } from "../metadata/read-links.ts";
import { HINT_GROUPS } from "./class-hints.ts";
import { landmarkDistance, placeDistance, type Container, type LANDMARK_TAGS } from "./container.ts";
import { SURE_KIND, type PageKindGuess } from "./page-kind.ts";
import { headingLevelOf } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";
import type { PageBlocks } from "./text-blocks.ts";
import { PHRASE_GROUPS } from "./text-shape.ts";

/** Up to how many elements a heading and the text it announces may each lie below the one around both. */
const MAX_WRAPPERS = 5;
/** The share of the selected text that the trunk holds. */
const TRUNK_SHARE = 0.9;
/** What a block must be worth to join the text around it, by the model, which gives short ones little. */
const MIN_CHANCE = 0.2;
/** The same of the boxes that manuals set off from their text, which are named like the margins of other pages. */
const MIN_BOX_CHANCE = 0.3;
/** A line that is a link, between two paragraphs. */
const MIN_LINK_LINE_CHANCE = 0.45;
/** What a manual refers to, below a heading that was kept. */
const MIN_LINKS_CHANCE = 0.05;
/** A part of a page of short parts: navigation and footers that do not say what they are get less. */
const MIN_PART_CHANCE = 0.03;

type Landmark = (typeof LANDMARK_TAGS)[number];
const ASIDE_TAGS: readonly Landmark[] = ["nav", "aside", "footer", "form", "header", "button", "hidden"];
const ASIDE_HINTS = placesOf("comment", "navigation", "footer", "social", "promotion", "related", "filter", "dialog");
const MARGIN_HINTS = placesOf("author", "meta");
const SIDEBAR_HINTS = placesOf("sidebar");
const MEDIA_HINTS = placesOf("media");
/** Longer texts than these are told from others well enough by the model. */
const MAX_PART_CHARS = 120;
const ELSEWHERE_PHRASES = phrasesOf("comment", "advertisement", "related");
const DATED_PHRASES = phrasesOf("posted");
/** How manuals call what they refer to, which reads like what leads elsewhere. */
const SEE_ALSO = /^see also\W*$/i;

interface SectionOptions {
  readonly chances: Float64Array;
  readonly guess: PageKindGuess;
  /** Whether the page calls itself an article. */
  readonly isDeclared: boolean;
}

/**
 * The selection, completed by what its structure asks for. The cut weighs characters, so that short blocks lose: headings
 * between the texts, the line below a heading that was kept, paragraphs amid others, and on pages made of short parts
 * (a team, prices, facts) most of the page. Pages of many bets, such as threads, shops and lists, stay as they are.
 */
export function keepSections(
  { blocks, containers }: PageBlocks,
  selected: readonly boolean[],
  { chances, guess, isDeclared }: SectionOptions,
): readonly boolean[] {
  const { kind } = guess;
  const kept = [...selected];
  if (kind !== "article" && kind !== "documentation" && kind !== "service") return kept;
  const trunk = findTrunk(blocks, containers, selected);
  if (trunk === undefined) return kept;
  const isSure = guess.chance >= SURE_KIND;
  const isManual = kind === "documentation" || (kind === "article" && !isDeclared) || (kind === "service" && !isSure);
  const isOfParts = kind === "service" || (kind === "article" && !isDeclared && !isSure);
  if (isOfParts) keepParts(blocks, kept, { chances, region: regionOf(trunk) });
  if (isManual)
    keepTextAmid(blocks, kept, {
      chances,
      trunk,
      hasCaptions: kind !== "article",
      isSure: isSure && kind === "article",
    });
  keepBelowHeadings(blocks, kept, { chances, isManual });
  keepHeadings(blocks, kept);
  return kept;
}

/** The smallest container that holds most of the selected text. */
function findTrunk(
  blocks: readonly TextBlock[],
  containers: readonly Container[],
  selected: readonly boolean[],
): Container | undefined {
  const sums = new Map<Container, number>();
  let all = 0;
  for (const { container, index, text } of blocks) {
    if (selected[index] !== true) continue;
    sums.set(container, (sums.get(container) ?? 0) + text.length);
    all += text.length;
  }
  // children come after their parents: the first that is large enough, in reverse, is the smallest
  for (let index = containers.length - 1; index >= 0 && all > 0; index -= 1) {
    const container = containers[index];
    const sum = container === undefined ? undefined : sums.get(container);
    if (container === undefined || sum === undefined) continue;
    if (sum >= TRUNK_SHARE * all) return container;
    if (container.parent !== undefined) sums.set(container.parent, (sums.get(container.parent) ?? 0) + sum);
  }
  return undefined;
}

/** Where the parts of a page stand: its main element, else all of it. */
function regionOf(trunk: Container): Container {
  let region = trunk;
  for (let at: Container | undefined = trunk; at !== undefined; at = at.parent) {
    region = at;
    if (landmarkDistance(at, "main") === 0) return at;
  }
  return region;
}

interface PartsOptions {
  readonly chances: Float64Array;
  readonly region: Container;
}

/** Keeps the short parts of a page but for its title, which is known apart. */
function keepParts(blocks: readonly TextBlock[], kept: boolean[], { chances, region }: PartsOptions): void {
  for (const block of blocks) {
    const { container, index } = block;
    if (kept[index] === true || block.text.length > MAX_PART_CHARS || headingOf(block) === 1) continue;
    if ((chances[index] ?? 0) < MIN_PART_CHANCE || callsElsewhere(block)) continue;
    if ((block.phrases & DATED_PHRASES) !== 0 && /\d/.test(block.text)) continue;
    if (isWithin(container, region) && !leadsElsewhere(block) && !isAside(container, region, ASIDE_HINTS))
      kept[index] = true;
  }
}

interface AmidOptions {
  readonly chances: Float64Array;
  readonly trunk: Container;
  readonly hasCaptions: boolean;
  /** Whether the page is an article for sure: what follows its text is other pages. */
  readonly isSure: boolean;
}

/** Keeps what stands in the trunk between two texts that are kept. */
function keepTextAmid(
  blocks: readonly TextBlock[],
  kept: boolean[],
  { chances, trunk, hasCaptions, isSure }: AmidOptions,
): void {
  const hints = [...ASIDE_HINTS, ...MARGIN_HINTS, ...(hasCaptions ? [] : MEDIA_HINTS)];
  const first = kept.indexOf(true);
  const last = isSure ? kept.lastIndexOf(true) : blocks.length;
  const title = blocks.slice(0, first).findLast(({ container }) => container.element.tag === "h1");
  const lead = title === undefined ? trunk : aroundBoth(title.container, trunk);
  for (const block of blocks.slice((title?.index ?? first) + 1, last)) {
    const { container, index } = block;
    const around = index < first ? lead : trunk;
    const chance = chances[index] ?? 0;
    if (kept[index] === true || chance < (leadsElsewhere(block) ? MIN_LINK_LINE_CHANCE : MIN_CHANCE)) continue;
    if (callsElsewhere(block) && block.text.length < MAX_PART_CHARS) continue;
    if (!isWithin(container, around) || isAside(container, around, hints)) continue;
    if (chance < MIN_BOX_CHANCE && isAside(container, around, SIDEBAR_HINTS)) continue;
    if (!hasCaptions && landmarkDistance(container, "figure") < container.depth - around.depth) continue;
    kept[index] = true;
  }
}

/** Keeps what stands right below a kept heading of whose section nothing else is kept. */
function keepBelowHeadings(
  blocks: readonly TextBlock[],
  kept: boolean[],
  { chances, isManual }: { readonly chances: Float64Array; readonly isManual: boolean },
): void {
  for (const heading of blocks) {
    if (kept[heading.index] !== true || headingOf(heading) === 0) continue;
    let end = heading.index + 1;
    let isEmpty = true;
    for (; end < blocks.length && isEmpty; end += 1) {
      const block = blocks[end];
      if (block === undefined || headingOf(block) > 0) break;
      isEmpty = kept[end] !== true;
    }
    if (!isEmpty) continue;
    for (const block of blocks.slice(heading.index + 1, end)) {
      const around = wrapperOf(heading.container, block.container);
      const chance = chances[block.index] ?? 0;
      if (around === undefined || chance < MIN_PART_CHANCE) break;
      if (!isManual && block.text.length > MAX_PART_CHARS && chance < MIN_CHANCE) break;
      // manuals end on "see also"
      if (leadsElsewhere(block) && !((isManual || SEE_ALSO.test(heading.text)) && chance >= MIN_LINKS_CHANCE)) break;
      if (isAside(block.container, around, ASIDE_HINTS)) break;
      kept[block.index] = true;
    }
  }
}

/** Keeps a heading whose text is kept; the title of the page, which is known apart, is its own bet. */
function keepHeadings(blocks: readonly TextBlock[], kept: boolean[]): void {
  for (let index = blocks.length - 2; index >= 0; index -= 1) {
    const heading = blocks[index];
    const next = blocks[index + 1];
    if (heading === undefined || next === undefined || kept[index] === true || kept[index + 1] !== true) continue;
    const level = headingOf(heading);
    const nextLevel = headingOf(next);
    if (level < 2 || (nextLevel > 0 && nextLevel <= level)) continue;
    const around = wrapperOf(heading.container, next.container);
    if (
      around !== undefined &&
      !callsElsewhere(heading) &&
      !leadsElsewhere(heading) &&
      !isAside(heading.container, around, ASIDE_HINTS)
    )
      kept[index] = true;
  }
}

function headingOf({ container }: TextBlock): number {
  return headingLevelOf(container.element.tag) || headingLevelOf(container.parent?.element.tag ?? "");
}

/** The element around both, when it is close around the one and the other. */
function wrapperOf(heading: Container, block: Container): Container | undefined {
  let around: Container | undefined = heading;
  for (let climb = 0; around !== undefined && climb <= MAX_WRAPPERS; climb += 1, around = around.parent)
    if (isWithin(block, around)) return block.depth - around.depth <= MAX_WRAPPERS ? around : undefined;
  return undefined;
}

function aroundBoth(one: Container, other: Container): Container {
  let around = one;
  while (around.parent !== undefined && !isWithin(other, around)) around = around.parent;
  return around;
}

function isWithin({ element }: Container, { element: around }: Container): boolean {
  return element.start >= around.start && element.end <= around.end;
}

/** Whether most of a block is links to other pages; an address to write to or to call is a fact of this one. */
function leadsElsewhere(block: TextBlock): boolean {
  if (block.linkChars * 2 <= block.text.length) return false;
  return !block.nodes.some(({ parent }) => {
    for (let at = parent; at !== undefined && at !== block.container.element; at = at.parent)
      if (at.tag === "a") return isContact(at.attributes["href"] ?? "");
    return false;
  });
}

/** Whether something between a block and the element around it says that it is no part of the text. */
function isAside(container: Container, around: Container, hints: readonly number[]): boolean {
  // a heading is often named after its own words
  if (headingLevelOf(container.element.tag) > 0 && container.parent !== undefined && container !== around)
    return isAside(container.parent, around, hints);
  const levels = container.depth - around.depth;
  return (
    ASIDE_TAGS.some((name) => landmarkDistance(container, name) < levels) ||
    hints.some((place) => placeDistance(container, place) < levels)
  );
}

/** Whether the words of a short block announce comments, advertisements or other pages. */
function callsElsewhere({ phrases, text }: TextBlock): boolean {
  return (phrases & ELSEWHERE_PHRASES) !== 0 && !SEE_ALSO.test(text);
}

function phrasesOf(...firsts: readonly string[]): number {
  return PHRASE_GROUPS.reduce((mask, [first], group) => (firsts.includes(first ?? "") ? mask | (1 << group) : mask), 0);
}

function placesOf(...names: readonly (typeof HINT_GROUPS)[number][]): readonly number[] {
  return names.map((name) => HINT_GROUPS.indexOf(name));
}
