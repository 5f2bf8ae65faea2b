import type { SearchBody, SearchOutput, Warning } from "@quarry/contract";
import { composeOutput, writeOutput } from "./contents/compose-output.ts";
import type { ContentPage } from "./contents/content-page.ts";
import { planContents, type ContentsPlan } from "./contents/contents-plan.ts";
import { hasEntities } from "./contents/entities.ts";
import { getPages } from "./contents/get-pages.ts";
import { checkSchema, readOutputSchema, type OutputWish } from "./contents/output-schema.ts";
import {
  shapeResults,
  showFacts,
  type ContentsDeps,
  type ResultItem,
  type ShapedResults,
} from "./contents/shape-results.ts";
import type { SearchPlan } from "./find/page-query.ts";
import { contentsOptionsOf } from "./request/contents-options-of.ts";
import { findForRequest, type FindForRequestDeps } from "./request/find-for-request.ts";
import { TYPE_PLANS } from "./request/search-plan.ts";
import { runOutside } from "./request/turns.ts";
import type { FilledPage } from "./upstream/fill-from-upstream.ts";

/** What a search needs from outside. */
export interface SearchDeps extends FindForRequestDeps, ContentsDeps {}

/** A search and who asks. */
export interface SearchRequest {
  /** The caller's team first, then the shared one. */
  readonly teamIds: readonly string[];
  readonly body: SearchBody;
}

/** What a search found. */
export interface SearchOutcome extends ShapedResults {
  /** The plan that was run. */
  readonly plan: SearchPlan;
  readonly contents: ContentsPlan;
  readonly autoDate: Date | undefined;
  readonly warnings: readonly Warning[];
  /** The results' pages where they were read: what an output is made of. */
  readonly pages: readonly ContentPage[];
}

/** The read path: find pages, get their contents, shape results. An output is made of these by `composeSearchOutput`. */
export async function search(deps: SearchDeps, request: SearchRequest, signal: AbortSignal): Promise<SearchOutcome> {
  const { teamIds, body } = request;
  const output = readOutputWish(body);
  const contents = planOf(body);
  const found = await findForRequest(deps, request, signal);
  const evidence = body.quarry?.evidence === true;
  const wish = { teamIds, plan: contents, category: body.category, isRead: output !== undefined || evidence };
  const readAndShape = async () => {
    const items = await readItems(deps, found.pages, wish, signal);
    const shape = { plan: contents, query: body.query, teamIds, category: body.category, evidence };
    const isShaped = asksForContents(contents, body.category) || evidence;
    const shaped = isShaped
      ? await shapeResults(deps, items, shape, signal)
      : { results: items.map(showFacts), context: undefined };
    return { items, shaped };
  };
  const { items, shaped } = await (waitsForOthers(deps, contents)
    ? runOutside(deps.turns, readAndShape)
    : readAndShape());
  return {
    ...shaped,
    plan: TYPE_PLANS[body.type ?? "auto"].plan,
    contents,
    autoDate: found.autoDate,
    warnings: [...found.warnings, ...(output === undefined || deps.writer !== undefined ? [] : [EXTRACTIVE])],
    pages: items.flatMap(({ page }) => page ?? []),
  };
}

/** The output that the request asked for; undefined when it asked for none. */
export function composeSearchOutput(
  { scoreSentences }: Pick<SearchDeps, "scoreSentences">,
  { body }: SearchRequest,
  { pages }: SearchOutcome,
): SearchOutput | undefined {
  const output = readOutputWish(body);
  if (output === undefined) return undefined;
  return composeOutput(scoreSentences, { output, query: body.query, systemPrompt: body.systemPrompt, pages });
}

