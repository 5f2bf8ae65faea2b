import { HINT_GROUPS } from "./class-hints.ts";
import { SIGNAL_NAMES, type PageSignals } from "./page-signals.ts";
import { FAR, LANDMARK_TAGS, placeDistance, putPlaceDistances, type Container, type Twins } from "./container.ts";
import { stepsToTop, sumPage, TRUNK_SHARES } from "./page-totals.ts";
import { headingLevelOf } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";
import type { PageBlocks } from "./text-blocks.ts";
import { makeWordTest, shareOfWords } from "./share-of-words.ts";
import { PHRASE_GROUPS, readShape } from "./text-shape.ts";

const ANCESTOR_LEVELS = 4;
/** The blocks before and after whose mean a block is seen among. */
const WINDOW_REACH = 4;
/** The blocks before and after that a block is seen beside. */
const NEIGHBOURS = [-2, -1, 1, 2] as const;
const COMMENT_HINT = HINT_GROUPS.indexOf("comment");
/** Phrase groups that a heading passes on to what stands under it: subscribe, comments, related, reviews, more. */
const HEADING_PHRASES = [1, 3, 6, 10, 11] as const;
const PLACE_COUNT = HINT_GROUPS.length + LANDMARK_TAGS.length;
const BLOCK_TAGS = [
  "p",
  "li",
  "td",
  "th",
  "h1",
  "h2",
  "h3",
  "h4",
  "div",
  "pre",
  "dt",
  "dd",
  "figcaption",
  "blockquote",
  "a",
  "span",
  "button",
] as const;

const PLACE_OF_TAG: ReadonlyMap<string, number> = new Map(
  BLOCK_TAGS.map((tag, place): [string, number] => [tag, place]),
);

/** The names of a block's features, in the order of a row; the model is bound to this order. */
export const FEATURE_NAMES: readonly string[] = nameFeatures();

