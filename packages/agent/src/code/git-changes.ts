import { codeWords, countWords, questionWords } from "./code-words.ts";
import type { Git } from "./git.ts";
import { WordIndex } from "./word-index.ts";

/** A commit, or the pull request it came from. */
export interface GitChange {
  readonly sha: string;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly prNumber: number | undefined;
  readonly changedFiles: readonly string[];
  /** The message and the diff, cut when they are long. */
  readonly contents: string;
  readonly score: number;
}

/** What was found, and whether git answered in time: what came before it was late is kept. */
export interface GitChanges {
  readonly changes: readonly GitChange[];
  readonly isLate: boolean;
}

/** A change that a caller names: by its hash, or by its number alone. */
export interface ChangeReference {
  readonly sha: string;
  readonly prNumber: number | undefined;
  readonly score: number;
}

/** How many commits are looked at by their messages and files, and how many by their diffs. */
const MESSAGES = 2_000;
const DIFFS = 300;
/** How many rare words of a question are looked for in diffs. */
const DIFF_WORDS = 3;
const MAX_CHANGES = 5;
const MAX_REFERENCES = 10;
const MAX_CONTENTS_CHARACTERS = 20_000;
const FIELD = "\u001f";
const RECORD = "\u001e";
const FORMAT = `--format=${RECORD}%H${FIELD}%an${FIELD}%aI${FIELD}%s${FIELD}%b${FIELD}`;
/** Nothing that the repository configures is run to show a change. */
const PLAIN = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--relative"];

/** What asking for changes needs. */
export interface GitChangesDeps {
  readonly git: Git;
  /** Keeps the files that tools may show. */
  readonly withoutHidden: (root: string, relatives: readonly string[]) => Promise<readonly string[]>;
}

/** The changes whose messages, files or diffs are about a question, best first. */
export async function searchChanges(
  deps: GitChangesDeps,
  root: string,
  query: string,
  signal: AbortSignal,
): Promise<GitChanges> {
  const { git } = deps;
  const said = await git(root, ["log", `--max-count=${MESSAGES}`, ...PLAIN, "--name-only", FORMAT], signal);
  if (said.kind !== "said") return { changes: [], isLate: said.kind === "late" };
  const commits = parseCommits(said.text);
  const index = new WordIndex();
  for (const [at, { title, body, changedFiles }] of commits.entries()) {
    const words = codeWords(`${title}\n${title}\n${body}\n${changedFiles.join("\n")}`);
    index.add(at, [...countWords(words)]);
  }
  const words = questionWords(query);
  const byMessage = index.find(words, MAX_CHANGES * 4, () => true);
  const best = byMessage[0]?.score ?? 1;
  const scores = new Map(byMessage.map(({ chunk, score }) => [commits[chunk]?.sha ?? "", score / best]));
  const inDiffs = await searchDiffs(git, root, { query, weightOf: (word) => index.weightOf(word) }, signal);
  for (const [sha, part] of inDiffs.found) scores.set(sha, (scores.get(sha) ?? 0) + part);
  const wanted = commits
    .flatMap((commit) => {
      const score = scores.get(commit.sha);
      return score === undefined ? [] : [{ ...commit, score: Math.min(1, score / 2) }];
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_CHANGES);
  const shown = await showChanges(deps, root, wanted, signal);
  return { changes: shown.changes, isLate: shown.isLate || inDiffs.isLate };
}

/** Fills changes that a caller names; those that the repository does not have are left out. */
export async function fillChanges(
  deps: GitChangesDeps,
  root: string,
  references: readonly ChangeReference[],
  signal: AbortSignal,
): Promise<GitChanges> {
  const { git } = deps;
  const found: Omit<GitChange, "contents">[] = [];
  for (const { sha, prNumber, score } of references.slice(0, MAX_REFERENCES)) {
    const isHash = /^[0-9a-f]{4,64}$/i.test(sha);
    if (!isHash && prNumber === undefined) continue;
    const which = isHash
      ? ["show", "--no-patch", sha]
      : ["log", "--max-count=1", "--extended-regexp", `--grep=\\(#${prNumber}\\)|pull request #${prNumber}\\b`];
    const said = await git(root, [which[0] ?? "log", ...PLAIN, FORMAT, ...which.slice(1), "--"], signal);
    if (said.kind === "late") return { ...(await showChanges(deps, root, found, signal)), isLate: true };
    const [commit] = said.kind === "said" ? parseCommits(said.text) : [];
    if (commit !== undefined) found.push({ ...commit, prNumber: commit.prNumber ?? prNumber, score });
  }
  return showChanges(deps, root, found, signal);
}

/** The address of the repository's remote, without what signs in; undefined when it has none. */
export async function remoteUrl(git: Git, root: string, signal: AbortSignal): Promise<string | undefined> {
  const said = await git(root, ["config", "--get", "remote.origin.url"], signal);
  const url = said.kind === "said" ? said.text.trim() : "";
  return url === "" ? undefined : url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, "$1");
}

