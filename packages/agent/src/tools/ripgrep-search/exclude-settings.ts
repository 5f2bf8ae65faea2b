import { readFile } from "node:fs/promises";
import path from "node:path";

/** What an editor's settings of a workspace leave out of searches, as globs. */
export interface ExcludeSettings {
  readonly files: readonly string[];
  readonly search: readonly string[];
}

/** What editors leave out without being told. */
const DEFAULT_FILES = ["**/.git", "**/.svn", "**/.hg", "**/CVS", "**/.DS_Store", "**/Thumbs.db"];
const DEFAULT_SEARCH = ["**/node_modules", "**/bower_components", "**/*.code-search"];

/** Reads `files.exclude` and `search.exclude` of `.vscode/settings.json`; a glob set to false is not left out. */
export async function readExcludeSettings(root: string): Promise<ExcludeSettings> {
  const text = await readFile(path.join(root, ".vscode", "settings.json"), "utf8").catch(() => "{}"); // none there
  const settings = parseSettings(text);
  return {
    files: merge(DEFAULT_FILES, settings["files.exclude"]),
    search: merge(DEFAULT_SEARCH, settings["search.exclude"]),
  };
}

function merge(defaults: readonly string[], given: unknown): readonly string[] {
  const said = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const kept = defaults.filter((glob) => said[glob] !== false);
  return [...new Set([...kept, ...Object.keys(said).filter((glob) => said[glob] === true)])];
}

/** Settings may hold comments and trailing commas; ones that cannot be read say nothing. */
function parseSettings(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(toPlainJson(text));
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {}; // a person is in the middle of writing it
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|,|\s+|[^"/,\s]+/y;

/** Without comments and trailing commas; what follows a string or a comment that does not end stays as it is. */
function toPlainJson(text: string): string {
  const parts: string[] = [];
  let comma = -1;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    // the first that fits nothing ends the reading: looking on from each later place would take the square of the text
    if (token === undefined) return parts.join("") + text.slice(at);
    at += token.length;
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    if (comma >= 0 && /^[}\]]/.test(token)) parts[comma] = "";
    if (token === ",") comma = parts.length;
    else if (!/^\s/.test(token)) comma = -1;
    parts.push(token);
  }
  return parts.join("");
}
