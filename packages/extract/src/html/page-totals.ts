import { HINT_GROUPS } from "./class-hints.ts";
import { FAR, LANDMARK_TAGS, placesAround, type Container } from "./container.ts";
import type { PageElement } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";

/** The shares of clean paragraph text that define the trunks of a page. */
export const TRUNK_SHARES = [0.5, 0.7, 0.9] as const;

/** What the features of its blocks need to know of a whole page. */
export interface PageTotals {
  readonly chars: number;
  readonly linkDensity: number;
  readonly paragraphShare: number;
  readonly headingIndex: number;
  readonly top: Container | undefined;
  readonly topPoints: number;
  readonly topShare: number;
  readonly topFirst: number;
  readonly topLast: number;
  readonly mainCount: number;
  readonly articleCount: number;
  readonly tableCount: number;
  /** The smallest containers that hold given shares of the clean paragraph text. */
  readonly trunks: readonly (Container | undefined)[];
  readonly articleOrder: ReadonlyMap<PageElement, number>;
  readonly articleChars: ReadonlyMap<PageElement, number>;
}

/** Sums a page up: its largest container, its trunks, its articles. */
export function sumPage(blocks: readonly TextBlock[], containers: readonly Container[]): PageTotals {
  const root = containers[0];
  const chars = Math.max(1, root?.chars ?? 1);
  let top: Container | undefined;
  let topPoints = 0;
  let mainCount = 0;
  let articleCount = 0;
  let tableCount = 0;
  const articleOrder = new Map<PageElement, number>();
  const articleChars = new Map<PageElement, number>();
  for (const container of containers) {
    const { tag } = container.element;
    if (tag === "main") mainCount += 1;
    else if (tag === "article") {
      articleOrder.set(container.element, articleCount);
      articleChars.set(container.element, container.chars);
      articleCount += 1;
    } else if (tag === "table") tableCount += 1;
    const points = container.points * (1 - container.linkChars / Math.max(1, container.chars));
    if (points > topPoints) {
      top = container;
      topPoints = points;
    }
  }
  let topFirst = -1;
  let topLast = -1;
  let headingIndex = -1;
  for (const block of blocks) {
    if (headingIndex < 0 && block.container.element.tag === "h1") headingIndex = block.index;
    if (top !== undefined && stepsToTop(block.container, top) === 0) {
      if (topFirst < 0) topFirst = block.index;
      topLast = block.index;
    }
  }
  return {
    chars,
    linkDensity: (root?.linkChars ?? 0) / chars,
    paragraphShare: (root?.paragraphChars ?? 0) / chars,
    headingIndex,
    top,
    topPoints,
    topShare: (top?.chars ?? 0) / chars,
    topFirst,
    topLast,
    mainCount,
    articleCount,
    tableCount,
    trunks: findTrunks(blocks, containers),
    articleOrder,
    articleChars,
  };
}

const DIRTY_HINTS = maskOf(
  (["comment", "navigation", "footer", "sidebar", "related", "promotion", "dialog"] as const).map((group) =>
    HINT_GROUPS.indexOf(group),
  ),
);
const DIRTY_LANDMARKS = maskOf(
  (["nav", "footer", "aside", "hidden", "form"] as const).map((tag) => LANDMARK_TAGS.indexOf(tag)),
);

function maskOf(places: readonly number[]): number {
  return places.reduce((mask, place) => mask | (1 << place), 0);
}

const CLEAN_CHARS = 60;

/** Clean text: paragraphs of some length, few links, not inside what names itself boilerplate. */
function findTrunks(
  blocks: readonly TextBlock[],
  containers: readonly Container[],
): readonly (Container | undefined)[] {
  const clean = new Map<Container, number>();
  let all = 0;
  for (const { container, text, linkChars } of blocks) {
    if (text.length < CLEAN_CHARS || linkChars * 3 > text.length) continue;
    const around = placesAround(container);
    if ((around.hints & DIRTY_HINTS) !== 0 || (around.landmarks & DIRTY_LANDMARKS) !== 0) continue;
    clean.set(container, (clean.get(container) ?? 0) + text.length);
    all += text.length;
  }
  const trunks: (Container | undefined)[] = TRUNK_SHARES.map(() => undefined);
  if (all === 0) return trunks;
  for (let index = containers.length - 1; index >= 0; index -= 1) {
    const container = containers[index];
    const sum = container === undefined ? undefined : clean.get(container);
    if (container === undefined || sum === undefined) continue;
    // children come after their parents, so the first seen that is large enough, in reverse, is the deepest on its line
    TRUNK_SHARES.forEach((share, at) => {
      const held = trunks[at];
      if (sum >= share * all && (held === undefined || container.depth > held.depth)) trunks[at] = container;
    });
    if (container.parent !== undefined) clean.set(container.parent, (clean.get(container.parent) ?? 0) + sum);
  }
  return trunks;
}

/** How many levels of the top container's line one must climb until it holds the block; 0 is inside. */
export function stepsToTop(container: Container, top: Container | undefined): number {
  if (top === undefined) return FAR;
  const { start, end } = container.element;
  let steps = 0;
  for (let around: Container | undefined = top; around !== undefined && steps < FAR; around = around.parent) {
    if (around.element.start <= start && end <= around.element.end) return steps;
    steps += 1;
  }
  return FAR;
}