/** The same, by the language model where one is set; a warning when it could not, and the pages' own sentences stand in for it. */
export async function writeSearchOutput(
  deps: Pick<SearchDeps, "scoreSentences" | "writer">,
  request: SearchRequest,
  outcome: SearchOutcome,
  signal: AbortSignal,
): Promise<{ readonly output: SearchOutput | undefined; readonly warnings: readonly Warning[] }> {
  const { body } = request;
  const output = readOutputWish(body);
  if (output === undefined || deps.writer === undefined) {
    return { output: composeSearchOutput(deps, request, outcome), warnings: [] };
  }
  const wish = { output, query: body.query, systemPrompt: body.systemPrompt, pages: outcome.pages };
  const written = await writeOutput(deps.writer, wish, signal);
  if (written !== undefined) return { output: written, warnings: [] };
  return { output: composeOutput(deps.scoreSentences, wish), warnings: [EXTRACTIVE] };
}

const EXTRACTIVE: Warning = {
  code: "extractive_output",
  message: "the output is made of sentences and values found on the pages; no language model wrote it",
};

function readOutputWish({ outputSchema }: SearchBody): OutputWish | undefined {
  return outputSchema === undefined ? undefined : readOutputSchema(outputSchema);
}

/** The contents that a search or findSimilar asks for. */
export function planOf(body: Parameters<typeof contentsOptionsOf>[0] & Pick<SearchBody, "compliance">): ContentsPlan {
  const plan = planContents(contentsOptionsOf(body) ?? {}, {
    defaultsToText: false,
    storedOnly: body.compliance === "hipaa",
  });
  if (plan.summary?.schema !== undefined) checkSchema("contents.summary.schema", plan.summary.schema);
  return plan;
}

/** Whether contents may have to come from other servers, rather than from the store alone. */
export function waitsForOthers({ writer }: Pick<SearchDeps, "writer">, plan: ContentsPlan): boolean {
  const { freshness, snapshotAsOf, subpages, summary } = plan;
  const mayFetchResults = freshness.kind === "fetch" || freshness.kind === "max-age";
  return (
    (mayFetchResults && snapshotAsOf === undefined) ||
    (subpages > 0 && freshness.kind !== "stored-only") ||
    (summary !== undefined && writer !== undefined)
  );
}

/** Whether anything but facts is wanted. */
export function asksForContents(plan: ContentsPlan, category: string | undefined): boolean {
  const { text, highlights, summary, extras, contextCharacters } = plan;
  return (
    [text, highlights, summary, extras, contextCharacters, plan.snapshotAsOf].some((part) => part !== undefined) ||
    plan.subpages > 0 ||
    hasEntities(category)
  );
}

/**
 * The pages of results. What the index found and the store no longer has was just deleted, and is left out; what could
 * not be fetched as fresh as wished stays, without contents.
 */
export async function readItems(
  deps: ContentsDeps,
  pages: readonly FilledPage[],
  wish: {
    readonly teamIds: readonly string[];
    readonly plan: ContentsPlan;
    readonly category: string | undefined;
    /** The pages are read although no result shows of it. */
    readonly isRead: boolean;
  },
  signal: AbortSignal,
): Promise<readonly ResultItem[]> {
  const { plan } = wish;
  const itemOf = (page: FilledPage): ResultItem => ({
    id: page.url,
    facts: page,
    page: undefined,
    score: page.score,
    passages: page.passages,
  });
  if (!wish.isRead && !asksForContents(plan, wish.category)) return pages.map(itemOf);
  const isFromStore = plan.freshness.kind === "fetch-missing" || plan.freshness.kind === "stored-only";
  const read = await getPages(
    deps,
    wish.teamIds,
    pages.map(({ url }) => url),
    isFromStore ? { ...plan, freshness: { kind: "stored-only" } } : plan,
    signal,
  );
  return pages.flatMap((page) => {
    const outcome = read.get(page.url);
    if (outcome?.kind === "found") {
      const { snapshotAt } = outcome;
      const isSame = outcome.source === "cached" && snapshotAt === undefined;
      return [{ ...itemOf(page), page: outcome.page, snapshotAt, passages: isSame ? page.passages : [] }];
    }
    const isGone = isFromStore && plan.snapshotAsOf === undefined && page.upstream === undefined;
    return isGone ? [] : [itemOf(page)];
  });
}
