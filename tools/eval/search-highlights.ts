import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { chunkText, createAnalyser, type TermStatistics, type TextRange } from "@quarry/retrieval";
import { createSentenceScorer } from "@quarry/search";
import type { HighlightsPlan } from "../../packages/search/src/contents/contents-plan.ts";
import { joinNeighbours, pickHighlights } from "../../packages/search/src/contents/highlights.ts";
import { openCachedEmbedder } from "./cached-embedder.ts";
import type { Table } from "./print-table.ts";

/** What the published row reaches: recursive splitter of 200 tokens, the best five chunks by text-embedding-3-large. */
export const PUBLISHED_HIGHLIGHTS = { recall: 0.881, precision: 0.07 } as const;

/** How well highlights hold the answers of some questions. */
export interface HighlightFigures {
  readonly questions: number;
  /** The share of the gold excerpts that is shown, and the share of what is shown that is gold, in characters. */
  readonly recall: number;
  readonly precision: number;
  readonly shares: number;
  /** Characters shown, the mean over questions. */
  readonly shown: number;
}

/** Half of the questions is what highlights are tuned on. */
export type QuestionHalf = "tuned on" | "held out";

/** What `highlights: {maxCharacters}` asks of a page; what is not about the question is left out all the same. */
export const HIGHLIGHT_BUDGETS = [3_000, 5_000] as const;

function planOf(maxCharacters: number): HighlightsPlan {
  return {
    query: undefined,
    unit: "passage",
    sentences: 1,
    perPage: Infinity,
    maxCharacters,
    sharedCharacters: undefined,
  };
}

/** Whether the highlights of a page for a question hold its answer. Undefined when the set is missing. */
export async function evaluateHighlights(
  dataDir: string,
  sample: number | undefined,
  progress: (line: string) => void,
): Promise<Table | undefined> {
  const set = readHighlightSet(dataDir, sample);
  if (set === undefined) return undefined;
  const embedder = openCachedEmbedder("chunking-eval", progress);
  const chunksOf = new Map<string, readonly EmbeddedChunk[]>();
  for (const [corpus, text] of set.texts) chunksOf.set(corpus, await embedChunks(embedder.embed, text));
  const best = new Map<Question, BestChunk>();
  for (const question of set.questions) {
    const chunk = await nearestChunk(embedder.embed, chunksOf.get(question.corpus) ?? [], question.question);
    if (chunk !== undefined) best.set(question, chunk);
  }
  await embedder.close();
  const rows: (string | number)[][] = [];
  for (const [by, chunkOf] of [
    ["words", () => undefined],
    ["words and the nearest chunk", (question: Question) => best.get(question)],
  ] as const) {
    for (const budget of HIGHLIGHT_BUDGETS) {
      for (const [half, { questions, recall, precision, shares, shown }] of measureHighlights(set, budget, chunkOf)) {
        rows.push([by, budget, half, questions, recall, precision, shares, shown]);
      }
    }
  }
  const { recall, precision } = PUBLISHED_HIGHLIGHTS;
  return {
    title: `chunking-eval: highlights (published, recursive splitter: recall ${recall}, precision ${precision})`,
    columns: ["by", "budget", "questions", "count", "recall", "precision", "IoU", "characters"],
    rows,
  };
}

/** Picks highlights for every question, as a reply has them, and compares them with the gold excerpts, by half. */
export function measureHighlights(
  { questions, texts }: HighlightSet,
  maxCharacters: number,
  chunkOf: (question: Question) => BestChunk | undefined,
): ReadonlyMap<QuestionHalf, HighlightFigures> {
  const statistics = statisticsOf([...texts.values()]);
  const scoreSentences = createSentenceScorer(() => statistics);
  const plan = planOf(maxCharacters);
  const results = questions.map((question) => {
    const text = texts.get(question.corpus) ?? "";
    const chunk = chunkOf(question);
    const scored = scoreSentences(question.question, {
      text,
      language: "en",
      unit: plan.unit,
      passages: chunk === undefined ? [] : [{ start: chunk.start, end: chunk.end, score: chunk.cosine }],
    });
    const shown = joinNeighbours(text, pickHighlights(text, scored, plan));
    const [gold, seen] = [sizeOf(question.references), sizeOf(shown)];
    const common = overlapOf(question.references, shown);
    return {
      half: halfOf(question),
      recall: common / Math.max(1, gold),
      precision: common / Math.max(1, seen),
      shares: common / Math.max(1, gold + seen - common),
      shown: seen,
    };
  });
  return new Map(
    (["tuned on", "held out"] as const).map((half) => {
      const own = results.filter((result) => result.half === half);
      const mean = (name: "recall" | "precision" | "shares" | "shown"): number => meanOf(own.map((one) => one[name]));
      return [
        half,
        {
          questions: own.length,
          recall: mean("recall"),
          precision: mean("precision"),
          shares: mean("shares"),
          shown: mean("shown"),
        },
      ];
    }),
  );
}

