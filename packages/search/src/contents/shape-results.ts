import type { SearchResult } from "@quarry/contract";
import type { ContentPage } from "./content-page.ts";
import type { ContentWriter } from "./content-writer.ts";
import type { ContentsPlan } from "./contents-plan.ts";
import { composeContext } from "./context-string.ts";
import { hasEntities, readEntities } from "./entities.ts";
import { readExtras } from "./extras.ts";
import { createFieldReader, type ReadFieldWords } from "./field-words.ts";
import { fillSchema } from "./fill-schema.ts";
import { getPages, type GetPagesDeps } from "./get-pages.ts";
import type { ScoredSentence } from "../rank/score-sentences.ts";
import { joinNeighbours, pickHighlights, shareBudget, type Highlight } from "./highlights.ts";
import type { ScoreSentences } from "./sentence-scorer.ts";
import { findSubpages, type SubpageDeps } from "./subpages.ts";
import { summarise } from "./summary.ts";
import { readTextContent } from "./text-content.ts";
import type { UpstreamName } from "../upstream/upstream-provider.ts";

/** What contents are made from outside. */
export interface ContentsDeps extends GetPagesDeps, SubpageDeps {
  readonly scoreSentences: ScoreSentences;
  /** Absent: no language model is set, and summaries are made of the pages' own sentences. */
  readonly writer?: ContentWriter | undefined;
}

/** What a result shows of its page without contents. */
export interface ShownFacts {
  readonly url: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly publishedAt: Date | null;
  readonly image: string | null;
  readonly favicon: string | null;
  /** The provider that named the page, when it was not in the index. */
  readonly upstream?: UpstreamName;
}

/** A result before its contents. */
export interface ResultItem {
  readonly id: string;
  readonly facts: ShownFacts;
  /** Undefined when contents were asked for and could not be had: they are then empty. */
  readonly page: ContentPage | undefined;
  readonly score?: number | undefined;
  /** Where ranking found the page near in meaning. */
  readonly passages?: readonly ScoredSentence[] | undefined;
  readonly snapshotAt?: Date | undefined;
}

/** How results are shaped. */
export interface ShapeWish {
  readonly plan: ContentsPlan;
  /** What highlights and summaries look for, unless they have a query of their own. */
  readonly query: string | undefined;
  readonly teamIds: readonly string[];
  readonly category?: string | undefined;
  /** Whether results say where their quotes stand. */
  readonly evidence: boolean;
}

/** Results with the contents that were asked for, and the context string over them. */
export interface ShapedResults {
  readonly results: SearchResult[];
  readonly context: string | undefined;
}

/** Makes results: only the keys that were asked for, subpages included. */
export async function shapeResults(
  deps: ContentsDeps,
  items: readonly ResultItem[],
  wish: ShapeWish,
  signal: AbortSignal,
): Promise<ShapedResults> {
  const { plan } = wish;
  const whole = await shapeItems(deps, items, wish, signal);
  if (plan.subpages > 0) await addSubpages(deps, { items, results: whole, wish }, signal);
  const results = plan.dropsEmpty ? whole.filter((result, place) => hasContent(result, items[place], wish)) : whole;
  if (plan.contextCharacters === undefined) return { results, context: undefined };
  const texts = new Map(items.map(({ id, page }) => [id, page?.markdown ?? page?.text ?? ""]));
  const entries = results.map(({ id, title, url, publishedDate, text }) => ({
    title,
    url,
    publishedDate,
    text: text ?? texts.get(id) ?? "",
  }));
  return { results, context: composeContext(entries, plan.contextCharacters) };
}

async function shapeItems(
  deps: ContentsDeps,
  items: readonly ResultItem[],
  wish: ShapeWish,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const highlights = highlightAll(deps, items, wish);
  const readFieldWords = createFieldReader(summaryQueryOf(wish) ?? "");
  return Promise.all(
    items.map(async (item, index) => {
      signal.throwIfAborted();
      return {
        ...showFacts(item),
        ...(await showContents(deps, item, { ...wish, highlights: highlights?.[index], readFieldWords }, signal)),
      };
    }),
  );
}

/** The facts of a result, on their own the whole of a search without contents. */
export function showFacts({ id, facts, score, snapshotAt }: ResultItem): SearchResult {
  return {
    id,
    title: facts.title ?? facts.url,
    url: facts.url,
    ...(facts.publishedAt !== null && { publishedDate: facts.publishedAt.toISOString() }),
    author: facts.author,
    ...(score !== undefined && { score }),
    ...(facts.image !== null && { image: facts.image }),
    ...(facts.favicon !== null && { favicon: facts.favicon }),
    ...(snapshotAt !== undefined && { snapshotAt: snapshotAt.toISOString() }),
    ...(facts.upstream !== undefined && { quarry: { source: facts.upstream } }),
  };
}