/** One row of numbers per block, FEATURE_NAMES.length wide; written into `rows`, which must be so long and all zero. */
export function readFeatures(
  page: PageBlocks,
  signals: PageSignals,
  rows: Float32Array = new Float32Array(page.blocks.length * FEATURE_NAMES.length),
): Float32Array {
  const { blocks, containers } = page;
  const width = FEATURE_NAMES.length;
  const hasTitleWord = makeWordTest(signals.titleWords);
  const firstAt = new Map<Container, number>();
  const logs = blocks.map((block) => logOf(block.text.length));
  const totals = sumPage(blocks, containers);
  const pageChars = logOf(totals.chars);
  const pageBlocks = logOf(blocks.length);
  const sums = sumBefore(blocks);
  const seen = countTexts(blocks);
  let charsBefore = 0;
  let commentsBegan = -1;
  let headingAt = 0;
  let headingLevel = 0;
  let headingPhrases = 0;

  for (const block of blocks) {
    let at = block.index * width;
    const shape = readShape(block.text);
    const chars = block.text.length;
    const { container } = block;

    // the text itself
    rows[at] = logs[block.index] ?? 0;
    rows[at + 1] = shape.words;
    rows[at + 2] = block.linkChars / chars;
    rows[at + 3] = block.linkCount;
    rows[at + 4] = block.boldChars / chars;
    rows[at + 5] = shape.digits / chars;
    rows[at + 6] = shape.capitals / Math.max(1, shape.letters);
    rows[at + 7] = shape.commas;
    rows[at + 8] = shape.stops;
    rows[at + 9] = shape.symbols / chars;
    rows[at + 10] = shape.endsSentence ? 1 : 0;
    rows[at + 11] = shape.letters / Math.max(1, shape.words);
    rows[at + 12] = seen.get(block.text) ?? 1;
    const { phrases } = block;
    at += 13;
    for (let group = 0; group < PHRASE_GROUPS.length; group += 1) rows[at + group] = (phrases >>> group) & 1;
    at += PHRASE_GROUPS.length;
    rows[at] = shareOfWords(block.text, hasTitleWord);
    at += 1;

    // its element
    const tag = container.element.tag;
    const tagPlace = PLACE_OF_TAG.get(tag);
    if (tagPlace !== undefined) rows[at + tagPlace] = 1;
    at += BLOCK_TAGS.length;
    rows[at] = container.depth;
    at += 1;
    putPlaceDistances(container, rows, at);
    at += PLACE_COUNT;

    // where it stands
    rows[at] = block.index / blocks.length;
    rows[at + 1] = charsBefore / totals.chars;
    rows[at + 2] = totals.headingIndex < 0 ? 0 : Math.max(-50, Math.min(200, block.index - totals.headingIndex));
    rows[at + 3] = stepsToTop(container, totals.top);
    at += 4;
    for (const trunk of totals.trunks) {
      rows[at] = stepsToTop(container, trunk);
      at += 1;
    }
    const { article } = container;
    rows[at] = article === undefined ? -1 : (totals.articleOrder.get(article) ?? 0);
    rows[at + 1] = article === undefined ? 0 : (totals.articleChars.get(article) ?? 0) / totals.chars;
    if (commentsBegan < 0 && placeDistance(container, COMMENT_HINT) < FAR) commentsBegan = block.index;
    rows[at + 2] = commentsBegan < 0 ? -1 : block.index - commentsBegan;
    rows[at + 3] = block.index - headingAt;
    rows[at + 4] = headingLevel;
    at += 5;
    for (const group of HEADING_PHRASES) {
      rows[at] = (headingPhrases >>> group) & 1;
      at += 1;
    }
    const ownLevel = headingLevelOf(tag);
    if (ownLevel > 0) {
      headingAt = block.index;
      headingLevel = ownLevel;
      headingPhrases = phrases;
    }
    rows[at] = isDeclared(block.text, signals.declaredBody);
    rows[at + 1] = totals.top === undefined ? 0 : block.index - totals.topFirst;
    rows[at + 2] = totals.top === undefined ? 0 : totals.topLast - block.index;
    at += 3;
    charsBefore += chars;

    // what stands around it
    let around = widen(container);
    for (let step = 0; step < ANCESTOR_LEVELS; step += 1) {
      // what is far above one block is far above many
      const known = step === 0 ? undefined : firstAt.get(around);
      if (known === undefined) {
        if (step > 0) firstAt.set(around, at);
        rows[at] = around.chars / totals.chars;
        rows[at + 1] = around.linkChars / Math.max(1, around.chars);
        rows[at + 2] = around.paragraphChars / Math.max(1, around.chars);
        rows[at + 3] = logOf(around.chars / Math.max(1, around.blockCount));
        rows[at + 4] = around.twins.count;
        rows[at + 5] = logOf(around.twins.chars / Math.max(1, around.twins.count));
        rows[at + 6] = around.points / Math.max(1, totals.topPoints);
      } else for (let index = 0; index < 7; index += 1) rows[at + index] = rows[known + index] ?? 0;
      at += 7;
      if (around.parent !== undefined) around = widen(around.parent);
    }
    const repeat = widestRepeat(container);
    rows[at] = repeat === undefined ? 1 : repeat.count;
    if (repeat !== undefined) {
      rows[at + 1] = repeat.chars / Math.max(1, totals.chars);
      rows[at + 2] = repeat.linkChars / Math.max(1, repeat.chars);
      rows[at + 3] = logOf(repeat.chars / repeat.count);
    }
    at += 4;
    for (const offset of NEIGHBOURS) {
      const next = blocks[block.index + offset];
      if (next !== undefined) {
        rows[at] = logs[next.index] ?? 0;
        rows[at + 1] = next.linkChars / next.text.length;
        rows[at + 2] = next.container.parent === container.parent ? 1 : 0;
        rows[at + 3] = next.container.element.tag === tag ? 1 : 0;
      }
      at += 4;
    }
    const first = Math.max(0, block.index - WINDOW_REACH);
    const end = Math.min(blocks.length, block.index + WINDOW_REACH + 1);
    const windowChars = (sums.chars[end] ?? 0) - (sums.chars[first] ?? 0);
    rows[at] = logOf(windowChars / (end - first));
    rows[at + 1] = ((sums.links[end] ?? 0) - (sums.links[first] ?? 0)) / (windowChars + 1);
    at += 2;

    // the page
    rows[at] = pageChars;
    rows[at + 1] = pageBlocks;
    rows[at + 2] = totals.linkDensity;
    rows[at + 3] = totals.paragraphShare;
    rows[at + 4] = totals.topShare;
    rows[at + 5] = totals.mainCount;
    rows[at + 6] = totals.articleCount;
    rows[at + 7] = totals.tableCount;
    at += 8;
    for (let flag = 0; flag < signals.flags.length; flag += 1) rows[at + flag] = signals.flags[flag] ?? 0;
  }
  return rows;
}

