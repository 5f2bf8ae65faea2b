// Bundles the programs into dist/: Node 20 does not run TypeScript. Skipped when no source has changed.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildConsole, isConsoleBuilt } from "./build-console.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");
const stamp = path.join(dist, ".built");

/** Each bundle: its name under dist/ and where it starts. Worker threads are bundles of their own. */
const ENTRIES = {
  server: "apps/server/src/main.ts",
  indexer: "apps/server/src/indexing/indexer.ts",
  "read-page-thread": "packages/ingest/src/read-page-thread.ts",
  "embed-thread": "packages/models/src/minilm/embed-thread.ts",
  "code-thread": "packages/agent/src/code/code-thread.ts",
};

/** The command line: what a command loads on its own lies in files of their own, so that the others start at once. */
const COMMAND_LINE = { cli: "apps/cli/src/main.ts" };
const COMMAND_LINE_PART = "cli-part-";

/** Files the programs read as they are. */
const FILES = { migrations: "packages/store/migrations" };

/** Whether dist/ was made from the sources as they are now. */
export function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceHash() && isConsoleBuilt();
}

/** Makes dist/ anew; the console only when its own sources have changed, because it takes longest. */
export async function build() {
  process.stderr.write("Building…\n");
  const { bundle } = await import("./bundle.mjs");
  const hash = sourceHash();
  rmSync(stamp, { force: true });
  mkdirSync(dist, { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: dist,
    sourcemap: "linked",
  });
  for (const name of readdirSync(dist).filter((file) => file.startsWith(COMMAND_LINE_PART)))
    rmSync(path.join(dist, name));
  await bundle({
    absWorkingDir: root,
    entryPoints: COMMAND_LINE,
    outdir: dist,
    sourcemap: "linked",
    splitting: true,
    chunkNames: `${COMMAND_LINE_PART}[hash]`,
  });
  for (const [name, source] of Object.entries(FILES)) {
    rmSync(path.join(dist, name), { recursive: true, force: true }); // what was deleted must not stay behind
    cpSync(path.join(root, source), path.join(dist, name), { recursive: true });
  }
  if (!isConsoleBuilt()) await buildConsole();
  writeFileSync(stamp, hash);
}

function sourceHash() {
  const hash = createHash("sha256");
  for (const file of [
    ...filesBelow("packages"),
    ...filesBelow("apps/server"),
    ...filesBelow("apps/cli"),
    "tools/build.mjs",
    "tools/bundle.mjs",
    "package-lock.json",
  ]) {
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(path.join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function filesBelow(directory) {
  const found = [];
  for (const entry of readdirSync(path.join(root, directory), { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === "fixtures" || entry.name.endsWith(".test.ts")) continue;
    const below = `${directory}/${entry.name}`;
    if (entry.isDirectory()) found.push(...filesBelow(below));
    else found.push(below);
  }
  return found.sort();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
