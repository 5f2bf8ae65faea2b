import type { PageFacts } from "../metadata/collect-facts.ts";
import { HINT_GROUPS } from "./class-hints.ts";
import { SIGNAL_NAMES, type PageSignals } from "./page-signals.ts";
import { LANDMARK_TAGS, placesAround, type Container } from "./container.ts";
import type { PageBlocks } from "./text-blocks.ts";
import { PHRASE_GROUPS } from "./text-shape.ts";

const COUNTED_TAGS = [
  "p",
  "li",
  "td",
  "h1",
  "h2",
  "h3",
  "pre",
  "dt",
  "blockquote",
  "button",
  "article",
  "table",
] as const;
const PRICE = /[$€£¥₹]\s?\d|\d\s?(?:€|kr|zł|USD|EUR|GBP)\b/;

/** The names of the features of a whole page, in the order of the row. */
export const PAGE_FEATURE_NAMES: readonly string[] = [
  ...SIGNAL_NAMES,
  ..."chars blocks links paragraphs mean-chars long-share prices price-share questions times images anchors bylines".split(
    " ",
  ),
  ...COUNTED_TAGS.map((tag) => `count:${tag}`),
  ..."repeat:count repeat:share repeat:mean repeat:links".split(" "),
  ...PHRASE_GROUPS.map((words) => `phrase:${words[0] ?? ""}`),
  ...HINT_GROUPS.map((group) => `share:${group}`),
  ...LANDMARK_TAGS.map((tag) => `share:${tag}`),
];

/** One row of numbers that tell an article from a shop, a thread or a manual. */
export function readPageFeatures(page: PageBlocks, facts: PageFacts, signals: PageSignals): Float32Array {
  const { blocks, containers } = page;
  const chars = Math.max(1, containers[0]?.chars ?? 1);
  const count = Math.max(1, blocks.length);
  const shares = new Float64Array(HINT_GROUPS.length + LANDMARK_TAGS.length);
  const phraseCounts = new Float64Array(PHRASE_GROUPS.length);
  let longChars = 0;
  let prices = 0;
  let questions = 0;
  let place: Container | undefined;
  let placeChars = 0;
  for (const { container, text, phrases } of blocks) {
    // neighbours mostly stand in the same places: their characters are added up first
    if (place === undefined || container.places !== place.places || container.depth !== place.depth) {
      addShares(shares, place, placeChars);
      place = container;
      placeChars = 0;
    }
    placeChars += text.length;
    if (text.length > 200) longChars += text.length;
    if (text.length < 60 && PRICE.test(text)) prices += 1;
    if (text.endsWith("?")) questions += 1;
    for (let group = 0; phrases >>> group !== 0; group += 1) {
      if (((phrases >>> group) & 1) === 1) phraseCounts[group] = (phraseCounts[group] ?? 0) + 1;
    }
  }
  addShares(shares, place, placeChars);
  const tagCounts = new Map<string, number>();
  let repeat = { count: 0, chars: 0, linkChars: 0 };
  for (const { element, twins } of containers) {
    tagCounts.set(element.tag, (tagCounts.get(element.tag) ?? 0) + 1);
    if (twins.count >= 3 && twins.chars > repeat.chars) repeat = twins;
  }
  return Float32Array.from([
    ...signals.flags,
    Math.log2(chars),
    Math.log2(count),
    (containers[0]?.linkChars ?? 0) / chars,
    (containers[0]?.paragraphChars ?? 0) / chars,
    chars / count,
    longChars / chars,
    prices,
    prices / count,
    questions / count,
    facts.times.length,
    facts.images.length,
    facts.anchors.length / count,
    facts.bylines.length,
    ...COUNTED_TAGS.map((tag) => tagCounts.get(tag) ?? 0),
    repeat.count,
    repeat.chars / chars,
    repeat.chars / Math.max(1, repeat.count),
    repeat.linkChars / Math.max(1, repeat.chars),
    ...[...phraseCounts].map((value) => value / count),
    ...[...shares].map((value) => value / chars),
  ]);
}

function addShares(shares: Float64Array, container: Container | undefined, chars: number): void {
  if (container === undefined) return;
  const { hints, landmarks } = placesAround(container);
  for (let index = 0; index < shares.length; index += 1) {
    const isAround = index < HINT_GROUPS.length ? hints >>> index : landmarks >>> (index - HINT_GROUPS.length);
    if ((isAround & 1) === 1) shares[index] = (shares[index] ?? 0) + chars;
  }
}