/** Which changes added or took away lines with the most telling words of a question, and how many of those. */
async function searchDiffs(
  git: Git,
  root: string,
  { query, weightOf }: { readonly query: string; readonly weightOf: (word: string) => number },
  signal: AbortSignal,
): Promise<{ readonly found: ReadonlyMap<string, number>; readonly isLate: boolean }> {
  const names = [...new Set(query.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [])];
  const telling = names
    .filter((name) => questionWords(name).length > 0)
    .toSorted((a, b) => weightOf(b.toLowerCase()) - weightOf(a.toLowerCase()))
    .slice(0, DIFF_WORDS);
  const found = new Map<string, number>();
  for (const name of telling) {
    const pattern = name.replaceAll("$", "\\$");
    const args = ["log", `--max-count=${DIFFS}`, ...PLAIN, "-i", "--format=%H", `-G${pattern}`];
    const said = await git(root, args, signal);
    if (said.kind === "late") return { found, isLate: true };
    if (said.kind !== "said") continue;
    for (const sha of said.text.split("\n").filter((line) => line !== "")) {
      found.set(sha, (found.get(sha) ?? 0) + 1 / telling.length);
    }
  }
  return { found, isLate: false };
}

async function showChanges(
  deps: GitChangesDeps,
  root: string,
  wanted: readonly Omit<GitChange, "contents">[],
  signal: AbortSignal,
): Promise<GitChanges> {
  const changes: GitChange[] = [];
  for (const change of wanted) {
    const args = ["show", ...PLAIN, "--format=", "--first-parent", "--patch", "--unified=3", change.sha, "--"];
    const said = await deps.git(root, args, signal);
    if (said.kind === "late") return { changes, isLate: true };
    const parts = said.kind === "said" ? said.text.split(/^(?=diff --git )/m) : [];
    const files = parts.map((part) => /^diff --git a\/.* b\/(.*)$/m.exec(part)?.[1] ?? "");
    const shown = new Set(
      await deps.withoutHidden(
        root,
        files.filter((file) => file !== ""),
      ),
    );
    const diff = parts.filter((_, at) => shown.has(files[at] ?? "")).join("");
    changes.push({
      ...change,
      changedFiles: [...shown],
      contents: cut(`${change.title}\n\n${change.body}\n\n${diff}`.replace(/\n{3,}/g, "\n\n")),
    });
  }
  return { changes, isLate: false };
}

function cut(text: string): string {
  if (text.length <= MAX_CONTENTS_CHARACTERS) return text;
  return `${text.slice(0, MAX_CONTENTS_CHARACTERS)}\n… cut after ${MAX_CONTENTS_CHARACTERS} characters`;
}

function parseCommits(text: string): readonly Omit<GitChange, "contents">[] {
  return text
    .split(RECORD)
    .slice(1)
    .map((record) => {
      const [sha = "", author = "", date = "", title = "", body = "", files = ""] = record.split(FIELD);
      const [, number] = /(?:\(#|[Pp]ull request #)(\d+)/.exec(`${title}\n${body}`) ?? [];
      return {
        sha,
        author,
        date,
        title,
        body: body.trim(),
        prNumber: number === undefined ? undefined : Number(number),
        changedFiles: files.split("\n").filter((line) => line !== ""),
        score: 0,
      };
    });
}
