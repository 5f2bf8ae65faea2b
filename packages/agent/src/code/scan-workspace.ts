import { stat } from "node:fs/promises";
import path from "node:path";
import { listFiles } from "../workspace/list-files.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import type { Scan, ScannedFile } from "./scanned-file.ts";

/** A larger file is refused: it is data, or made by a machine. */
export const MAX_INDEXED_BYTES = 1024 * 1024;
/** The most files that are indexed below one root. */
const MAX_INDEXED_FILES = 20_000;
const STATS_AT_ONCE = 64;

/** Never code, and often large. */
const NOT_TEXT =
  /\.(png|jpe?g|gif|webp|avif|ico|bmp|tiff?|svgz|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|pyc|pyo|o|a|so|dylib|dll|exe|wasm|bin|dat|db|sqlite3?|mp[34]|m4a|ogg|wav|webm|mov|avi|woff2?|ttf|otf|eot|onnx|safetensors|parquet|lock|map|min\.js|min\.css|snap)$|(^|\/)(package-lock\.json|pnpm-lock\.yaml|npm-shrinkwrap\.json)$/i;

/** What was installed or made, where no ignore file says so. */
const NOT_WRITTEN = /(^|\/)(node_modules|bower_components|__pycache__|\.venv|venv|\.tox|\.mypy_cache|\.gradle)\//;

/** The files of a workspace that tools may see and that may be text, by name. */
export async function scanWorkspace(
  deps: Pick<WorkspaceDeps, "ripgrep" | "protectedPaths">,
  root: string,
  signal: AbortSignal,
): Promise<Scan> {
  const listed = await listFiles(deps, { root, below: "" }, signal);
  const names = listed.files.filter((name) => !NOT_TEXT.test(name) && !NOT_WRITTEN.test(name)).sort();
  const wanted = names.slice(0, MAX_INDEXED_FILES);
  const scanned: ScannedFile[] = [];
  for (let start = 0; start < wanted.length; start += STATS_AT_ONCE) {
    const some = await Promise.all(wanted.slice(start, start + STATS_AT_ONCE).map((name) => look(root, name)));
    scanned.push(...some.flat());
  }
  return {
    files: scanned.filter(({ size }) => size <= MAX_INDEXED_BYTES),
    tooLarge: scanned.filter(({ size }) => size > MAX_INDEXED_BYTES),
    isCut: listed.isCut || names.length > wanted.length,
  };
}

async function look(root: string, relative: string): Promise<readonly ScannedFile[]> {
  const found = await stat(path.join(root, relative)).catch(() => undefined); // gone since it was listed
  return found?.isFile() === true ? [{ relative, mtimeMs: found.mtimeMs, size: found.size }] : [];
}
