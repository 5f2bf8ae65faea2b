import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { chunkText, createAnalyser, type TextRange } from "@quarry/retrieval";
import { pickHighlights } from "../../packages/search/src/contents/highlights.ts";
import { scoreSentences } from "../../packages/search/src/rank/score-sentences.ts";
import { openCachedEmbedder } from "./cached-embedder.ts";
import type { Table } from "./print-table.ts";

/** Characters of a page that are shown: about what five chunks of up to 200 tokens have. */
const SHOWN_CHARACTERS = 3_100;
const PLAN = { query: undefined, sentences: 1, perPage: Infinity, sharedCharacters: undefined } as const;

/**
 * Whether the sentences that score best for a question hold its answer: the share of the gold excerpts that is shown
 * (recall) and the share of what is shown that is gold (precision), in characters. Undefined when the set is missing.
 */
export async function evaluateHighlights(
  dataDir: string,
  sample: number | undefined,
  progress: (line: string) => void,
): Promise<Table | undefined> {
  const folder = path.join(dataDir, "chunking-eval");
  if (!existsSync(folder)) return undefined;
  const all = readQuestions(folder);
  const step = sample === undefined ? 1 : Math.max(1, Math.floor(all.length / sample));
  const questions = all.filter((_, index) => index % step === 0);
  const texts = new Map(
    [...new Set(questions.map(({ corpus }) => corpus))].map((corpus) => [
      corpus,
      gunzip(path.join(folder, "corpora", `${corpus}.md.gz`)),
    ]),
  );
  const embedder = openCachedEmbedder("chunking-eval", progress);
  const chunksOf = new Map<string, readonly EmbeddedChunk[]>();
  for (const [corpus, text] of texts) chunksOf.set(corpus, await embedChunks(embedder.embed, text));
  const rows: (string | number)[][] = [];
  for (const uses of ["words", "words and vectors"] as const) {
    const analyser = createAnalyser();
    const [recalls, precisions, shares]: [number[], number[], number[]] = [[], [], []];
    for (const { corpus, question, references } of questions) {
      const text = texts.get(corpus) ?? "";
      const scored = scoreSentences(text, {
        query: question,
        language: "en",
        unit: "passage",
        analyser,
        similarities:
          uses === "words" ? undefined : await similarChunks(embedder.embed, chunksOf.get(corpus) ?? [], question),
      });
      const shown = pickHighlights(text, scored, { ...PLAN, maxCharacters: SHOWN_CHARACTERS });
      const [gold, seen] = [sizeOf(references), sizeOf(shown)];
      const common = overlapOf(references, shown);
      recalls.push(common / Math.max(1, gold));
      precisions.push(common / Math.max(1, seen));
      shares.push(common / Math.max(1, gold + seen - common));
    }
    rows.push([uses, questions.length, meanOf(recalls), meanOf(precisions), meanOf(shares)]);
  }
  await embedder.close();
  return {
    title:
      "chunking-eval: highlights (published, recursive splitter of 200 tokens, five chunks by text-embedding-3-large: recall .881, precision .070)",
    columns: ["by", "questions", "recall", "precision", "IoU"],
    rows,
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

async function similarChunks(
  embed: Embed,
  chunks: readonly EmbeddedChunk[],
  question: string,
): Promise<readonly (TextRange & { readonly cosine: number })[]> {
  const [query] = await embed([question]);
  return chunks.map(({ start, end, vector }) => ({ start, end, cosine: dotProduct(query, vector) }));
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
