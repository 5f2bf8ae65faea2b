// Bundles the programs into dist/: Node 20 does not run TypeScript. Skipped when no source has changed.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildConsole, isConsoleBuilt } from "./build-console.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");
const stamp = path.join(dist, ".built");

/**
 * Each bundle: its name under dist/, where it starts, and how the parts are named that it loads only when asked for.
 * No two share a part: one would load what only the other needs.
 */
const PROGRAMS = {
  server: { entry: "apps/server/src/main.ts", part: "server-part-" },
  indexer: { entry: "apps/server/src/indexing/indexer.ts" },
  "read-page-thread": { entry: "packages/ingest/src/read-page-thread.ts" },
  "embed-thread": { entry: "packages/models/src/minilm/embed-thread.ts" },
  "code-thread": { entry: "packages/agent/src/code/code-thread.ts" },
  cli: { entry: "apps/cli/src/main.ts", part: "cli-part-" },
};

/** The npm packages that every start loads, all of them plain JavaScript: read as one file instead of two thousand. */
const LOADED_AT_START = [
  "@bufbuild/protobuf",
  "@connectrpc/connect",
  "@connectrpc/connect-fastify",
  "@connectrpc/connect-node",
  "@modelcontextprotocol/server",
  "@opentelemetry/api",
  "@exodus/bytes",
  "@orama/stemmers",
  "ajv",
  "ajv-formats",
  "chrono-node",
  "csv-parse",
  "croner",
  "diff",
  "eld",
  "entities",
  "fastify",
  "fzf",
  "hyparquet-writer",
  "iconv-lite",
  "ignore",
  "ipaddr.js",
  "jsonrepair",
  "libphonenumber-js",
  "pg",
  "picomatch",
  "re2js",
  "sax",
  "tldts",
  "unbash",
  "undici",
  "zod",
];

/** Longer than anyone works beside a program they started before they built anew. */
const KEEP_PARTS_MS = 24 * 3_600_000;

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
  removeOldParts();
  await Promise.all(
    Object.entries(PROGRAMS).map(([name, { entry, part }]) =>
      bundle({
        absWorkingDir: root,
        entryPoints: { [name]: entry },
        outdir: dist,
        sourcemap: "linked",
        inside: LOADED_AT_START,
        ...(part === undefined ? {} : { splitting: true, chunkNames: `${part}[hash]` }),
      }),
    ),
  );
  for (const [name, source] of Object.entries(FILES)) {
    rmSync(path.join(dist, name), { recursive: true, force: true }); // what was deleted must not stay behind
    cpSync(path.join(root, source), path.join(dist, name), { recursive: true });
  }
  if (!isConsoleBuilt()) await buildConsole();
  writeFileSync(stamp, hash);
}

/** Parts of earlier builds. The newest stay: a program that runs still loads them. */
function removeOldParts() {
  for (const file of readdirSync(dist).filter((name) => /^(?:server|cli)-part-/.test(name))) {
    const part = path.join(dist, file);
    if (Date.now() - statSync(part).mtimeMs > KEEP_PARTS_MS) rmSync(part, { force: true });
  }
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
