import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";
import ignore, { type Ignore } from "ignore";
import type { WorkspacePath } from "./resolve-path.ts";

/** Files whose names say that they hold secrets. No tool shows or changes them. */
export const SECRET_GLOBS: readonly string[] = [
  ".env",
  ".env.*",
  "!.env.example",
  "!.env.sample",
  "!.env.template",
  "*.pem",
  "*.p12",
  "*.pfx",
  "*.key",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  ".netrc",
  ".pgpass",
  ".git-credentials",
  ".npmrc",
  ".pypirc",
  "**/.aws/credentials",
  ".ssh/",
];

/** Files in which people list what agents must not see, in the form of .gitignore. */
export const IGNORE_FILES: readonly string[] = [".cursorignore", ".quarryignore"];

/** What nobody may change by a tool although they may read it: it decides what tools may do. */
const GUARDED: readonly string[] = [
  ".quarry-policy.json",
  ".cursorignore",
  ".quarryignore",
  "**/.git/hooks/",
  "**/.git/config",
];

/** What every secret's path has some of: a glance at the rest would cost more than all else when there are many. */
const MAYBE_SECRET = /\.env|\.pem|\.p12|\.pfx|\.key|id_|\.netrc|\.pgpass|credentials|\.npmrc|\.pypirc|\.ssh/i;

const secrets = ignore().add([...SECRET_GLOBS]);
const guarded = ignore().add([...GUARDED]);

/** Tells which paths of a workspace tools must leave alone. */
export interface ProtectedPaths {
  /** Whether no tool may show or change it. */
  readonly isHidden: (root: string, relative: string) => Promise<boolean>;
  /** Keeps what may be shown. */
  readonly withoutHidden: (root: string, relatives: readonly string[]) => Promise<readonly string[]>;
}

/** Makes one; ignore files are read again when they change. */
export function createProtectedPaths(): ProtectedPaths {
  const kept = new Map<string, { readonly version: string; readonly rules: Ignore }>();
  const rulesOf = async (file: string): Promise<Ignore | undefined> => {
    const version = versionOf(file);
    if (version === undefined) return undefined;
    const known = kept.get(file);
    if (known?.version === version) return known.rules;
    const rules = ignore().add(await readFile(file, "utf8"));
    kept.set(file, { version, rules });
    return rules;
  };
  const rulesBelow = async (root: string, directory: string): Promise<readonly Ignore[]> => {
    const files = IGNORE_FILES.map((name) => path.join(root, directory, name));
    const found = files.filter((file) => versionOf(file) !== undefined);
    return found.length === 0 ? [] : (await Promise.all(found.map(rulesOf))).flatMap((rules) => rules ?? []);
  };
  const check = async (root: string, relatives: readonly string[]): Promise<readonly boolean[]> => {
    // The rules on the way to a directory, from the root down; most directories have none.
    const ways = new Map<string, readonly { readonly prefix: number; readonly rules: Ignore }[]>();
    const wayTo = async (directory: string): Promise<NonNullable<ReturnType<typeof ways.get>>> => {
      const known = ways.get(directory);
      if (known !== undefined) return known;
      const cut = directory.lastIndexOf("/");
      const above = directory === "" ? [] : await wayTo(cut === -1 ? "" : directory.slice(0, cut));
      const prefix = directory === "" ? 0 : directory.length + 1;
      const way = [...above, ...(await rulesBelow(root, directory)).map((rules) => ({ prefix, rules }))];
      ways.set(directory, way);
      return way;
    };
    const hidden: boolean[] = [];
    // What was found comes directory by directory, mostly: the way to the last one need not be looked up again.
    let [lastPrefix, way] = ["/", await wayTo("")];
    for (const relative of relatives) {
      if (relative === "") {
        hidden.push(false);
        continue;
      }
      const cut = relative.lastIndexOf("/") + 1;
      if (cut !== lastPrefix.length || !relative.startsWith(lastPrefix)) {
        lastPrefix = relative.slice(0, cut);
        way = await wayTo(relative.slice(0, Math.max(0, cut - 1)));
      }
      const isSecret = MAYBE_SECRET.test(relative) && secrets.ignores(relative);
      const isListed = way.length > 0 && way.some(({ prefix, rules }) => rules.ignores(relative.slice(prefix)));
      hidden.push(isSecret || isListed);
    }
    return hidden;
  };
  return {
    isHidden: async (root, relative) => (await check(root, [relative]))[0] === true,
    withoutHidden: async (root, relatives) => {
      const hidden = await check(root, relatives);
      return relatives.filter((_, index) => hidden[index] !== true);
    },
  };
}

/** Looked up at once: a search asks for every directory it found something in, and a promise costs ten times as much. */
function versionOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.mtimeMs} ${found.size}`;
  } catch {
    return undefined; // not ours to read: then it says nothing
  }
}

/** Throws `forbidden` for a place that tools must leave alone. */
export async function refuseHidden(protectedPaths: ProtectedPaths, place: WorkspacePath): Promise<void> {
  if (await protectedPaths.isHidden(place.root, place.relative)) {
    throw new AppError("forbidden", `${place.relative} is kept from tools by an ignore file or as a secret`);
  }
}

/** Throws `forbidden` for a place that no tool may change: it decides what tools may do. */
export function refuseGuarded(place: WorkspacePath): void {
  if (place.relative !== "" && guarded.ignores(place.relative)) {
    throw new AppError("forbidden", `${place.relative} decides what tools may do, so no tool may change it`);
  }
}
