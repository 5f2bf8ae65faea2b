import { spawnSync } from "node:child_process";
import path from "node:path";

/** The root of this repository. */
export const repositoryRoot = path.resolve(import.meta.dirname, "..", "..");

/**
 * Every file that would be committed: tracked ones that still exist, and new
 * ones that git does not ignore. Paths from the root, with `/`.
 */
export function repositoryFiles(): readonly string[] {
  const listed = (...flags: readonly string[]): readonly string[] => {
    const result = spawnSync("git", ["ls-files", "-z", ...flags], { cwd: repositoryRoot, encoding: "utf8" });
    if (result.status !== 0) throw new Error(`git ls-files failed: ${result.stderr}`);
    return result.stdout.split("\0").filter((file) => file !== "");
  };
  const deleted = new Set(listed("--deleted"));
  return [...new Set(listed("--cached", "--others", "--exclude-standard"))].filter((file) => !deleted.has(file)).sort();
}
