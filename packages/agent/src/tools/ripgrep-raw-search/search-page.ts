import { stat } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import type { ToolContext } from "../../tool.ts";
import { isWithin } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { numberOf } from "../workspace-tool.ts";
import { findFiles } from "./find-files.ts";
import { findLines, type FoundLine } from "./find-lines.ts";
import type { Search } from "./search-args.ts";

type Deps = Pick<WorkspaceDeps, "protectedPaths" | "ripgrep">;

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2_000;

/** One page of a search as the result shows it. */
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
  switch (mode) {
    case "count": {
      const { files, counts, isCut } = await findFiles(deps, asked, context.signal);
      const page = files.slice(skip, skip + limit);
      const shown = page.map((file) => ({ file, count: counts.get(file) ?? 0, absolutePath: absolute(file) }));
      const totalMatches = files.reduce((sum, file) => sum + (counts.get(file) ?? 0), 0);
      return { counts: shown, totalFiles: files.length, totalMatches, ...flags(files.length, isCut) };
    }
    case "files_with_matches": {
      const { files, isCut } = await findFiles(deps, asked, context.signal);
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
      const wish = { asked, wanted: skip + limit + 1, isFile: found.isFile() };
      const { lines, isCut } = await findLines(deps, wish, context.signal);
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

function groupByFile(entries: readonly FoundLine[]): ReadonlyMap<string, readonly FoundLine[]> {
  const groups = new Map<string, FoundLine[]>();
  for (const entry of entries) {
    const group = groups.get(entry.file);
    if (group === undefined) groups.set(entry.file, [entry]);
    else group.push(entry);
  }
  return groups;
}
