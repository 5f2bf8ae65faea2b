import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { AppError } from "@quarry/base";
import ignore from "ignore";
import { IGNORE_FILES, SECRET_GLOBS } from "../workspace/protected-paths.ts";
import { isWithin } from "../workspace/resolve-path.ts";
import type { Ripgrep } from "../workspace/ripgrep.ts";
import type { SandboxPolicy } from "./sandbox-policy.ts";

/** What a sandbox has to do for one command, by real paths. Everything else of the machine can be read and not written. */
export interface Confinement {
  /** The workspace as far as it is not writable. */
  readonly shown: readonly string[];
  readonly writable: readonly string[];
  /** Shown inside what is writable or masked, and not writable. */
  readonly readonly: readonly string[];
  /** Directories that look empty, and files that cannot be read. */
  readonly maskedDirectories: readonly string[];
  readonly maskedFiles: readonly string[];
  /** The command's own temporary directory; undefined when it may write to none. */
  readonly tmp: string | undefined;
  /** Where the shell leaves word of how it ended. */
  readonly record: string;
  readonly hasNetwork: boolean;
}

/** More hidden files than this cannot be masked one by one. */
const MAX_MASKED = 4_000;

/** Secrets and sockets of the machine that no command needs: in the home directory, and where daemons listen. */
const HOME_SECRETS: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".password-store",
  ".mozilla",
  ".config/gcloud",
  ".config/gh",
  ".config/google-chrome",
  ".config/chromium",
  ".local/share/keyrings",
  ".netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".bash_history",
  ".zsh_history",
  ".psql_history",
  ".node_repl_history",
  ".python_history",
];

/** Works out what one command may see and change. */
export async function confine(
  deps: { readonly ripgrep: Ripgrep; readonly hiddenDirectories: readonly string[]; readonly home?: string },
  of: {
    readonly roots: readonly string[];
    /** What of the roots may be written, when that is not all. */
    readonly writeDirectories?: readonly string[] | undefined;
    readonly policy: SandboxPolicy;
    readonly tmp: string;
    readonly record: string;
    /** The session's transcripts, which it may read. */
    readonly transcripts: string;
  },
  signal: AbortSignal,
): Promise<Confinement> {
  const { policy, roots } = of;
  const found = await Promise.all(roots.map((root) => lookThrough(deps.ripgrep, root, signal)));
  const home = deps.home ?? homedir();
  const isWritable = policy.type === "workspace-readwrite";
  const outside = await existing([
    ...HOME_SECRETS.map((name) => path.join(home, name)),
    ...deps.hiddenDirectories,
    "/run",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
  ]);
  const inside = await existing(found.flatMap(({ hidden }) => hidden));
  const shown = new Set(policy.readonlyPaths);
  const masked = [...outside, ...inside].filter(({ at }) => !shown.has(at));
  const files = masked.filter(({ isDirectory }) => !isDirectory).map(({ at }) => at);
  if (files.length > MAX_MASKED) {
    throw new AppError(
      "invalid_request",
      `more than ${MAX_MASKED} single files are kept from tools; name their directories in the ignore file instead`,
    );
  }
  const guarded = isWritable ? found.flatMap((each) => each.guarded) : [];
  // What is not there cannot be kept as it is: an empty directory of hooks can.
  const hooks = guarded.filter((at) => at.endsWith("/.git/hooks"));
  await Promise.all(hooks.map((at) => mkdir(at, { recursive: true })));
  const repositories = policy.isGitReadonly && isWritable ? found.flatMap((each) => each.repositories) : [];
  const isWhole = isWritable && of.writeDirectories === undefined;
  return {
    shown: isWhole ? [] : roots,
    writable: isWritable ? [...(of.writeDirectories ?? roots), ...policy.readwritePaths] : [],
    readonly: (await existing([of.transcripts, ...policy.readonlyPaths, ...guarded, ...repositories])).map(
      ({ at }) => at,
    ),
    maskedDirectories: masked.filter(({ isDirectory }) => isDirectory).map(({ at }) => at),
    maskedFiles: files,
    tmp: policy.isTmpReadonly ? undefined : of.tmp,
    record: of.record,
    hasNetwork: policy.hasNetwork,
  };
}

