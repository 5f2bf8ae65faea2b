import type { CellQuestion, CellValue } from "./cell.ts";

/** Fills one cell from the pages of its entity. Rejects only on abort. */
export function fillCell(question: CellQuestion): Promise<CellValue> {
  question.signal.throwIfAborted();
  return Promise.resolve({ result: null, reasoning: "No page says it.", references: [] });
}
