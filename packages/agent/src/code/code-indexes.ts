import { createHash } from "node:crypto";
import path from "node:path";
import { CodeIndex, type CodeIndexDeps } from "./code-index.ts";
import { embedChunks, searchCode, type FoundCode, type SearchedIndex } from "./search-code.ts";
import { VectorFile, type CodeEmbedder } from "./vector-file.ts";

/** What a search of one root found. */
export interface CodeSearch {
  readonly found: readonly FoundCode[];
  readonly index: CodeIndex;
  /** What the caller should know of how it was searched. */
  readonly notes: readonly string[];
}

/** What indexes need from outside. */
export interface CodeIndexesDeps extends CodeIndexDeps {
  readonly embedder?: CodeEmbedder;
}

/** How long a search waits for the index before it takes what is there. */
const PATIENCE_MS = 20_000;
/** An index that nobody asked for so long leaves the memory; it stays on the disk. */
const IDLE_MS = 10 * 60_000;
/** The longest a timer can be set to. */
const LONGEST_MS = 2 ** 31 - 1;
const EMBEDDED_AT_ONCE = 8;
/** The most chunks of one root that get vectors. */
const MAX_VECTORS = 50_000;

interface Opened {
  readonly searched: SearchedIndex;
  readonly idle: NodeJS.Timeout;
  filling: Promise<void> | undefined;
}

/** The indexes of the directories that tools work in, opened when they are first searched. */
export class CodeIndexes {
  readonly #deps: CodeIndexesDeps;
  readonly #directory: string;
  readonly #opened = new Map<string, Promise<Opened>>();
  readonly #stop = new AbortController();

  constructor(deps: CodeIndexesDeps, directory: string) {
    this.#deps = deps;
    this.#directory = directory;
  }

  /** The index of a directory, as its files are now. `root` is a real path. */
  async open(root: string, signal: AbortSignal): Promise<{ readonly index: CodeIndex; readonly isWhole: boolean }> {
    const { searched } = await this.#open(root);
    return { index: searched.index, isWhole: await searched.index.refresh(PATIENCE_MS, signal) };
  }

  /** Searches the files of a directory as they are now. */
  async search(
    root: string,
    asked: { readonly query: string; readonly limit: number; readonly isWanted: (relative: string) => boolean },
    signal: AbortSignal,
  ): Promise<CodeSearch> {
    const opened = await this.#open(root);
    const { searched } = opened;
    const isWhole = await searched.index.refresh(PATIENCE_MS, signal);
    const notes = isWhole ? [] : ["The index is still being made: files that are not in it yet were not searched."];
    if (searched.index.isCut) notes.push("The workspace has more files than are indexed; name a narrower root.");
    if (searched.vectors === undefined) {
      notes.push("Searched by words and symbols alone: there is no embedding model on this machine.");
      return { found: await searchCode(searched, asked, signal), index: searched.index, notes };
    }
    opened.filling ??= this.#fill(searched).finally(() => (opened.filling = undefined));
    opened.filling.catch(() => undefined); // a model that fails is told below, and tried again with the next search
    try {
      return { found: await searchCode(searched, asked, signal), index: searched.index, notes };
    } catch (error) {
      signal.throwIfAborted();
      notes.push(`Searched by words and symbols alone: the embedding model failed (${messageOf(error)}).`);
      const { root: at, index } = searched;
      return { found: await searchCode({ root: at, index }, asked, signal), index, notes };
    }
  }

  /** Waits until every chunk of a directory has its vector. */
  async embedAll(root: string, signal: AbortSignal): Promise<void> {
    const opened = await this.#open(root);
    await opened.searched.index.refresh(LONGEST_MS, signal);
    await this.#fill(opened.searched, signal);
  }

  /** Lets go of all indexes. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#opened.keys()].map((root) => this.#shut(root)));
  }

  async #open(root: string): Promise<Opened> {
    const known = this.#opened.get(root);
    if (known !== undefined) {
      const opened = await known;
      opened.idle.refresh();
      return opened;
    }
    const opening = this.#load(root);
    this.#opened.set(root, opening);
    opening.catch(() => this.#opened.delete(root)); // told to whoever waits for it
    return opening;
  }

  async #load(root: string): Promise<Opened> {
    const directory = path.join(this.#directory, createHash("sha256").update(root).digest("hex").slice(0, 24));
    const { embedder } = this.#deps;
    const index = new CodeIndex(this.#deps, { root, directory });
    const vectors =
      embedder === undefined ? {} : { vectors: { embedder, file: await VectorFile.open(directory, embedder.model) } };
    const idle = setTimeout(() => void this.#shut(root), IDLE_MS).unref();
    return { searched: { root, index, ...vectors }, idle, filling: undefined };
  }

  async #shut(root: string): Promise<void> {
    const opening = this.#opened.get(root);
    this.#opened.delete(root);
    const opened = await opening?.catch(() => undefined); // then there is nothing to close
    clearTimeout(opened?.idle);
    await opened?.searched.index.close();
    await opened?.filling?.catch(() => undefined); // stopped with the index
  }

  /** Makes the vectors that are missing, a few at a time, so that a search need not wait for them. */
  async #fill(searched: SearchedIndex, signal: AbortSignal = this.#stop.signal): Promise<void> {
    const { vectors, index } = searched;
    const lacking = [...index.chunks()].slice(0, MAX_VECTORS).filter(({ key }) => vectors?.file.has(key) === false);
    for (let start = 0; start < lacking.length; start += EMBEDDED_AT_ONCE) {
      if (signal.aborted) return;
      await embedChunks(searched, lacking.slice(start, start + EMBEDDED_AT_ONCE), signal);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
