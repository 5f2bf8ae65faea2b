import type { JsonObject } from "@bufbuild/protobuf";
import { bare, parseRipgrep, textIn } from "../../workspace/ripgrep-json.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { findFiles } from "./find-files.ts";
import { contextArgs, fileArgs, orderOf, patternArgs, placeArg, type Search } from "./search-args.ts";

type Deps = Pick<WorkspaceDeps, "protectedPaths" | "ripgrep">;

/** A line with its file, as the result shows it. */
export interface FoundLine {
  readonly file: string;
  readonly line: JsonObject;
}

interface FoundLines {
  readonly lines: readonly FoundLine[];
  readonly isCut: boolean;
}

interface Wish {
  readonly asked: Search;
  /** How many lines are enough. */
  readonly wanted: number;
  readonly isFile: boolean;
}

const MAX_LINE_CHARACTERS = 500;
/** How many files one step of a search for lines reads: their names must fit into one command line. */
const FILES_A_STEP = 250;
/** From so many files with a match on, a search in order is thought to have its lines before all files are named. */
const MANY_FILES = 500;
/** How many lines more than enough are read in order: some of them may not be shown. */
const SPARE_LINES = 50;

/**
 * The first lines with a match, in order. All files with one are named first, on all
 * threads, and lines read from as many of the first ones as are needed. When there are
 * many, ripgrep also searches in order, on one thread: who is first has the lines, so
 * that a frequent word costs a part of the tree and a late one no more than all of it.
 */
export function findLines(deps: Deps, wish: Wish, signal: AbortSignal): Promise<FoundLines> {
  const { asked, isFile } = wish;
  const { sort, isAscending } = orderOf(asked);
  if (isFile) return readLines(deps, wish, [asked.place.relative], signal).then((lines) => ({ lines, isCut: false }));
  const over = new AbortController();
  const within = AbortSignal.any([signal, over.signal]);
  return new Promise<FoundLines>((resolve, reject) => {
    const searchInOrder = async (): Promise<void> => {
      const lines = await streamLines(deps, wish, within);
      if (lines !== undefined) resolve({ lines, isCut: false });
    };
    const searchAll = async (): Promise<void> => {
      const { files, isCut } = await findFiles(deps, asked, within, (count) => {
        // What is wrong with it is said by the other search, which goes on.
        if (count === MANY_FILES && sort === "path" && isAscending) searchInOrder().catch(() => undefined);
      });
      resolve({ lines: await readLines(deps, wish, files, within), isCut });
    };
    searchAll().catch(reject);
  }).finally(() => over.abort());
}

/** Lines as ripgrep finds them in order; undefined when some of them may not be shown and too few are left. */
async function streamLines(
  deps: Deps,
  { asked, wanted }: Wish,
  signal: AbortSignal,
): Promise<readonly FoundLine[] | undefined> {
  const found: FoundLine[] = [];
  const most = wanted + SPARE_LINES;
  const args = ["--sort", "path", ...fileArgs(asked), ...lineArgs(asked, most), placeArg(asked)];
  const { isCut } = await deps.ripgrep({ cwd: asked.place.root, args }, keepLines(found, most), signal);
  const files = [...new Set(found.map(({ file }) => file))];
  const shown = new Set(await deps.protectedPaths.withoutHidden(asked.place.root, files));
  const lines = shown.size === files.length ? found : found.filter(({ file }) => shown.has(file));
  return !isCut || lines.length >= wanted ? lines : undefined;
}

/** The first lines of the files, in their order, until there are enough. */
async function readLines(
  deps: Deps,
  { asked, wanted }: Wish,
  files: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundLine[]> {
  const found: FoundLine[] = [];
  for (let at = 0; at < files.length && found.length < wanted; at += FILES_A_STEP) {
    const step = files.slice(at, at + FILES_A_STEP).map((file) => `./${file}`);
    // One thread reads them in the order they are given, and no more than are needed.
    const args = ["--threads", "1", ...lineArgs(asked, wanted), ...step];
    await deps.ripgrep({ cwd: asked.place.root, args }, keepLines(found, wanted), signal);
  }
  return found;
}

function lineArgs(asked: Search, wanted: number): readonly string[] {
  return ["--json", "--max-count", String(wanted), ...contextArgs(asked), ...patternArgs(asked), "--"];
}

/** Reads what `--json` says, until there are enough lines. */
function keepLines(found: FoundLine[], wanted: number): (line: string) => boolean {
  return (line) => {
    const { type, data } = parseRipgrep(line);
    if ((type !== "match" && type !== "context") || data.path === undefined || data.lines === undefined) return true;
    const isContextLine = type === "context";
    const file = bare(textIn(data.path));
    for (const shown of toLines(textIn(data.lines), { first: data.line_number ?? 1, isContextLine }))
      found.push({ file, line: shown });
    return found.length < wanted;
  };
}

function toLines(text: string, of: { readonly first: number; readonly isContextLine: boolean }): readonly JsonObject[] {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((content, index) => {
    const isCut = content.length > MAX_LINE_CHARACTERS;
    return {
      lineNumber: of.first + index,
      content: isCut ? content.slice(0, MAX_LINE_CHARACTERS) : content,
      contentTruncated: isCut,
      isContextLine: of.isContextLine,
    };
  });
}
