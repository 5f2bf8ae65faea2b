import { isUrl } from "@quarry/base";
import type { WebsetItem } from "../project-item.ts";

/** What a cell is worth: whether it has a value, whether the value has the form asked for, whether a page is named for it. */
export interface CellCheck {
  readonly enrichmentId: string;
  readonly value: string | undefined;
  readonly isWellFormed: boolean;
  readonly hasReference: boolean;
  /** The pages it was filled from. */
  readonly sources: readonly string[];
}

/** Checks every cell of an item without asking anyone. */
export function checkCells(item: WebsetItem): readonly CellCheck[] {
  return (item.enrichments ?? []).map(({ enrichmentId, format, result, references }) => {
    const [value] = result ?? [];
    return {
      enrichmentId,
      value,
      isWellFormed: value !== undefined && hasForm(value, format),
      hasReference: (references ?? []).length > 0,
      sources: (references ?? []).map(({ url }) => url),
    };
  });
}

/** The share of an item that holds: its criteria met, and its cells filled, well formed and with a page behind them. */
export function itemFitness(item: WebsetItem): number {
  const verdicts = (item.evaluations ?? []).map(({ satisfied }) =>
    satisfied === "yes" ? 1 : satisfied === "unclear" ? 0.5 : 0,
  );
  const cells = checkCells(item).map((cell) => (cell.isWellFormed ? (cell.hasReference ? 1 : 0.5) : 0));
  const parts: readonly number[] = [...verdicts, ...cells];
  return parts.length === 0 ? 1 : parts.reduce((sum, part) => sum + part, 0) / parts.length;
}

/** How much of a page is quoted around a value. */
const QUOTE_CHARACTERS = 240;

/**
 * Where a text says what a cell says: a piece of it, to the letter, around the value; numbers with or without separators.
 * Undefined when it does not. A number does not stand inside a longer one, nor a word inside a longer word.
 */
export function quoteFor(value: string, text: string): string | undefined {
  const wanted = value.trim();
  if (wanted === "" || wanted.length > QUOTE_CHARACTERS) return undefined; // what is that long stands nowhere else
  const pattern = [...wanted.replace(/(\d)[,.\s](?=\d{3}\b)/g, "$1").matchAll(/\d|\s+|[^\d\s]/gu)]
    .map(([piece]) => {
      if (/\s/.test(piece)) return "\\s+";
      return /\d/.test(piece) ? `${piece}(?:[,.\\s](?=\\d{3}(?!\\d)))?` : piece.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    })
    .join("");
  const found = new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${pattern}(?![\\p{L}\\p{N}]|[.,]\\d)`, "iu").exec(text);
  if (found === null) return undefined;
  const start = Math.max(0, found.index - QUOTE_CHARACTERS / 2);
  const end = Math.min(text.length, found.index + found[0].length + QUOTE_CHARACTERS / 2);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const to = end === text.length ? end : text.lastIndexOf(" ", end);
  return text.slice(Math.min(from, found.index), Math.max(to, found.index + found[0].length)).trim();
}

function hasForm(value: string, format: string): boolean {
  switch (format) {
    case "number":
      return Number.isFinite(Number(value));
    case "date":
      return Number.isFinite(Date.parse(value));
    case "email":
      return /^[^\s@]+@(?=[^\s@]+$)[^\s@]+\.[^\s@]/.test(value);
    case "url":
      return isUrl(value);
    case "phone":
      return /\d{5,}/.test(value.replace(/[^\d]/g, ""));
    default:
      return value.trim() !== "";
  }
}
