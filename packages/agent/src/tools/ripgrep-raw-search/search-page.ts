import { stat } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import type { ToolContext } from "../../tool.ts";
import { MAX_FILES } from "../../workspace/list-files.ts";
import { isWithin } from "../../workspace/resolve-path.ts";
import { bare, parseRipgrep, textIn } from "../../workspace/ripgrep-json.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { numberOf } from "../workspace-tool.ts";
import { contextArgs, fileArgs, orderOf, patternArgs, type Search } from "./search-args.ts";
import { sortFiles } from "./sort-files.ts";

type Deps = Pick<WorkspaceDeps, "protectedPaths" | "ripgrep">;

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2_000;
const MAX_LINE_CHARACTERS = 500;
/** How many files one step of a search for lines reads. */
const FILES_A_STEP = 64;

/**
 * One page of a search as the result shows it. Ripgrep would sort by giving up its
 * threads, so it first only names the files, on all of them; they are sorted here, and
 * lines are read from as many of the first ones as the page needs.
 */
export async function searchPage(deps: Deps, asked: Search, context: ToolContext): Promise<JsonObject> {
  const { place, mode, args } = asked;
  const found = await stat(place.absolute).catch(() => undefined); // said below
  if (found === undefined) throw new AppError("not_found", `there is no ${place.relative} to search`);
  const skip = numberOf(args, "offset") ?? 0;
  const limit = Math.min(numberOf(args, "headLimit") || DEFAULT_LIMIT, MAX_LIMIT);
  const flags = (all: number, isCut: boolean): JsonObject => ({
    clientTruncated: all > skip + limit,
    ripgrepTruncated: isCut,
    ...(all > skip + limit ? { headLimitApplied: limit } : {}),
    ...(skip === 0 ? {} : { offsetApplied: skip }),
  });
  const absolute = (file: string): string => `${place.root === "/" ? "" : place.root}/${file}`;
  // One file needs no search for files.
  const { files, counts, isCut } =
    found.isFile() && mode === "content"
      ? { files: [place.relative], counts: new Map<string, number>(), isCut: false }
      : await findFiles(deps, asked, context);

  switch (mode) {
    case "count": {
      const page = files.slice(skip, skip + limit);
      const shown = page.map((file) => ({ file, count: counts.get(file) ?? 0, absolutePath: absolute(file) }));
      const totalMatches = files.reduce((sum, file) => sum + (counts.get(file) ?? 0), 0);
      return { counts: shown, totalFiles: files.length, totalMatches, ...flags(files.length, isCut) };
    }
    case "files_with_matches": {
      const page = files.slice(skip, skip + limit);
      const isOutOfWorkspace = context.session.grantedPaths?.some((each) => isWithin(each, place.absolute)) ?? false;
      const filesWithMeta = page.map((file) => ({
        file,
        isDirty: false, // there are no editors here whose changes are not on disk
        isOutOfWorkspace,
        absolutePath: absolute(file),
      }));
      return { files: [...page], totalFiles: files.length, filesWithMeta, ...flags(files.length, isCut) };
    }
    case "content": {
      // One more than is shown tells whether there are more.
      const lines = await readLines(deps, { asked, files, wanted: skip + limit + 1 }, context.signal);
      const page = lines.slice(skip, skip + limit);
      const matches = [...groupByFile(page)].map(([file, entries]) => ({
        file,
        absolutePath: absolute(file),
        matches: entries.map(({ line }) => line),
      }));
      const matched = page.filter(({ line }) => line["isContextLine"] !== true).length;
      return { matches, totalLines: page.length, totalMatchedLines: matched, ...flags(lines.length, isCut) };
    }
  }
}

/** The files with a match that tools may see, in order, and how many each has when they are counted. */
async function findFiles(
  deps: Deps,
  asked: Search,
  context: ToolContext,
): Promise<{
  readonly files: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly isCut: boolean;
}> {
  const { place, mode } = asked;
  const counts = new Map<string, number>();
  const { isCut } = await deps.ripgrep(
    {
      cwd: place.root,
      args: [
        ...fileArgs(asked),
        ...(mode === "count" ? ["--count-matches", "--with-filename", "--null"] : ["--files-with-matches"]),
        ...patternArgs(asked),
        "--",
        place.relative === "" ? "." : `./${place.relative}`,
      ],
    },
    (line) => {
      const [file = "", count = "1"] = line.split("\0");
      counts.set(bare(file), Number(count));
      return counts.size < MAX_FILES;
    },
    context.signal,
  );
  const shown = await deps.protectedPaths.withoutHidden(place.root, [...counts.keys()]);
  return { files: await sortFiles(place.root, shown, orderOf(asked)), counts, isCut };
}

interface Entry {
  readonly file: string;
  readonly line: JsonObject;
}

/** The first lines of the files, in their order, until there are enough. */
async function readLines(
  deps: Deps,
  of: { readonly asked: Search; readonly files: readonly string[]; readonly wanted: number },
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const { asked, files, wanted } = of;
  const lines: Entry[] = [];
  const args = ["--json", "--max-count", String(wanted), ...contextArgs(asked), ...patternArgs(asked), "--"];
  for (let at = 0; at < files.length && lines.length < wanted; at += FILES_A_STEP) {
    const step = files.slice(at, at + FILES_A_STEP);
    const byFile = new Map<string, JsonObject[]>(step.map((file) => [file, []]));
    await deps.ripgrep(
      { cwd: asked.place.root, args: [...args, ...step.map((file) => `./${file}`)] },
      (line) => {
        const { type, data } = parseRipgrep(line);
        if ((type !== "match" && type !== "context") || data.path === undefined || data.lines === undefined)
          return true;
        const isContextLine = type === "context";
        const kept = byFile.get(bare(textIn(data.path)));
        kept?.push(...toLines(textIn(data.lines), { first: data.line_number ?? 1, isContextLine }));
        return true;
      },
      signal,
    );
    for (const [file, entries] of byFile) lines.push(...entries.map((line) => ({ file, line })));
  }
  return lines;
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

function groupByFile(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.file);
    if (group === undefined) groups.set(entry.file, [entry]);
    else group.push(entry);
  }
  return groups;
}
