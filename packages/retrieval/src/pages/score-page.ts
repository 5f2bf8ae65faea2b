import { hasConditions, type CompiledQuery, type TokenRow } from "../query/word-query.ts";
import { inverseFrequency, saturatedCount, type TermStatistics } from "./bm25.ts";
import { FIELD_WEIGHTS, PAGE_FIELDS, splitPageText, type PageField } from "./page-text.ts";

/** How a page came by its score. */
export interface ScoreParts {
  readonly score: number;
  /** The share of each field. */
  readonly fields: Readonly<Record<PageField, number>>;
  readonly words: readonly {
    readonly token: string;
    readonly score: number;
    /** How telling the word is, 0 when every page has it. */
    readonly weight: number;
    readonly counts: Readonly<Record<PageField, number>>;
  }[];
}

/** BM25 over a composed page text, taken apart by word and field. */
export function scorePage(text: string, query: CompiledQuery, statistics: TermStatistics): ScoreParts {
  const fields = splitPageText(text);
  const length = PAGE_FIELDS.reduce((sum, field) => sum + FIELD_WEIGHTS[field] * (fields[field].length + 1), 0);
  const shares: Record<PageField, number> = { title: 0, headings: 0, place: 0, body: 0 };
  const words = query.scored.flatMap((token) => {
    const counts = countInFields(fields, token);
    const weighted = PAGE_FIELDS.reduce((sum, field) => sum + FIELD_WEIGHTS[field] * counts[field], 0);
    if (weighted === 0) return [];
    const weight = inverseFrequency(statistics, token);
    const score = weight * saturatedCount(weighted, length, statistics.averageLength);
    for (const field of PAGE_FIELDS) shares[field] += (score * FIELD_WEIGHTS[field] * counts[field]) / weighted;
    return [{ token, score, weight, counts }];
  });
  return { score: words.reduce((sum, { score }) => sum + score, 0), fields: shares, words };
}

/** Whether a page meets what a query insists on: required words, phrases, the title, and nothing that is excluded. */
export function meetsConditions(
  page: { readonly text: string; readonly title: string },
  query: CompiledQuery,
): boolean {
  if (!hasConditions(query)) return true;
  const { required, phrases, excluded, inTitle, excludedInTitle } = query;
  const text = ` ${page.text} `;
  const title = ` ${page.title} `;
  return (
    required.every((tokens) => tokens.some((token) => hasRow(text, [token]))) &&
    phrases.every((rows) => rows.some((row) => hasRow(text, row))) &&
    inTitle.every((rows) => rows.some((row) => hasRow(title, row))) &&
    !excluded.some((row) => hasRow(text, row)) &&
    !excludedInTitle.some((row) => hasRow(title, row))
  );
}

function hasRow(text: string, row: TokenRow): boolean {
  return text.includes(` ${row.join(" ")} `);
}

function countInFields(
  fields: Readonly<Record<PageField, readonly string[]>>,
  token: string,
): Readonly<Record<PageField, number>> {
  const count = (field: PageField): number => fields[field].filter((other) => other === token).length;
  return { title: count("title"), headings: count("headings"), place: count("place"), body: count("body") };
}
