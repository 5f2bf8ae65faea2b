import { createHash } from "node:crypto";
import { linesOf } from "../workspace/text-file.ts";
import { chunkCode } from "./chunk-code.ts";
import { codeWords, countWords } from "./code-words.ts";
import type { CodeSymbol } from "./code-symbol.ts";
import { languageOf } from "./languages.ts";
import { readSymbols } from "./read-symbols.ts";

/** What the index keeps of a file. */
export interface AnalysedFile {
  readonly lines: number;
  readonly symbols: readonly CodeSymbol[];
  readonly chunks: readonly AnalysedChunk[];
}

/** A chunk, its words, and which text a vector of it would stand for. */
export interface AnalysedChunk {
  readonly startLine: number;
  readonly endLine: number;
  readonly header: string;
  readonly words: readonly (readonly [word: string, count: number])[];
  /** Names the text of `passageOf`: a chunk that moved keeps its vector. */
  readonly key: string;
}

/** A name says more than a mention, a path less than a name. */
const NAME_WEIGHT = 2;
const PATH_WEIGHT = 1;

/** Reads a file for the index; `isPlain` by its lines alone, for one that no grammar can read. */
export async function analyseFile(
  relative: string,
  text: string,
  options: { readonly isPlain?: boolean } = {},
): Promise<AnalysedFile> {
  const lines = linesOf(text);
  const symbols = options.isPlain === true ? [] : ((await readSymbols(relative, text)) ?? []);
  // A question may name the language; where all files are in it, that tells nothing, and the index sees so by itself.
  const pathWords = [...codeWords(relative), ...codeWords(languageOf(relative) ?? "")];
  const chunks = chunkCode(lines, symbols).map(({ startLine, endLine, header }) => {
    const body = lines.slice(startLine - 1, endLine).join("\n");
    const words = countWords(codeWords(body));
    countWords(codeWords(header), words, NAME_WEIGHT);
    countWords(pathWords, words, PATH_WEIGHT);
    const key = createHash("sha256")
      .update(passageOf(relative, header, body))
      .digest("hex")
      .slice(0, 32);
    return { startLine, endLine, header, words: [...words], key };
  });
  return { lines: lines.length, symbols, chunks };
}

/** The most of a chunk that a vector stands for; embedded models read no further. */
const MAX_PASSAGE_CHARACTERS = 2_000;

/** The text whose vector stands for a chunk: its names as a person would say them, then the code. */
export function passageOf(relative: string, header: string, body: string): string {
  const names = header.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1 ").replace(/[_.]+/g, " ");
  return `${relative}: ${names}\n${body}`.slice(0, MAX_PASSAGE_CHARACTERS);
}
