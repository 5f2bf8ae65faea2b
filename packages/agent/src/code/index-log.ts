import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/resolve-path.ts";
import { writeWholeFile } from "../workspace/write-file.ts";
import type { AnalysedFile } from "./analyse-file.ts";

/** A file as the index knows it, by what tells that it changed. */
export interface IndexedFile {
  readonly relative: string;
  readonly mtimeMs: number;
  readonly size: number;
  readonly contentId: string;
  readonly analysed: AnalysedFile;
}

/** Raise it whenever a file would be analysed otherwise than before: old indexes are then built anew. */
const VERSION = 1;
const FIRST_LINE = JSON.stringify({ version: VERSION });
/** The list is written anew when it has so many times the lines it needs. */
const MAX_LINES_PER_FILE = 3;

type Line = { readonly file: IndexedFile } | { readonly gone: string };

/** The index on the disk: a list that is only appended to; the last line about a file counts. */
export class IndexLog {
  readonly #file: string;

  constructor(directory: string) {
    this.#file = path.join(directory, "files.ndjson");
  }

  /** The files as they were indexed last; none for an index of another version. Half a line says nothing. */
  async read(): Promise<readonly IndexedFile[]> {
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const text = await readFile(this.#file, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    const [first, ...lines] = text.split("\n");
    const files = new Map<string, IndexedFile>();
    if (first === FIRST_LINE) {
      for (const line of lines.flatMap(parseLine)) {
        if ("gone" in line) files.delete(line.gone);
        else files.set(line.file.relative, line.file);
      }
    }
    const isWasteful = lines.length > 100 && lines.length > files.size * MAX_LINES_PER_FILE;
    if (first !== FIRST_LINE || isWasteful) {
      const kept = [...files.values()].map((file) => JSON.stringify({ file }));
      await writeWholeFile(this.#file, Buffer.from(`${[FIRST_LINE, ...kept].join("\n")}\n`), 0o600);
    }
    return [...files.values()];
  }

  async append(files: readonly IndexedFile[], gone: readonly string[]): Promise<void> {
    const lines: Line[] = [...files.map((file) => ({ file })), ...gone.map((relative) => ({ gone: relative }))];
    if (lines.length === 0) return;
    await appendFile(this.#file, `\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  }
}

function parseLine(line: string): readonly Line[] {
  if (line === "") return [];
  try {
    return [JSON.parse(line) as Line]; // written above
  } catch {
    return []; // half a line, see above
  }
}
