import { quoteAt } from "../evidence.ts";
import { judgeByRules } from "../judge/judge-by-rules.ts";
import { readStatements } from "../judge/statements.ts";
import { findTrap } from "../judge/traps.ts";
import { hasStems, sameStem, stemWords, writtenStems } from "../judge/word-match.ts";
import { MEANINGS } from "./column-words.ts";
import { fillNumber } from "./fill-values.ts";
import type { Filled, Filling } from "./filling.ts";
import { findCandidates, type Candidate } from "./find-candidates.ts";
import { saysOfEntity } from "./whose-statement.ts";

/** Options: labels whose words the pages state; ranges by the number, yes and no by the criterion rules. */
export function fillOptions(filling: Filling): Filled | undefined {
  const labels = (filling.enrichment.options ?? []).map(({ label }) => label);
  if (labels.length === 0) return undefined;
  return (
    fillYesNo(filling, labels) ??
    fillRange(filling, labels) ??
    fillLabels(filling, rangesOf(labels).length === 0 ? labels : labels.filter((label) => !isBareRange(label)))
  );
}

function fillYesNo({ entity, enrichment, pages }: Filling, labels: readonly string[]): Filled | undefined {
  const yes = labels.find((label) => /^(?:yes|true)$/i.test(label.trim()));
  const no = labels.find((label) => /^(?:no|false)$/i.test(label.trim()));
  if (yes === undefined || no === undefined) return undefined;
  const criterion = enrichment.description
    .replace(
      /^\s*(?:does|do|is|are|has|have|can|whether|if)\s+(?:the\s+|this\s+|it\s+|they\s+)?(?:company|startup|firm|business|person|entity|organization|product)?\s*/i,
      "",
    )
    .replace(/\?\s*$/, "");
  const verdict = judgeByRules({ entity, criterion, pages });
  if (verdict.satisfied === "unclear" || verdict.references.length === 0) return undefined;
  return {
    result: [verdict.satisfied === "yes" ? yes : no],
    rule: verdict.reasoning.replace(/^By the /, "").slice(0, 200),
    references: verdict.references,
  };
}

function fillRange(filling: Filling, labels: readonly string[]): Filled | undefined {
  const ranges = rangesOf(labels);
  if (ranges.length === 0) return undefined;
  const number = fillNumber(filling);
  const value = Number(number?.result[0] ?? NaN);
  const fits = ranges.find(({ holds }) => holds(value));
  return number === undefined || fits === undefined
    ? undefined
    : { ...number, result: [fits.label], rule: `${number.rule} (${value})` };
}

interface LabelRange {
  readonly label: string;
  readonly holds: (value: number) => boolean;
}

/** The ranges of a column that asks for one: "Java 17+" among other versions is a name. */
function rangesOf(labels: readonly string[]): readonly LabelRange[] {
  const ranges = labels.flatMap((label) => readRange(label) ?? []);
  return ranges.length < labels.length / 2 ? [] : ranges;
}

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
};