/** 1 when the page's own structured data quotes the block, -1 when it has a text without it. */
function isDeclared(text: string, declaredBody: string): number {
  if (declaredBody === "" || text.length < 25) return 0;
  return declaredBody.includes(text.slice(0, 60).toLowerCase()) ? 1 : -1;
}

/** The outermost container that holds no more text than this one: wrappers do not count as levels. */
function widen(container: Container): Container {
  let widest = container;
  while (widest.parent !== undefined && widest.parent.chars === widest.chars) widest = widest.parent;
  return widest;
}

/** The repetition above a block that covers the most text: posts of a thread, cards of a list. */
function widestRepeat(container: Container): Twins | undefined {
  let best: Twins | undefined;
  let around: Container | undefined = container;
  for (let level = 0; level < 12 && around !== undefined; level += 1) {
    const { twins } = around;
    if (twins.count >= 3 && twins.chars > (best?.chars ?? 0)) best = twins;
    around = around.parent;
  }
  return best;
}

/** How many characters, and how many of them in links, stand before each block and at the end. */
function sumBefore(blocks: readonly TextBlock[]): {
  readonly chars: readonly number[];
  readonly links: readonly number[];
} {
  const chars = [0];
  const links = [0];
  let charCount = 0;
  let linkCount = 0;
  for (const { text, linkChars } of blocks) {
    chars.push((charCount += text.length));
    links.push((linkCount += linkChars));
  }
  return { chars, links };
}

function countTexts(blocks: readonly TextBlock[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of blocks) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function logOf(value: number): number {
  return Math.log2(1 + value);
}

function nameFeatures(): readonly string[] {
  const around = Array.from({ length: ANCESTOR_LEVELS }, (_, level) =>
    ["share", "links", "paragraphs", "mean", "twins", "twin-mean", "points"].map((name) => `up${level}:${name}`),
  ).flat();
  const neighbours = ["-2", "-1", "+1", "+2"].flatMap((offset) =>
    ["chars", "links", "sibling", "tag"].map((name) => `next${offset}:${name}`),
  );
  return [
    ..."chars words links link-count bold digits capitals commas stops symbols sentence word-length seen".split(" "),
    ...PHRASE_GROUPS.map((words) => `phrase:${words[0] ?? ""}`),
    "title-words",
    ...BLOCK_TAGS.map((tag) => `tag:${tag}`),
    "depth",
    ...HINT_GROUPS.map((group) => `hint:${group}`),
    ...LANDMARK_TAGS.map((tag) => `in:${tag}`),
    ..."at-block at-char from-heading steps-to-top".split(" "),
    ...TRUNK_SHARES.map((share) => `steps-to-trunk:${share}`),
    ..."article-order article-share since-comments since-heading heading-level".split(" "),
    ...HEADING_PHRASES.map((group) => `under:${PHRASE_GROUPS[group]?.[0] ?? ""}`),
    ..."declared from-top-first to-top-last".split(" "),
    ...around,
    ..."repeat:count repeat:share repeat:links repeat:mean".split(" "),
    ...neighbours,
    ..."window:mean window:links".split(" "),
    ..."page:chars page:blocks page:links page:paragraphs page:top page:mains page:articles page:tables".split(" "),
    ...SIGNAL_NAMES,
  ];
}
