import type { FullTextQuery, Occur as Occurrence } from "@lancedb/lancedb";
import { BooleanQuery, MatchQuery, Occur, Operator, PhraseQuery } from "../engine.ts";
import { FIELD_SEPARATOR } from "../pages/page-text.ts";
import { isPlainQuery, type CompiledQuery, type TokenRow } from "../query/word-query.ts";

/**
 * A query for the engine. Free words alone are one match, which the engine prunes; so are words that must all be
 * there. Anything else is a boolean query, for which it reads all pages with any of the words: five times the work.
 */
export function toEngineQuery(query: CompiledQuery): FullTextQuery {
  const { scored, required, phrases, excluded, inTitle, excludedInTitle } = query;
  if (isPlainQuery(query)) return new MatchQuery(scored.join(" "), "text");
  const clauses: [Occurrence, FullTextQuery][] = [];
  const single = required.every((tokens) => tokens.length === 1);
  if (required.length > 0 && single) {
    const all = new MatchQuery(required.flat().join(" "), "text", { operator: Operator.And });
    if (phrases.length + excluded.length + inTitle.length + excludedInTitle.length === 0) return all;
    clauses.push([Occur.Must, all]);
  } else {
    for (const tokens of required) clauses.push([Occur.Must, new MatchQuery(tokens.join(" "), "text")]);
  }
  for (const rows of phrases) clauses.push([Occur.Must, anyRow(rows, "text")]);
  for (const rows of inTitle) clauses.push([Occur.Must, anyRow(rows, "title")]);
  for (const row of excluded) clauses.push([Occur.MustNot, rowQuery(row, "text")]);
  for (const row of excludedInTitle) clauses.push([Occur.MustNot, rowQuery(row, "title")]);
  if (scored.length > 0) {
    const isNeeded = clauses.every(([occur]) => occur === Occur.MustNot);
    clauses.push([isNeeded ? Occur.Must : Occur.Should, new MatchQuery(scored.join(" "), "text")]);
  } else if (clauses.every(([occur]) => occur === Occur.MustNot)) {
    clauses.push([Occur.Must, new MatchQuery(FIELD_SEPARATOR, "text")]); // every page has it
  }
  return new BooleanQuery(clauses);
}

function anyRow(rows: readonly TokenRow[], column: string): FullTextQuery {
  const [first, ...others] = rows.map((row) => rowQuery(row, column));
  if (first === undefined) throw new Error("a phrase has at least one row of tokens");
  if (others.length === 0) return first;
  return new BooleanQuery([first, ...others].map((one) => [Occur.Should, one]));
}

function rowQuery(row: TokenRow, column: string): FullTextQuery {
  return row.length === 1 ? new MatchQuery(row.join(" "), column) : new PhraseQuery(row.join(" "), column);
}
