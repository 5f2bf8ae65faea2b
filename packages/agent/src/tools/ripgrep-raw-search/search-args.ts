import type { JsonObject } from "@bufbuild/protobuf";
import { walkArgs } from "../../workspace/list-files.ts";
import { SECRET_GLOBS } from "../../workspace/protected-paths.ts";
import type { WorkspacePath } from "../../workspace/resolve-path.ts";
import { numberOf, textOf, textsOf } from "../workspace-tool.ts";

/** What a search shows. */
export const MODES = ["content", "files_with_matches", "count"] as const;
export type Mode = (typeof MODES)[number];

/** What a search is sorted by. */
export const SORTS = ["path", "modified", "accessed", "created", "none"] as const;
export type Sort = (typeof SORTS)[number];

/** One search below one place. */
export interface Search {
  readonly place: WorkspacePath;
  readonly mode: Mode;
  readonly args: JsonObject;
  /** The place was named by the caller, not the whole workspace for want of one. */
  readonly isNamed: boolean;
}

/** What ripgrep is told of what to look for. */
export function patternArgs({ args }: Search): readonly string[] {
  return [
    ...(args["caseInsensitive"] === true ? ["--ignore-case"] : []),
    ...(args["multiline"] === true ? ["--multiline", "--multiline-dotall"] : []),
    "--regexp",
    textOf(args, "pattern"),
  ];
}

/** What ripgrep is told of where to look. */
export function fileArgs({ place, args, isNamed }: Search): readonly string[] {
  const [glob, type] = [textOf(args, "glob"), textOf(args, "type")];
  return [
    ...walkArgs(place.root),
    // A path that was named is searched although an ignore file leaves it out.
    ...(isNamed && place.relative !== "" ? ["--no-ignore-vcs"] : []),
    ...(glob === "" ? [] : ["--glob", glob]),
    ...(type === "" ? [] : ["--type", type]),
    ...textsOf(args, "ignoreGlobs").flatMap((ignored) => ["--glob", `!${ignored}`]),
    // The last glob that fits decides, so that no glob of the caller brings these back.
    ...SECRET_GLOBS.filter((secret) => !secret.startsWith("!")).flatMap((secret) => ["--iglob", `!**/${secret}`]),
    "--glob",
    "!.git",
  ];
}

/** The place itself, as ripgrep is given it. */
export function placeArg({ place }: Search): string {
  return place.relative === "" ? "." : `./${place.relative}`;
}

/** What ripgrep is told of the lines around a match. */
export function contextArgs({ args }: Search): readonly string[] {
  const around = numberOf(args, "context") ?? 0;
  return [
    "-B",
    String(numberOf(args, "contextBefore") ?? around),
    "-A",
    String(numberOf(args, "contextAfter") ?? around),
  ];
}

/** The newest come first unless the caller turns it; names go from a to z. */
export function orderOf({ mode, args }: Search): { readonly sort: Sort; readonly isAscending: boolean } {
  const fallback = mode === "files_with_matches" ? "modified" : "path";
  const sort = SORTS.find((known) => known === textOf(args, "sort")) ?? fallback;
  const isAscending = args["sortAscending"] === undefined ? sort === "path" : args["sortAscending"] === true;
  return { sort, isAscending };
}