/** What of a root must be hidden, and what must stay as it is. */
interface Findings {
  readonly hidden: readonly string[];
  readonly guarded: readonly string[];
  readonly repositories: readonly string[];
}

/** One walk by ripgrep finds secrets, ignore files and repositories; a second one, what ignore files name. */
async function lookThrough(ripgrep: Ripgrep, root: string, signal: AbortSignal): Promise<Findings> {
  const list = async (directory: string, globs: readonly string[]): Promise<readonly string[]> => {
    const lines: string[] = [];
    const args = ["--files", "--hidden", "--no-ignore", "--no-messages", ...globs.flatMap((glob) => ["--iglob", glob])];
    await ripgrep({ cwd: directory, args }, (line) => lines.push(line) > 0, signal);
    return lines;
  };
  const secretGlobs = SECRET_GLOBS.map((glob) => (glob.endsWith("/") ? `**/${glob}**` : glob));
  const gitGlobs = ["**/.git/config", "**/.git/config.worktree", "**/.git/hooks/**", "**/.git"];
  const names = await list(root, [...secretGlobs, ...IGNORE_FILES, ...gitGlobs, "!**/.git/objects/**"]);
  const secrets = ignore().add([...SECRET_GLOBS]);
  const hidden = names.filter((name) => secrets.ignores(name));
  for (const file of names.filter((name) => IGNORE_FILES.includes(path.basename(name)))) {
    const directory = path.dirname(file);
    const rules = ignore().add(await readFile(path.join(root, file), "utf8"));
    const all = await list(path.join(root, directory), ["!**/.git/**"]);
    const kept = new Set(all.filter((name) => !rules.ignores(name)));
    const below = collapse(all, kept);
    hidden.push(...below.map((name) => path.join(directory, name)));
  }
  const gits = [...new Set(names.flatMap((name) => gitDirectoryOf(name)))];
  const gitDirectories = await Promise.all(gits.map((name) => resolveGitDirectory(path.join(root, name))));
  const repositories = gitDirectories.flatMap((at) => at ?? []).filter((at) => isWithin(root, at));
  return {
    hidden: hidden.map((name) => path.join(root, name)),
    repositories,
    guarded: [
      path.join(root, ".quarry-policy.json"),
      ...names.filter((name) => IGNORE_FILES.includes(path.basename(name))).map((name) => path.join(root, name)),
      ...repositories.flatMap((at) => ["hooks", "config", "config.worktree"].map((name) => path.join(at, name))),
    ],
  };
}

/** `a/.git` of `a/.git/config`, and of a `.git` that is a file. */
function gitDirectoryOf(name: string): readonly string[] {
  const parts = name.split("/");
  const at = parts.indexOf(".git");
  return at === -1 ? [] : [parts.slice(0, at + 1).join("/")];
}

/** A repository's own directory: `.git` itself, or where a worktree's file points to. */
async function resolveGitDirectory(at: string): Promise<string | undefined> {
  const found = await stat(at).catch(() => undefined); // gone meanwhile
  if (found?.isDirectory() === true) return at;
  if (found?.isFile() !== true) return undefined;
  const [, target] = /^gitdir: (.+)$/m.exec(await readFile(at, "utf8")) ?? [];
  return target === undefined ? undefined : path.resolve(path.dirname(at), target);
}

/** The hidden ones of all, whole directories where nothing in them is kept. */
function collapse(all: readonly string[], kept: ReadonlySet<string>): readonly string[] {
  const open = new Set<string>();
  for (const name of kept) for (const directory of directoriesOf(name)) open.add(directory);
  return [
    ...new Set(
      all
        .filter((name) => !kept.has(name))
        .map((name) => directoriesOf(name).find((directory) => !open.has(directory)) ?? name),
    ),
  ];
}

/** The directories on the way to a file, the outermost first, without the one it all lies in. */
function directoriesOf(name: string): readonly string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

async function existing(
  paths: readonly string[],
): Promise<readonly { readonly at: string; readonly isDirectory: boolean }[]> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (at) => {
      const stats = await stat(at).catch(() => undefined); // what is not there need not be hidden
      return stats === undefined ? [] : [{ at, isDirectory: stats.isDirectory() }];
    }),
  );
  return found.flat();
}