/** The range that a label names: "50-200", "under 50", "1M+"; "under" and "over" leave their number out, "up to" and "+" take it in. */
function readRange(label: string): LabelRange | undefined {
  const plain = label.replaceAll(/,|(?<=\d)[\s'’](?=\d{3}(?!\d))/g, "");
  const numbers = Array.from(
    plain.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(?![\d.])(?:\s?(k|m|bn?|thousand|million|billion)(?!\p{L}))?/giu),
    ({ 0: written, 1: digits, 2: scale, index }) => ({
      value: Number(digits) * (SCALES[scale?.toLowerCase() ?? ""] ?? 1),
      start: index,
      end: index + written.length,
    }),
  );
  const [first, second] = numbers;
  const low = first?.value;
  if (first === undefined || low === undefined) return undefined;
  if (second !== undefined) {
    const high = second.value;
    // "24/7" and "4x4" lead from nothing to nothing
    const isRange = high >= low && JOINED.test(plain.slice(first.end, second.start));
    return isRange ? { label, holds: (value) => value >= low && value <= high } : undefined;
  }
  if (/\+|or more|at least|from\b|≥|>=/i.test(label)) return { label, holds: (value) => value >= low };
  if (/up to|at most|or (?:less|fewer)|≤|<=/i.test(label)) return { label, holds: (value) => value <= low };
  if (/more|over|above|>/i.test(label)) return { label, holds: (value) => value > low };
  if (/less|fewer|under|below|</i.test(label)) return { label, holds: (value) => value < low };
  return undefined;
}

const JOINED = /[-–—…]|\.\.|\b(?:to|and|until|through|bis)\b/i;

/** "under 50 employees": its words stand on many pages, and only the number tells. "Series A (2-10M)" is more. */
function isBareRange(label: string): boolean {
  const words = label.match(/(?<![\p{L}\p{N}])\p{L}+/gu) ?? [];
  return readRange(label) !== undefined && words.filter((word) => !COMPARING.test(word)).length <= 1;
}

const COMPARING = /^(?:up|to|at|most|least|more|less|fewer|than|over|above|under|below|or|and|from|between)$/i;

function fillLabels({ enrichment, pages, topic }: Filling, labels: readonly string[]): Filled | undefined {
  const candidates = [
    ...findCandidates(pages, topic, "state"),
    ...labels.flatMap((label) =>
      findCandidates(pages, { ...topic, stems: writtenStems(label).map((stem) => [stem]) }, "state").slice(0, 3),
    ),
    ...MEANINGS.filter((meaning) => labels.some((label) => meaning.test(label))).flatMap((meaning) =>
      meaningIn(pages, meaning, topic),
    ),
  ];
  const wantsMany =
    /\b(?:all|which|types|categories|list|options|platforms|languages|features|any)\b/i.test(enrichment.description) &&
    !/\b(?:type|category|stage|status|size) of\b/i.test(enrichment.description);
  const found: { readonly label: string; readonly score: number; readonly reference: Filled["references"][number] }[] =
    [];
  const { whole, joined } = readLabels(labels);
  for (const { label, parts } of joined) {
    const stated = parts.map((part) => statedPart(candidates, part));
    const other = joined.flatMap((one) => one.parts).filter((part) => !parts.some((own) => samePart(own, part)));
    const isLeftOut =
      ONLY.test(label) &&
      (other.some((part) => statedPart(candidates, part) !== undefined) ||
        stated.some((one) => one !== undefined && !leavesNothing(one.statement.text)));
    if (isLeftOut) continue;
    for (const one of stated.includes(undefined) ? [] : stated) {
      const reference =
        one === undefined ? undefined : quoteAt(one.statement.page, one.statement.start, one.statement.end);
      if (one !== undefined && reference !== undefined)
        found.push({ label, score: one.score + parts.length, reference });
    }
  }
  for (const label of whole) {
    const stems = writtenStems(label);
    for (const { statement, score } of candidates) {
      if (!hasStems(statement.text, stems)) continue;
      const reference = quoteAt(statement.page, statement.start, statement.end);
      if (reference === undefined) continue;
      found.push({ label, score: score + stems.length * 0.1, reference });
      break;
    }
  }
  const ranked = found.sort((one, other) => other.score - one.score);
  const kept = wantsMany ? ranked : ranked.filter(({ label }) => label === ranked[0]?.label);
  if (kept.length === 0) return undefined;
  const references = kept.map(({ reference }) => reference);
  return {
    result: labels.filter((label) => kept.some((one) => one.label === label)),
    rule: "label whose words the page states",
    references: references
      .filter(
        (one, index) => references.findIndex((other) => other.url === one.url && other.start === one.start) === index,
      )
      .slice(0, 3),
  };
}

interface JoinedLabel {
  readonly label: string;
  readonly parts: readonly string[];
}

/**
 * Labels that say of other labels' words that they are all there is, or that both are there: "Cloud only", "Self-hosted only",
 * "Cloud and self-hosted". In "Research and development" no part is a label, so that it is one.
 */
function readLabels(labels: readonly string[]): {
  readonly whole: readonly string[];
  readonly joined: readonly JoinedLabel[];
} {
  const all = labels.map((label) => ({
    label,
    parts: label
      .replace(ONLY, " ")
      .split(/\s(?:and|und|et)\s|\s?[&+]\s?/i)
      .map((part) => part.replaceAll(/^[\s-]|[\s-]$/g, ""))
      .filter((part) => writtenStems(part).length > 0),
  }));
  const joined = all.filter(({ label, parts }) => {
    const others = all.filter((one) => one.label !== label).flatMap((one) => one.parts);
    const isShared = parts.some((part) => others.some((other) => samePart(part, other)));
    return ONLY.test(label) || isShared;
  });
  const isJoined = joined.some(({ label, parts }) => ONLY.test(label) || parts.length > 1);
  const kept = isJoined ? joined.filter(({ parts }) => parts.length > 0) : [];
  return { whole: labels.filter((label) => !kept.some((one) => one.label === label)), joined: kept };
}

const ONLY = /[\s-]?\b(?:only|exclusively|solely|nur|uniquement)\b/i;

function samePart(one: string, other: string): boolean {
  const stems = writtenStems(one);
  const others = writtenStems(other);
  return stems.length === others.length && stems.every((stem) => others.some((word) => sameStem(stem, word)));
}

/** A statement that says a part of a label, and does not deny it. */
function statedPart(candidates: readonly Candidate[], part: string): Candidate | undefined {
  const stems = writtenStems(part);
  const meanings = MEANINGS.filter((meaning) => meaning.test(part));
  return candidates.find(({ statement: { text } }) => {
    const meant = meanings.map((meaning) => meaning.exec(text)).find((match) => match !== null);
    const word = hasStems(text, stems) ? stemWords(text).find(({ stem }) => sameStem(stem, stems[0] ?? "")) : undefined;
    const place = meant === undefined ? word : { start: meant.index, end: meant.index + meant[0].length };
    return place !== undefined && findTrap(text, place, "state") === undefined;
  });
}

/** Whether a sentence names no alternative: "our cloud or …" leaves one. */
function leavesNothing(text: string): boolean {
  return ONLY.test(text) || !/\b(?:or|and|also|both|either|as well|plus|oder|und|ou|et)\b/i.test(text);
}

function meaningIn(pages: Filling["pages"], meaning: RegExp, { context }: Filling["topic"]): readonly Candidate[] {
  return pages.flatMap((page) => {
    const statements = readStatements(page);
    return statements.flatMap((statement) => {
      const match = meaning.exec(statement.text);
      if (match === null) return [];
      const anchor = { start: match.index, end: match.index + match[0].length };
      return saysOfEntity(statement, anchor, context, statements, "state") ? [{ statement, score: 1, anchor }] : [];
    });
  });
}

/** Whether a text has all the words of a label; a label without a word that tells something is in none. */
export function statesLabel(text: string, label: string): boolean {
  return hasStems(text, writtenStems(label));
}
