import { z } from "zod";
import { absentable, instant } from "./values.ts";

/** The most characters of one text, or of all highlights of a page, that can be asked for; more is cut to this. */
export const MAX_CONTENT_CHARACTERS = 10_000;
/** How long a page may take to be fetched, unless told. */
export const DEFAULT_LIVECRAWL_TIMEOUT_MS = 10_000;
/** The most subpages of one request, over all its pages. */
export const MAX_SUBPAGES = 100;

/** Parts of a page that `includeSections` and `excludeSections` name. */
export const pageSections = [
  "header",
  "navigation",
  "banner",
  "body",
  "sidebar",
  "footer",
  "metadata",
  "unspecified",
] as const;

/** Old clients send more than the limit; they get the limit. */
const maxCharacters = z
  .int()
  .min(1)
  .transform((characters) => Math.min(characters, MAX_CONTENT_CHARACTERS))
  .describe(`How many characters at most; more than ${MAX_CONTENT_CHARACTERS} count as that.`);

const sections = z.array(z.enum(pageSections)).max(pageSections.length * 2);

const textSchema = z.object({
  maxCharacters: absentable(maxCharacters),
  includeHtmlTags: absentable(z.boolean()).describe("Light HTML instead of Markdown."),
  verbosity: absentable(z.enum(["compact", "standard", "full"])).describe(
    "compact: the main text (the default); standard: all of the page's body; full: also its frame.",
  ),
  includeSections: absentable(sections).describe("Only these parts of the page."),
  excludeSections: absentable(sections).describe("All parts of the page but these."),
});

const ownQuery = z.string().max(10_000).describe("What to look for; the request's query unless given.");

const highlightsSchema = z.object({
  query: absentable(ownQuery),
  maxCharacters: absentable(maxCharacters),
  numSentences: absentable(z.int().min(1).max(1_000)).describe("Sentences of one highlight."),
  highlightsPerUrl: absentable(z.int().min(1).max(1_000)).describe("Highlights of one page."),
  verbosity: absentable(z.enum(["low", "medium", "high"])).describe(
    "How much to show; needs the header Exa-Beta: dynamic-highlights-2026-08-28.",
  ),
  dynamic: absentable(z.boolean()).describe("One budget for all results; needs the same header."),
});

const summarySchema = z.object({
  query: absentable(ownQuery),
  schema: absentable(z.record(z.string(), z.unknown())).describe(
    "A JSON Schema; the summary is then JSON that fits it.",
  ),
  maxTokens: absentable(z.int().min(1)),
});

const count = absentable(z.int().min(0).max(1_000));

/** The content kinds and how fresh they must be: under `contents`, and at the top level of `/contents`. */
export const contentsShape = {
  text: absentable(z.union([z.boolean(), textSchema])).describe("The page's text as Markdown."),
  highlights: absentable(z.union([z.boolean(), highlightsSchema])).describe("The best sentences for the query."),
  summary: absentable(z.union([z.boolean(), summarySchema])).describe("A summary of the page."),
  extras: absentable(
    z.object({ links: count, imageLinks: count, richLinks: count, richImageLinks: count, codeBlocks: count }),
  ).describe("How many of each to return."),
  context: absentable(z.union([z.boolean(), z.object({ maxCharacters: absentable(maxCharacters) })])).describe(
    "One string over all results, for a model to read.",
  ),
  livecrawl: absentable(z.enum(["never", "fallback", "always", "preferred", "auto"])).describe(
    "Deprecated, use maxAgeHours. never: stored pages only; fallback (the default): fetch what is not stored; " +
      "preferred: fetch, and use the stored page where that fails; always: fetch or fail.",
  ),
  livecrawlTimeout: absentable(z.int().min(1).max(90_000)).describe("Milliseconds that fetching a page may take."),
  maxAgeHours: absentable(z.int().min(-1).max(720)).describe(
    "A stored page older than this is fetched anew; 0: always; -1: never.",
  ),
  snapshotAsOf: absentable(instant()).describe("The copy that was stored at that moment."),
  filterEmptyResults: absentable(z.boolean()).describe("Leave out results without content."),
  subpages: absentable(z.int().min(0)).describe(`Linked pages to return with each page; ${MAX_SUBPAGES} in all.`),
  subpageTarget: absentable(
    z.union([z.string().min(1).max(100), z.array(z.string().min(1).max(100)).max(100)]),
  ).describe("Words that tell which linked pages are wanted."),
} as const;

/** `contents` of `/search` and `/findSimilar`. */
export const contentsOptionsSchema = z.object(contentsShape).meta({ id: "ContentsOptions" });

/** What a caller asked of contents; all of it may be left out. */
export type ContentsOptions = Partial<z.output<typeof contentsOptionsSchema>>;
/** A part of a page, by name. */
export type PageSectionName = (typeof pageSections)[number];
