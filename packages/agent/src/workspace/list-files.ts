import { existsSync } from "node:fs";
import path from "node:path";
import { IGNORE_FILES, type ProtectedPaths } from "./protected-paths.ts";
import type { Ripgrep } from "./ripgrep.ts";

/** The most files that are looked at below one root. */
export const MAX_FILES = 200_000;

/** What every walk through a workspace is told: dot files count, `.git` does not, ignore files are obeyed. */
export function walkArgs(root: string): readonly string[] {
  const files = IGNORE_FILES.map((name) => path.join(root, name)).filter((file) => existsSync(file));
  return ["--hidden", "--glob", "!.git", "--no-require-git", ...files.flatMap((file) => ["--ignore-file", file])];
}

/** The files below a directory that tools may see, relative to the root, in no order. */
export async function listFiles(
  deps: { readonly ripgrep: Ripgrep; readonly protectedPaths: ProtectedPaths },
  of: { readonly root: string; readonly below: string; readonly globs?: readonly string[] },
  signal: AbortSignal,
): Promise<{ readonly files: readonly string[]; readonly isCut: boolean }> {
  const found: string[] = [];
  const args = [
    ...walkArgs(of.root),
    "--files",
    ...(of.globs ?? []).flatMap((glob) => ["--glob", glob]),
    "--",
    of.below === "" ? "." : `./${of.below}`,
  ];
  const { isCut } = await deps.ripgrep(
    { cwd: of.root, args },
    (line) => found.push(line.startsWith("./") ? line.slice(2) : line) < MAX_FILES,
    signal,
  );
  return { files: await deps.protectedPaths.withoutHidden(of.root, found), isCut };
}