/** Questions with their gold excerpts, and the texts these stand in. */
export interface HighlightSet {
  readonly questions: readonly Question[];
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the set, or every so many-th question of it; undefined when it is missing. */
export function readHighlightSet(dataDir: string, sample?: number): HighlightSet | undefined {
  const folder = path.join(dataDir, "chunking-eval");
  if (!existsSync(folder)) return undefined;
  const all = readQuestions(folder);
  const step = sample === undefined ? 1 : Math.max(1, Math.floor(all.length / sample));
  const questions = all.filter((_, index) => index % step === 0);
  const corpora = [...new Set(questions.map(({ corpus }) => corpus))];
  return {
    questions,
    texts: new Map(corpora.map((corpus) => [corpus, gunzip(path.join(folder, "corpora", `${corpus}.md.gz`))])),
  };
}

/** By a hash, so that it stays as it is whatever becomes of the order. */
export function halfOf({ question }: Pick<Question, "question">): QuestionHalf {
  const [first = 0] = createHash("sha256").update(question).digest();
  return first % 2 === 0 ? "tuned on" : "held out";
}

/** What an index tells whose pages are these texts. */
function statisticsOf(texts: readonly string[]): TermStatistics {
  const analyser = createAnalyser();
  const tokens = texts.map((text) => analyser.analyseText(text, "en"));
  const pages = tokens.map((page) => new Set(page));
  return {
    pageCount: pages.length,
    averageLength: meanOf(tokens.map(({ length }) => length)),
    pagesWith: (token) => pages.filter((page) => page.has(token)).length,
  };
}

interface Question {
  readonly corpus: string;
  readonly question: string;
  readonly references: readonly TextRange[];
}

type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

interface EmbeddedChunk extends TextRange {
  readonly vector: Float32Array | undefined;
}

async function embedChunks(embed: Embed, text: string): Promise<readonly EmbeddedChunk[]> {
  const chunks = chunkText(text, [], { title: null });
  const vectors = await embed(chunks.map(({ passage }) => passage));
  return chunks.map(({ start, end }, place) => ({ start, end, vector: vectors[place] }));
}

/** All that a search tells of a page's meaning. */
type BestChunk = TextRange & { readonly cosine: number };

async function nearestChunk(
  embed: Embed,
  chunks: readonly EmbeddedChunk[],
  question: string,
): Promise<BestChunk | undefined> {
  const [query] = await embed([question]);
  return chunks
    .map(({ start, end, vector }) => ({ start, end, cosine: dotProduct(query, vector) }))
    .reduce<BestChunk | undefined>(
      (best, one) => (best === undefined || one.cosine > best.cosine ? one : best),
      undefined,
    );
}

function dotProduct(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0;
  for (let axis = 0; axis < (one?.length ?? 0); axis += 1) sum += (one?.[axis] ?? 0) * (other?.[axis] ?? 0);
  return sum;
}

function sizeOf(ranges: readonly TextRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}

function overlapOf(one: readonly TextRange[], other: readonly TextRange[]): number {
  return one.reduce(
    (sum, first) =>
      sum +
      other.reduce(
        (inner, second) => inner + Math.max(0, Math.min(first.end, second.end) - Math.max(first.start, second.start)),
        0,
      ),
    0,
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function readQuestions(folder: string): readonly Question[] {
  return parseCsv(gunzip(path.join(folder, "questions_df.csv.gz")))
    .slice(1)
    .filter((fields) => fields.length === 3)
    .map(([question = "", references = "[]", corpus = ""]) => ({
      question,
      corpus,
      references: (JSON.parse(references) as readonly { start_index: number; end_index: number }[]).map(
        ({ start_index: start, end_index: end }) => ({ start, end }),
      ),
    }));
}

/** Comma-separated values with quoted fields, in which a doubled quote is a quote. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  for (const { groups } of text.matchAll(/(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>[^",\r\n]*))(?<end>,|\r?\n|$)/g)) {
    rows.at(-1)?.push(groups?.["quoted"]?.replaceAll('""', '"') ?? groups?.["plain"] ?? "");
    if (groups?.["end"] !== ",") rows.push([]);
  }
  return rows;
}

function gunzip(file: string): string {
  return gunzipSync(readFileSync(file)).toString("utf8");
}
