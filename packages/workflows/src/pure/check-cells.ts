import type { WebsetItem } from "../project-item.ts";

/** What a cell is worth: whether it has a value, whether the value has the form asked for, whether a page is named for it. */
export interface CellCheck {
  readonly enrichmentId: string;
  readonly value: string | undefined;
  readonly isWellFormed: boolean;
  readonly hasReference: boolean;
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

/** Whether a page says what a cell says: the value stands in its text, numbers with or without separators. */
export function isConfirmedBy(value: string, text: string): boolean {
  const plain = (given: string): string => given.toLowerCase().replace(/(\d)[,.\s](?=\d{3}\b)/g, "$1");
  return value.trim() !== "" && plain(text).includes(plain(value.trim()));
}

function hasForm(value: string, format: string): boolean {
  switch (format) {
    case "number":
      return Number.isFinite(Number(value));
    case "date":
      return Number.isFinite(Date.parse(value));
    case "email":
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value);
    case "url":
      return URL.canParse(value);
    case "phone":
      return /\d{5,}/.test(value.replace(/[^\d]/g, ""));
    default:
      return value.trim() !== "";
  }
}
