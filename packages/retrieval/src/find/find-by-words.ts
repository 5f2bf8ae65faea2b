import type { Analyser } from "../analysis/analyser.ts";
import { filterToSql, filterWithinTeamsToSql } from "../filter/filter-sql.ts";
import { parseFilter, type IndexFilter, type ParsedFilter } from "../filter/index-filter.ts";
import { pageKey } from "../pages/page-key.ts";
import { unpackFacts, type PageFacts } from "../pages/page-row.ts";
import { scorePage, type ScoreParts } from "../pages/score-page.ts";
import { compileQuery, isEmptyQuery, isPlainQuery, type CompiledQuery, type WordQuery } from "../query/word-query.ts";
import type { FindOptions, WordHit } from "../search-index.ts";
import { findInTails, isReplaced, type IndexView, type Segment } from "../tables/index-tables.ts";
import { checkLimit, findEnough } from "./find-enough.ts";
import { toEngineQuery } from "./engine-query.ts";
import { allRows, findKnownRows } from "./find-known-rows.ts";

/** See `SearchIndex.findByWords`. A query without a single word finds nothing. */
export async function findByWords(
  view: IndexView,
  analyser: Analyser,
  search: { readonly query: WordQuery; readonly filter: IndexFilter; readonly options: FindOptions },
): Promise<readonly WordHit[]> {
  const { options } = search;
  const explain = options.explain ?? false;
  checkLimit(options.limit);
  const filter = parseFilter(search.filter);
  const query = compileQuery(analyser, search.query);
  if (isEmptyQuery(query)) return [];
  return findEnough(search.filter.teamIds, options, async (limit) => {
    const inMemory = searchTails(view, query, filter, limit);
    const wanted = { query, filter, limit, explain };
    const inTables = await Promise.all(view.segments.map((segment) => searchSegment(view, segment, wanted)));
    const found = [...inMemory, ...inTables.flatMap(({ pages }) => pages)].sort(
      (one, other) => other.score - one.score,
    );
    return {
      hits: found.slice(0, limit).map((page) => ({
        ...page.facts(),
        score: page.score,
        ...(explain ? { explanation: explainScore(view, query, page) } : {}),
      })),
      isAll: found.length < limit && inTables.every(({ isAll }) => isAll),
    };
  });
}

interface FoundPage {
  readonly facts: () => PageFacts;
  readonly score: number;
  /** Read only where something asks for it. */
  readonly text: string | undefined;
}

function searchTails(view: IndexView, query: CompiledQuery, filter: ParsedFilter, limit: number): readonly FoundPage[] {
  return view.tails.flatMap((tail) =>
    tail.pages
      .search(query, filter, view.statistics, { limit, isHidden: (row) => isReplaced(view.tails, tail, row) })
      .map(({ row, score }) => ({ facts: () => unpackFacts(row.facts), score, text: row.text })),
  );
}

async function searchSegment(
  view: IndexView,
  { table, teams, rows }: Segment,
  wanted: {
    readonly query: CompiledQuery;
    readonly filter: ParsedFilter;
    readonly limit: number;
    readonly explain: boolean;
  },
): Promise<{ readonly pages: readonly FoundPage[]; readonly isAll: boolean }> {
  const { query, filter, limit, explain } = wanted;
  const isPlain = isPlainQuery(query);
  const isWithin = await teams.isWithin(filter.filter.teamIds);
  const condition = isWithin ? filterWithinTeamsToSql(filter) : filterToSql(filter);
  const ask = (columns: readonly string[]) => {
    const search = table
      .query()
      .fullTextSearch(toEngineQuery(query))
      .select([...columns, "_score"])
      .limit(limit);
    return condition === undefined ? search : search.where(condition);
  };
  const needsText = !isPlain || explain;
  const found =
    (needsText ? undefined : await findKnownRows<FoundRow>(rows, () => ask([]), "_score")) ??
    allRows<FoundRow>(await ask(["facts", ...(needsText ? ["text"] : [])]).toArrow());
  const isOutdated = outdatedByTails(view);
  const pages = [...found.rows].flatMap(({ facts: packed, text, _score }): readonly FoundPage[] => {
    const facts = unpackFacts(packed);
    if (isOutdated(facts)) return [];
    // Phrases and the like have scores of the engine's own; by ours, pages of all tables compare.
    const score = isPlain || text === undefined ? _score : scorePage(text, query, view.statistics).score;
    return [{ facts: () => facts, text, score }];
  });
  return { pages, isAll: found.count < limit };
}

interface FoundRow {
  readonly facts: string;
  readonly text?: string;
  readonly _score: number;
}

/** Whether memory has a newer row of a page. */
function outdatedByTails({ tails }: IndexView): (page: PageFacts) => boolean {
  if (tails.every(({ pages }) => pages.size === 0)) return () => false;
  return (page) => findInTails(tails, pageKey(page)) !== undefined;
}

/** The parts of a score by our count, scaled to the score itself: a table counts its words alone, we count all. */
function explainScore(view: IndexView, query: CompiledQuery, { text, score }: FoundPage): ScoreParts {
  const parts = scorePage(text ?? "", query, view.statistics);
  const scale = parts.score === 0 ? 0 : score / parts.score;
  const { title, headings, place, body } = parts.fields;
  return {
    score,
    fields: { title: title * scale, headings: headings * scale, place: place * scale, body: body * scale },
    words: parts.words.map((word) => ({ ...word, score: word.score * scale })),
  };
}
