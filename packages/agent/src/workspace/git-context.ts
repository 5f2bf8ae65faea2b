import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";

/** A commit that touched a file, as `aiserver.v1.GitCommit` has it. */
export interface FileCommit {
  readonly commit: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  /** Its first line. */
  readonly message: string;
}

/** Finds the last commits that touched a file; none where there is no git or no repository. */
export type GitContext = (absolute: string, signal: AbortSignal) => Promise<readonly FileCommit[]>;

const COMMITS = 5;
const TIMEOUT_MS = 3_000;
const MAX_KEPT = 1_000;
const FIELD = "\u001f";

/** Makes one that asks git once per file and state of the repository. */
export function createGitContext(): GitContext {
  const kept = new Map<string, { readonly version: string; readonly commits: readonly FileCommit[] }>();
  return async (absolute, signal) => {
    const version = await versionOf(path.dirname(absolute));
    if (version === undefined) return [];
    const known = kept.get(absolute);
    if (known?.version === version) return known.commits;
    const commits = await askGit(absolute, signal);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(absolute, { version, commits });
    return commits;
  };
}

/** What changes with every commit, checkout and reset of the repository around a directory; undefined outside of any. */
async function versionOf(directory: string): Promise<string | undefined> {
  const marker = path.join(directory, ".git");
  const found = await stat(marker).catch(() => undefined); // looked for further up
  if (found === undefined) {
    const parent = path.dirname(directory);
    return parent === directory ? undefined : versionOf(parent);
  }
  const gitDirectory = found.isDirectory() ? marker : await worktreeOf(marker);
  const parts = await Promise.all(
    ["HEAD", "logs/HEAD", "packed-refs"].map((name) =>
      stat(path.join(gitDirectory, name)).then(
        ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
        () => "none", // not every repository keeps it
      ),
    ),
  );
  return `${gitDirectory} ${parts.join(" ")}`;
}

/** A worktree's `.git` is a file that says where its directory is. */
async function worktreeOf(marker: string): Promise<string> {
  const text = await readFile(marker, "utf8").catch(() => ""); // then nothing is found there
  return path.resolve(path.dirname(marker), /^gitdir:\s*(.+)$/m.exec(text)?.[1] ?? ".");
}

/** What a repository's own configuration could run is switched off: it may come from anywhere. */
function askGit(absolute: string, signal: AbortSignal): Promise<readonly FileCommit[]> {
  const args = [
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
    "log",
    `--max-count=${COMMITS}`,
    `--format=%H${FIELD}%an${FIELD}%aI${FIELD}%s`,
    "--no-show-signature",
    "--no-ext-diff",
    "--",
    path.basename(absolute),
  ];
  const options = { cwd: path.dirname(absolute), timeout: TIMEOUT_MS, signal, encoding: "utf8" } as const;
  return new Promise((resolve, reject) => {
    execFile("git", args, options, (error, output) => {
      if (signal.aborted) reject(signal.reason as Error);
      // No git, no commit yet, a repository of someone else: the file is shown without its commits.
      else resolve(error === null ? output.split("\n").flatMap(parseCommit) : []);
    });
  });
}

function parseCommit(line: string): readonly FileCommit[] {
  const [commit = "", author = "", date = "", ...message] = line.split(FIELD);
  return commit === "" ? [] : [{ commit, author, date, message: message.join(FIELD) }];
}
