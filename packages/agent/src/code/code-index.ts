import { readFile } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";
import { contentIdOf, decodeText } from "../workspace/text-file.ts";
import type { AnalysedFile } from "./analyse-file.ts";
import type { CodeSymbol } from "./code-symbol.ts";
import { IndexLog, type IndexedFile } from "./index-log.ts";
import type { Scan, ScannedFile } from "./scanned-file.ts";
import { WordIndex } from "./word-index.ts";

/** A chunk of the index. */
export interface IndexedChunk {
  readonly number: number;
  readonly relative: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly header: string;
  readonly key: string;
}

/** A symbol and its file. */
export interface IndexedSymbol extends CodeSymbol {
  readonly relative: string;
}

/** What an index needs from outside. */
export interface CodeIndexDeps {
  readonly scan: (root: string, signal: AbortSignal) => Promise<Scan>;
  readonly analyse: (relative: string, text: string) => Promise<AnalysedFile>;
}

interface KeptFile extends ScannedFile {
  readonly contentId: string;
  readonly symbols: readonly CodeSymbol[];
  readonly chunks: readonly IndexedChunk[];
}

const FILES_AT_ONCE = 8;
/** How many files are noted on the disk at once. */
const NOTED_AT_ONCE = 64;
/** A file changed less than this before it was read may change again without another time stamp. */
const UNSETTLED_MS = 100;

const NO_TEXT: AnalysedFile = { lines: 0, symbols: [], chunks: [] };

/**
 * The words and symbols of one directory's files, kept in memory and in a directory of their own. It follows the
 * files: by time and size, then by their contents.
 */
export class CodeIndex {
  readonly words = new WordIndex();
  readonly #deps: CodeIndexDeps;
  readonly #root: string;
  readonly #log: IndexLog;
  readonly #files = new Map<string, KeptFile>();
  readonly #chunks = new Map<number, IndexedChunk>();
  #nextChunk = 0;
  #isLoaded = false;
  #running: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #scan: Scan = { files: [], tooLarge: [], isCut: false };
  readonly #stop = new AbortController();

  constructor(deps: CodeIndexDeps, options: { readonly root: string; readonly directory: string }) {
    this.#deps = deps;
    this.#root = options.root;
    this.#log = new IndexLog(options.directory);
  }

  /**
   * Brings the index to the state of the files when it was called. False when that takes longer than `patienceMs`:
   * it goes on behind, and what is indexed so far can be searched.
   */
  async refresh(patienceMs: number, signal: AbortSignal): Promise<boolean> {
    return settlesWithin(this.#begin(), patienceMs, signal);
  }

  get fileCount(): number {
    return this.#files.size;
  }

  /** The files that are too large to be indexed. */
  get tooLarge(): readonly ScannedFile[] {
    return this.#scan.tooLarge;
  }

  /** Set when there are more files than are indexed. */
  get isCut(): boolean {
    return this.#scan.isCut;
  }

  chunk(number: number): IndexedChunk | undefined {
    return this.#chunks.get(number);
  }

  chunks(): Iterable<IndexedChunk> {
    return this.#chunks.values();
  }

  *symbols(): Generator<IndexedSymbol> {
    for (const { relative, symbols } of this.#files.values()) {
      for (const symbol of symbols) yield { ...symbol, relative };
    }
  }

  symbolsOf(relative: string): readonly CodeSymbol[] {
    return this.#files.get(relative)?.symbols ?? [];
  }

  /** Whether a file is indexed. */
  has(relative: string): boolean {
    return this.#files.has(relative);
  }

  async close(): Promise<void> {
    this.#stop.abort(new AppError("canceled", "the code index was closed"));
    await this.#waiting?.catch(() => undefined); // it was told to stop
    await this.#running?.catch(() => undefined);
  }

  /** A refresh that runs already may have passed a file before it changed; one that waits for it is soon enough. */
  #begin(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting;
    if (this.#running === undefined) return this.#run();
    const again = (): Promise<void> => {
      this.#waiting = undefined;
      return this.#run();
    };
    this.#waiting = this.#running.then(again, again);
    return this.#waiting;
  }

  #run(): Promise<void> {
    const run = this.#follow().finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
    this.#running = run;
    return run;
  }

  async #follow(): Promise<void> {
    this.#stop.signal.throwIfAborted();
    if (!this.#isLoaded) {
      for (const file of await this.#log.read()) this.#put(file);
      this.#isLoaded = true;
    }
    const scan = await this.#deps.scan(this.#root, this.#stop.signal);
    this.#scan = scan;
    const there = new Set(scan.files.map(({ relative }) => relative));
    const gone = [...this.#files.keys()].filter((relative) => !there.has(relative));
    for (const relative of gone) this.#drop(relative);
    const changed = scan.files.filter((file) => !isSame(file, this.#files.get(file.relative)));
    let noted: IndexedFile[] = [];
    for (let start = 0; start < changed.length; start += FILES_AT_ONCE) {
      this.#stop.signal.throwIfAborted();
      const some = await Promise.all(changed.slice(start, start + FILES_AT_ONCE).map((file) => this.#read(file)));
      noted.push(...some.flat());
      if (noted.length < NOTED_AT_ONCE) continue;
      await this.#log.append(noted, []);
      noted = [];
    }
    await this.#log.append(noted, gone);
  }

  /** Reads one file again; the words of a file that only got another time stamp stay. */
  async #read(file: ScannedFile): Promise<readonly IndexedFile[]> {
    const readAt = Date.now();
    const bytes = await readFile(path.join(this.#root, file.relative)).catch(() => undefined); // gone since, or not ours
    if (bytes === undefined) {
      this.#drop(file.relative);
      return [];
    }
    const contentId = contentIdOf(bytes);
    const seen = readAt - file.mtimeMs < UNSETTLED_MS ? { ...file, mtimeMs: 0 } : file;
    const known = this.#files.get(file.relative);
    if (known?.contentId === contentId) {
      this.#files.set(file.relative, { ...known, ...seen });
      return [];
    }
    const text = decodeText(bytes)?.text;
    const analysed = text === undefined ? NO_TEXT : await this.#deps.analyse(file.relative, text);
    const indexed = { ...seen, contentId, analysed };
    this.#put(indexed);
    return [indexed];
  }

  #put({ relative, mtimeMs, size, contentId, analysed }: IndexedFile): void {
    this.#drop(relative);
    const chunks = analysed.chunks.map(({ words, ...chunk }) => {
      const number = this.#nextChunk++;
      const made = { number, relative, ...chunk };
      this.words.add(number, words);
      this.#chunks.set(number, made);
      return made;
    });
    this.#files.set(relative, { relative, mtimeMs, size, contentId, symbols: analysed.symbols, chunks });
  }

  #drop(relative: string): void {
    for (const { number } of this.#files.get(relative)?.chunks ?? []) {
      this.words.remove(number);
      this.#chunks.delete(number);
    }
    this.#files.delete(relative);
  }
}

function isSame(file: ScannedFile, known: KeptFile | undefined): boolean {
  return known !== undefined && known.mtimeMs === file.mtimeMs && known.size === file.size;
}

/** Waits for work that is not the caller's alone: true when it was done in time. */
async function settlesWithin(work: Promise<void>, patienceMs: number, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => leave(() => resolve(false)), patienceMs);
    const onAbort = (): void => leave(() => reject(signal.reason as Error));
    const leave = (end: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(
      () => leave(() => resolve(true)),
      (error: unknown) => leave(() => reject(AppError.from(error))),
    );
  });
}
