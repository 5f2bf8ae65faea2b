import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A directory of a few files, gone after `dispose`. */
export interface TinyWorkspace {
  readonly root: string;
  readonly dispose: () => void;
}

/**
 * Writes `files` (path to text) into a fresh directory. Every folder of
 * packages/ becomes `@quarry/<name>` with an index that the resolver enforces,
 * as in the real workspace.
 */
export function makeTinyWorkspace(files: Readonly<Record<string, string>>): TinyWorkspace {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-workspace-")));
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  mkdirSync(path.join(root, "node_modules", "@quarry"), { recursive: true });
  for (const name of packagesOf(files)) {
    const exports = { ".": { source: "./src/index.ts" } };
    write(`packages/${name}/package.json`, JSON.stringify({ name: `@quarry/${name}`, type: "module", exports }));
    symlinkSync(path.join(root, "packages", name), path.join(root, "node_modules", "@quarry", name), "junction");
  }
  return { root, dispose: () => rmSync(root, { recursive: true, force: true }) };
}

function packagesOf(files: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(Object.keys(files).flatMap((file) => /^packages\/([^/]+)\//.exec(file)?.[1] ?? []));
}
