import {
  DEFAULT_LIVECRAWL_TIMEOUT_MS,
  MAX_CONTENT_CHARACTERS,
  type ContentsOptions,
  type PageSectionName,
} from "@quarry/contract";
import type { Freshness } from "./freshness.ts";
import { freshnessOf } from "./freshness.ts";

/** How a page's text is returned. */
export interface TextPlan {
  /** None when the whole text is wanted. */
  readonly maxCharacters: number | undefined;
  readonly asHtml: boolean;
  readonly verbosity: "compact" | "standard" | "full";
  readonly includeSections: readonly PageSectionName[] | undefined;
  readonly excludeSections: readonly PageSectionName[] | undefined;
}

/** How highlights are chosen. */
export interface HighlightsPlan {
  readonly query: string | undefined;
  /** Runs of so many sentences; or, with much room and nothing counted, passages as long as they are about the query. */
  readonly unit: "sentence" | "passage";
  readonly sentences: number;
  readonly perPage: number;
  /** Of one page. */
  readonly maxCharacters: number;
  /** Of all results together; undefined when each page has its own. */
  readonly sharedCharacters: number | undefined;
}

/** How a summary is made. */
export interface SummaryPlan {
  readonly query: string | undefined;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly maxCharacters: number;
}

/** How many of each extra. */
export type ExtrasPlan = Readonly<
  Record<"links" | "imageLinks" | "richLinks" | "richImageLinks" | "codeBlocks", number>
>;

/** What a request wants of each page, with nothing left open. */
export interface ContentsPlan {
  readonly text: TextPlan | undefined;
  readonly highlights: HighlightsPlan | undefined;
  readonly summary: SummaryPlan | undefined;
  readonly extras: ExtrasPlan | undefined;
  readonly contextCharacters: number | undefined;
  readonly freshness: Freshness;
  readonly fetchTimeoutMs: number;
  readonly snapshotAsOf: Date | undefined;
  readonly dropsEmpty: boolean;
  readonly subpages: number;
  readonly subpageTargets: readonly string[];
}

const DEFAULT_SENTENCES = 2;
const DEFAULT_HIGHLIGHTS = 3;
const DEFAULT_HIGHLIGHT_CHARACTERS = 2_000;
const DEFAULT_SUMMARY_CHARACTERS = 700;
/** With room for so many characters of a page, passages are shown rather than single sentences. */
const PASSAGE_CHARACTERS = 2_000;
const CHARACTERS_PER_TOKEN = 4;
const DEFAULT_CONTEXT_CHARACTERS = 50_000;
/** What dynamic highlights share, and one page has at most, by verbosity. */
const DYNAMIC_CHARACTERS = { low: 2_000, medium: 5_000, high: 10_000 } as const;

/** Reads the options of a request; `defaultsToText` when none of them names a kind of content. */
export function planContents(
  options: ContentsOptions,
  rules: { readonly defaultsToText: boolean; readonly storedOnly: boolean },
): ContentsPlan {
  const asksNothing = ![options.text, options.highlights, options.summary, options.extras, options.context].some(
    (option) => option !== undefined && option !== false,
  );
  const text = rules.defaultsToText && asksNothing && options.text === undefined ? true : options.text;
  const targets = options.subpageTarget ?? [];
  return {
    text: planText(text),
    highlights: planHighlights(options.highlights),
    summary: planSummary(options.summary),
    extras: planExtras(options.extras),
    contextCharacters: planContext(options.context),
    freshness: rules.storedOnly ? { kind: "stored-only" } : freshnessOf(options),
    fetchTimeoutMs: options.livecrawlTimeout ?? DEFAULT_LIVECRAWL_TIMEOUT_MS,
    snapshotAsOf: options.snapshotAsOf,
    dropsEmpty: options.filterEmptyResults ?? false,
    subpages: options.subpages ?? 0,
    subpageTargets: typeof targets === "string" ? [targets] : targets,
  };
}

function planText(option: ContentsOptions["text"]): TextPlan | undefined {
  if (option === undefined || option === false) return undefined;
  const given = option === true ? undefined : option;
  return {
    maxCharacters: given?.maxCharacters,
    asHtml: given?.includeHtmlTags ?? false,
    verbosity: given?.verbosity ?? "compact",
    includeSections: given?.includeSections,
    excludeSections: given?.excludeSections,
  };
}

function planHighlights(option: ContentsOptions["highlights"]): HighlightsPlan | undefined {
  if (option === undefined || option === false) return undefined;
  if (option === true) return { ...HIGHLIGHTS, query: undefined };
  const { query, numSentences, highlightsPerUrl, verbosity, dynamic } = option;
  const budget = verbosity === undefined ? undefined : DYNAMIC_CHARACTERS[verbosity];
  // With a budget of characters alone, as many highlights as fit in it.
  const many = option.maxCharacters !== undefined || budget !== undefined || dynamic === true;
  const perPage = highlightsPerUrl ?? (many ? Infinity : HIGHLIGHTS.perPage);
  const maxCharacters = option.maxCharacters ?? budget ?? charactersFor(numSentences, highlightsPerUrl);
  const isPassage = numSentences === undefined && perPage === Infinity && maxCharacters >= PASSAGE_CHARACTERS;
  return {
    query,
    unit: isPassage ? "passage" : "sentence",
    sentences: isPassage ? 1 : (numSentences ?? HIGHLIGHTS.sentences),
    perPage,
    maxCharacters,
    sharedCharacters: dynamic === true ? (budget ?? DYNAMIC_CHARACTERS.medium) : undefined,
  };
}

const HIGHLIGHTS: Omit<HighlightsPlan, "query"> = {
  unit: "sentence",
  sentences: DEFAULT_SENTENCES,
  perPage: DEFAULT_HIGHLIGHTS,
  maxCharacters: DEFAULT_HIGHLIGHT_CHARACTERS,
  sharedCharacters: undefined,
};

/** Who counts in sentences means them all: about 1,333 characters each are room enough. */
function charactersFor(sentences: number | undefined, perPage: number | undefined): number {
  if (sentences === undefined && perPage === undefined) return HIGHLIGHTS.maxCharacters;
  const wanted = (sentences ?? HIGHLIGHTS.sentences) * (perPage ?? HIGHLIGHTS.perPage) * 1_333;
  return Math.min(wanted, MAX_CONTENT_CHARACTERS);
}

function planSummary(option: ContentsOptions["summary"]): SummaryPlan | undefined {
  if (option === undefined || option === false) return undefined;
  const given = option === true ? undefined : option;
  const maxCharacters =
    given?.maxTokens === undefined
      ? DEFAULT_SUMMARY_CHARACTERS
      : Math.min(given.maxTokens * CHARACTERS_PER_TOKEN, MAX_CONTENT_CHARACTERS);
  return { query: given?.query, schema: given?.schema, maxCharacters };
}

function planExtras(option: ContentsOptions["extras"]): ExtrasPlan | undefined {
  if (option === undefined) return undefined;
  return {
    links: option.links ?? 0,
    imageLinks: option.imageLinks ?? 0,
    richLinks: option.richLinks ?? 0,
    richImageLinks: option.richImageLinks ?? 0,
    codeBlocks: option.codeBlocks ?? 0,
  };
}

function planContext(option: ContentsOptions["context"]): number | undefined {
  if (option === undefined || option === false) return undefined;
  return (option === true ? undefined : option.maxCharacters) ?? DEFAULT_CONTEXT_CHARACTERS;
}
