import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { decodeText, linesOf } from "../workspace/text-file.ts";
import { passageOf } from "./analyse-file.ts";
import type { CodeIndex, IndexedChunk } from "./code-index.ts";
import { questionWords } from "./code-words.ts";
import type { CodeEmbedder, VectorFile } from "./vector-file.ts";

/** A chunk that answers a question, and how well: 1 is best. */
export interface FoundCode {
  readonly chunk: IndexedChunk;
  readonly score: number;
}

/** Where to search, and by what. */
export interface SearchedIndex {
  readonly root: string;
  readonly index: CodeIndex;
  /** Absent where there is no model for vectors. */
  readonly vectors?: { readonly embedder: CodeEmbedder; readonly file: VectorFile };
}

/** How many chunks words and vectors each bring. */
const CANDIDATES = 200;
/** The best chunks by words get their vectors at once when they have none yet. */
const EMBEDDED_AT_ONCE = 16;
/** How much words and vectors count, and between which nearnesses a vector tells anything; looked at on CoSQA's dev split alone. */
const WORD_WEIGHT = 0.4;
const FAR = 0.1;
const NEAR = 0.7;

/** Finds chunks by words and by meaning, best first. Without a model it is by words alone. */
export async function searchCode(
  searched: SearchedIndex,
  asked: { readonly query: string; readonly limit: number; readonly isWanted: (relative: string) => boolean },
  signal: AbortSignal,
): Promise<readonly FoundCode[]> {
  const { index, vectors } = searched;
  const isWanted = (number: number): boolean => {
    const chunk = index.chunk(number);
    return chunk !== undefined && asked.isWanted(chunk.relative);
  };
  const byWords = index.words.find(questionWords(asked.query), CANDIDATES, isWanted);
  const best = byWords[0]?.score ?? 1;
  const scores = new Map(byWords.map(({ chunk, score }) => [chunk, (score / best) * (vectors ? WORD_WEIGHT : 1)]));
  if (vectors !== undefined) {
    await embedFirst(searched, byWords, signal);
    const [vector] = await vectors.embedder.embed([asked.query], signal);
    for (const chunk of index.chunks()) {
      const nearness = vector === undefined ? undefined : vectors.file.nearness(chunk.key, vector);
      if (nearness === undefined || (nearness < FAR && !scores.has(chunk.number)) || !asked.isWanted(chunk.relative))
        continue;
      scores.set(chunk.number, (scores.get(chunk.number) ?? 0) + (1 - WORD_WEIGHT) * toShare(nearness));
    }
  }
  return [...scores]
    .sort(([chunk, score], [otherChunk, otherScore]) => otherScore - score || chunk - otherChunk)
    .slice(0, asked.limit)
    .flatMap(([number, score]) => {
      const chunk = index.chunk(number);
      return chunk === undefined ? [] : [{ chunk, score: Math.min(1, score) }];
    });
}

function toShare(nearness: number): number {
  return Math.max(0, Math.min(1, (nearness - FAR) / (NEAR - FAR)));
}

async function embedFirst(
  searched: SearchedIndex,
  byWords: readonly { readonly chunk: number }[],
  signal: AbortSignal,
): Promise<void> {
  const chunks = byWords.slice(0, EMBEDDED_AT_ONCE).flatMap(({ chunk }) => searched.index.chunk(chunk) ?? []);
  await embedChunks(searched, chunks, signal);
}

/** Makes the vectors that these chunks lack. A chunk whose file changed since it was indexed gets none. */
export async function embedChunks(
  searched: SearchedIndex,
  chunks: readonly IndexedChunk[],
  signal: AbortSignal,
): Promise<void> {
  const { root, vectors } = searched;
  if (vectors === undefined) return;
  const lacking = chunks.filter(({ key }) => !vectors.file.has(key));
  const passages = (await Promise.all(lacking.map((chunk) => readPassage(root, chunk)))).flat();
  if (passages.length === 0) return;
  const made = await vectors.embedder.embed(
    passages.map(({ text }) => text),
    signal,
  );
  await vectors.file.add(
    passages.flatMap(({ key }, at) => {
      const vector = made[at];
      return vector === undefined ? [] : [[key, vector] as const];
    }),
  );
}

async function readPassage(
  root: string,
  chunk: IndexedChunk,
): Promise<readonly { readonly key: string; readonly text: string }[]> {
  const bytes = await readFile(path.join(root, chunk.relative)).catch(() => undefined); // gone; the next refresh says so
  const lines = linesOf((bytes === undefined ? undefined : decodeText(bytes)?.text) ?? "");
  const text = passageOf(chunk.relative, chunk.header, lines.slice(chunk.startLine - 1, chunk.endLine).join("\n"));
  const key = createHash("sha256").update(text).digest("hex").slice(0, 32);
  return key === chunk.key ? [{ key, text }] : [];
}
