import { AppError, isUrl } from "@quarry/base";
import { registrableDomain } from "@quarry/crawl";
import { chunkText, createAnalyser, type IndexFilter } from "@quarry/retrieval";
import { expandQuery } from "../rank/expand-query.ts";
import { fuseCandidates } from "../rank/fuse-candidates.ts";
import { guessLanguages } from "../understand/guess-languages.ts";
import { keyOf, type Candidate } from "./candidate.ts";
import { findCandidates, type CandidateSearch, type FoundCandidates } from "./find-candidates.ts";
import { finishPages } from "./finish-pages.ts";
import { checkPageLimit } from "./find-pages.ts";
import type { FindPagesDeps, FoundPages } from "./page-query.ts";
import { startTimer } from "./start-timer.ts";

/** A page to find others like. */
export interface SimilarQuery {
  /** The caller's team first, then the shared one. */
  readonly teamIds: readonly string[];
  readonly url: string;
  /** 1 to MAX_PAGES. */
  readonly limit: number;
  readonly filter: Omit<IndexFilter, "teamIds">;
  readonly includeText?: readonly string[] | undefined;
  readonly excludeText?: readonly string[] | undefined;
  readonly excludeSourceDomain?: boolean | undefined;
  /** The page's text when it is not in the store: fetched by the caller. */
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly explain?: boolean | undefined;
}

/** Parts of the page that are compared; each costs one embedding. */
const MAX_PARTS = 3;
const DEPTH = 100;
const CHECKED_DEPTH = 500;
/** Of a longer page no more is read. */
const MAX_READ_CHARACTERS = 20_000;
/** What the page's telling words count beside the cosine of its parts. */
const WEIGHTS = { words: 0.25, meaning: 1 };

const analyser = createAnalyser();

/**
 * The pages most like a page, by the meaning of its parts and by its telling words; the page itself is never among
 * them. Throws `not_found` when neither a text is given nor one is stored; without vectors it goes by words and says so.
 */
export async function findSimilarPages(
  deps: FindPagesDeps,
  query: SimilarQuery,
  signal: AbortSignal,
): Promise<FoundPages> {
  checkPageLimit(query.limit);
  const timer = startTimer();
  const text = (query.text ?? (await readOwnText(deps, query, signal)))?.slice(0, MAX_READ_CHARACTERS);
  if (text === undefined) {
    throw new AppError("not_found", `${query.url} is not stored; give its text, or add it with: quarry crawl URL`);
  }
  const search = toSearch(deps, query, text);
  timer.lap("understand");
  const [backlog, byWords, ...byParts] = await Promise.all([
    deps.vectorBacklog?.(query.teamIds),
    findCandidates(deps, { ...search, by: "words", meaning: "" }, signal),
    ...partsOf(text, query.title).map((meaning) => findByPart(deps, { ...search, meaning }, signal)),
  ]);
  const candidates = meanOfParts([byWords, ...byParts].map((found) => found.candidates));
  const bestCosine = Math.max(0, ...candidates.map(({ meaning }) => meaning?.score ?? 0));
  const weights = bestCosine === 0 ? { words: 1 } : WEIGHTS;
  const fused = fuseCandidates(candidates, { idealWordScore: 0, isCompleted: false, weights });
  timer.lap("find");
  const finished = await finishPages(
    deps,
    {
      pages: fused.map((page) => ({ ...page, features: undefined })),
      weights,
      vectorsMissing: byParts.find(({ vectorsMissing }) => vectorsMissing !== undefined)?.vectorsMissing,
      read: new Map(),
    },
    { ...query, wantsFresh: false, isDiverse: false, isCertain: false, backlog },
    signal,
  );
  timer.lap("finish");
  return { ...finished, timings: timer.laps() };
}

function findByPart(deps: FindPagesDeps, search: CandidateSearch, signal: AbortSignal): Promise<FoundCandidates> {
  // By both, so that missing vectors are an answer and not a rejection; the words found are those found anyway.
  return findCandidates(deps, { ...search, words: { text: "" }, by: "both" }, signal);
}

function toSearch(deps: FindPagesDeps, query: SimilarQuery, text: string): CandidateSearch {
  const language = guessLanguages(text.slice(0, 1_000))[0] ?? null;
  const read = [{ text: `${query.title ?? ""}\n${text}`, language }];
  const isChecked = (query.includeText?.length ?? 0) + (query.excludeText?.length ?? 0) > 0;
  return {
    words: {
      text: expandQuery(analyser, read, deps.index.termStatistics()).join(" "),
      phrases: query.includeText ?? [],
      languages: guessLanguages(text.slice(0, 1_000)),
    },
    meaning: "",
    by: "words",
    filter: {
      ...query.filter,
      teamIds: query.teamIds,
      excludeUrls: [...new Set([...(query.filter.excludeUrls ?? []), query.url])],
      excludeDomains: [...(query.filter.excludeDomains ?? []), ...ownSite(query)],
    },
    depth: isChecked ? CHECKED_DEPTH : DEPTH,
    isCompleted: false,
    explain: query.explain ?? false,
  };
}

/** All hosts of the page's owner, when they are to be left out. */
function ownSite({ excludeSourceDomain, url }: SimilarQuery): readonly string[] {
  if (excludeSourceDomain !== true || !isUrl(url)) return [];
  const { host, hostname } = new URL(url);
  return [registrableDomain(hostname) ?? host];
}

/** The beginning of the page, and parts from further on, as they would be embedded. */
function partsOf(text: string, title: string | undefined): readonly string[] {
  const chunks = chunkText(text, [], { title: title ?? null });
  if (chunks.length <= MAX_PARTS) return chunks.map(({ passage }) => passage);
  const step = (chunks.length - 1) / (MAX_PARTS - 1);
  return Array.from({ length: MAX_PARTS }, (_, part) => chunks[Math.round(part * step)]?.passage ?? "");
}

/** Each page once: its score by words, and the mean of its cosines with the parts, 0 where a part is far from it. */
function meanOfParts(lists: readonly (readonly Candidate[])[]): readonly Candidate[] {
  const parts = Math.max(1, lists.length - 1);
  const merged = new Map<string, Candidate>();
  for (const candidate of lists.flat()) {
    const key = keyOf(candidate.facts);
    const known = merged.get(key);
    const own = candidate.meaning;
    merged.set(key, {
      facts: candidate.facts,
      words: known?.words ?? candidate.words,
      meaning:
        own === undefined
          ? known?.meaning
          : {
              ...(known?.meaning !== undefined && known.meaning.score * parts > own.score ? known.meaning : own),
              score: (known?.meaning?.score ?? 0) + own.score / parts,
            },
    });
  }
  return [...merged.values()];
}

async function readOwnText(
  { readTexts }: FindPagesDeps,
  { teamIds, url }: SimilarQuery,
  signal: AbortSignal,
): Promise<string | undefined> {
  const texts = await readTexts(
    teamIds.map((teamId) => ({ teamId, url })),
    signal,
  );
  return teamIds.flatMap((teamId) => texts.filter((page) => page.teamId === teamId))[0]?.text;
}
