import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import picomatch from "picomatch";

/** A rule that people wrote for agents: `.cursor/rules/*.mdc`. */
export interface CursorRule {
  readonly name: string;
  readonly description: string;
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
  readonly body: string;
  readonly fullPath: string;
}

const DIRECTORY = ".cursor/rules";
const MAX_RULES = 200;

/** The rules of a root, by name; unreadable ones are left out. */
export async function readCursorRules(root: string): Promise<readonly CursorRule[]> {
  const directory = path.join(root, DIRECTORY);
  const names = await readdir(directory).catch(() => []); // no rules then
  const files = names
    .filter((name) => name.endsWith(".mdc"))
    .sort()
    .slice(0, MAX_RULES);
  const rules = await Promise.all(
    files.map(async (name) => {
      const fullPath = path.join(directory, name);
      const text = await readFile(fullPath, "utf8").catch(() => undefined); // a rule nobody can read says nothing
      return text === undefined ? [] : [parseRule(name.slice(0, -".mdc".length), fullPath, text)];
    }),
  );
  return rules.flat();
}

/** The rules about a file, as the results of the read tools show them. */
export async function matchingRules(root: string, relative: string): Promise<readonly JsonObject[]> {
  return (await readCursorRules(root))
    .filter(({ globs }) =>
      globs.some((glob) => picomatch(glob.includes("/") ? glob : `**/${glob}`, { dot: true })(relative)),
    )
    .map(({ name, description, alwaysApply, body, fullPath }) => ({
      name,
      description,
      body,
      isFromGlob: true,
      alwaysApply,
      fullPath,
    }));
}

/** The three members that rules have, from the lines between the dashes. */
export function parseRule(name: string, fullPath: string, text: string): CursorRule {
  const [, head = "", body = text] = /^---\r?\n([^]*?)\r?\n---\r?\n?([^]*)$/.exec(text) ?? [];
  const member = (key: string): string => new RegExp(`^${key}:[ \\t]*(.*)$`, "m").exec(head)?.[1]?.trim() ?? "";
  const unquote = (value: string): string => value.replace(/^(["'])(.*)\1$/, "$2");
  const globs = member("globs")
    .replace(/^\[(.*)\]$/, "$1")
    .split(",");
  return {
    name,
    fullPath,
    description: unquote(member("description")),
    globs: globs.map((glob) => unquote(glob.trim())).filter((glob) => glob !== ""),
    alwaysApply: member("alwaysApply") === "true",
    body: body.trim(),
  };
}