async function showContents(
  deps: ContentsDeps,
  { page, facts }: ResultItem,
  wish: ShapeWish & {
    readonly highlights: readonly Highlight[] | undefined;
    readonly readFieldWords: ReadFieldWords;
  },
  signal: AbortSignal,
): Promise<Partial<SearchResult>> {
  const { highlights } = wish;
  const { text, summary, extras } = wish.plan;
  const entities =
    page !== undefined && wish.category !== undefined && hasEntities(wish.category)
      ? readEntities(page, wish.category)
      : [];
  return {
    ...(text !== undefined && { text: page === undefined ? "" : await readTextContent(deps, page, text) }),
    ...(highlights !== undefined && {
      highlights: highlights.map((highlight) => highlight.text),
      highlightScores: highlights.map(({ score }) => score),
    }),
    ...(summary !== undefined && { summary: page === undefined ? "" : await summaryOf(deps, page, wish, signal) }),
    ...(extras !== undefined && { extras: page === undefined ? {} : readExtras(page, extras) }),
    ...(entities.length > 0 && { entities: [...entities] }),
    ...(wish.evidence && page !== undefined && { quarry: evidenceOf(page, highlights, facts.upstream) }),
  };
}

async function summaryOf(
  { scoreSentences, writer }: ContentsDeps,
  page: ContentPage,
  wish: ShapeWish & { readonly readFieldWords: ReadFieldWords },
  signal: AbortSignal,
): Promise<string> {
  const { plan, readFieldWords } = wish;
  const own = summaryQueryOf(wish);
  const schema = plan.summary?.schema;
  const maxCharacters = plan.summary?.maxCharacters ?? 0;
  if (schema !== undefined) {
    const asked = { schema, query: own ?? "" };
    const filled =
      (await writer?.fill([page], asked, signal)) ??
      fillSchema(scoreSentences, { ...asked, pages: [page], readFieldWords });
    return JSON.stringify(filled.content);
  }
  const written = await writer?.summarise(page, { query: own, maxCharacters }, signal);
  return written ?? summarise(page, own, { scoreSentences, maxCharacters });
}

function summaryQueryOf({ plan, query }: ShapeWish): string | undefined {
  return plan.summary?.query ?? query;
}

function highlightAll(
  deps: ContentsDeps,
  items: readonly ResultItem[],
  { plan, query }: ShapeWish,
): readonly (readonly Highlight[])[] | undefined {
  const { highlights } = plan;
  if (highlights === undefined) return undefined;
  const picked = items.map(({ page, passages }) => {
    if (page === undefined) return [];
    const about = highlights.query ?? query ?? page.title ?? "";
    const scored = deps.scoreSentences(about, {
      ...{ text: page.text, language: page.language, unit: highlights.unit },
      passages: about === query ? passages : undefined, // near to what was searched, and not to another question
    });
    return pickHighlights(page.text, scored, highlights);
  });
  const shared = highlights.sharedCharacters === undefined ? picked : shareBudget(picked, highlights.sharedCharacters);
  if (highlights.unit === "sentence") return shared;
  return shared.map((own, place) => joinNeighbours(items[place]?.page?.text ?? "", own));
}

function evidenceOf(
  page: ContentPage,
  highlights: readonly Highlight[] | undefined,
  upstream: UpstreamName | undefined,
): NonNullable<SearchResult["quarry"]> {
  return {
    ...(upstream !== undefined && { source: upstream }),
    snapshotId: page.snapshotId,
    extractorVersion: page.extractorVersion,
    ...(highlights !== undefined && { highlights: highlights.map(({ start, end }) => ({ start, end })) }),
  };
}

/** Gets all subpages of all results at once and hangs them in; pages that cannot be had are left out. */
async function addSubpages(
  deps: ContentsDeps,
  made: { readonly items: readonly ResultItem[]; readonly results: SearchResult[]; readonly wish: ShapeWish },
  signal: AbortSignal,
): Promise<void> {
  const { plan, teamIds } = made.wish;
  const wanted = await Promise.all(
    made.items.map(async ({ page }) =>
      page === undefined
        ? []
        : findSubpages(deps, page, { count: plan.subpages, targets: plan.subpageTargets }, signal),
    ),
  );
  const pages = await getPages(deps, teamIds, wanted.flat(), plan, signal);
  for (const [index, urls] of wanted.entries()) {
    const items = urls.flatMap((url): readonly ResultItem[] => {
      const outcome = pages.get(url);
      return outcome?.kind === "found" ? [{ id: url, facts: outcome.page, page: outcome.page }] : [];
    });
    const subpages = await shapeItems(deps, items, made.wish, signal);
    const result = made.results[index];
    if (result !== undefined) made.results[index] = { ...result, subpages };
  }
}

/** Whether anything of what was asked for is there; of a result of which nothing was asked, its page. */
function hasContent(result: SearchResult, item: ResultItem | undefined, { plan, category }: ShapeWish): boolean {
  const { text = "", highlights = [], summary = "", extras = {}, subpages = [], entities = [] } = result;
  const asksNothing =
    [plan.text, plan.highlights, plan.summary, plan.extras].every((part) => part === undefined) &&
    plan.subpages === 0 &&
    !hasEntities(category);
  // The context is made of the page's text, which the result itself need not show.
  const showsPage = plan.contextCharacters !== undefined || asksNothing;
  return (
    [text, summary, showsPage ? (item?.page?.text ?? "") : ""].some((part) => part !== "") ||
    [highlights, subpages, entities, ...Object.values(extras)].some((list = []) => list.length > 0)
  );
}
