// Bundles the programs into dist/: Node 20 does not run TypeScript. Our own packages
// are bundled, packages from npm stay outside. Skipped when no source has changed.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");
const stamp = path.join(dist, ".built");

/** Each bundle: its name under dist/ and where it starts. Worker threads are bundles of their own. */
const ENTRIES = {
  server: "apps/server/src/main.ts",
  cli: "apps/cli/src/main.ts",
  "read-page-thread": "packages/ingest/src/read-page-thread.ts",
};

/** Whether dist/ was made from the sources as they are now. */
export function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceHash();
}

/** Makes dist/ anew. */
export async function build() {
  process.stderr.write("Building…\n");
  const { build: bundle } = await import("esbuild");
  const hash = sourceHash();
  rmSync(stamp, { force: true });
  mkdirSync(dist, { recursive: true });
  await bundle({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).filter(([, entry]) => existsSync(path.join(root, entry)))),
    outdir: dist,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["source"],
    plugins: [npmPackagesStayOutside],
    loader: { ".sql": "text" },
    sourcemap: "linked",
    logLevel: "warning",
  });
  cpSync(path.join(root, "packages/store/migrations"), path.join(dist, "migrations"), { recursive: true });
  cpSync(path.join(root, "apps/console/src"), path.join(dist, "console"), { recursive: true });
  writeFileSync(stamp, hash);
}

const npmPackagesStayOutside = {
  name: "npm-packages-stay-outside",
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) =>
      kind === "entry-point" || specifier.startsWith("@quarry/") || path.isAbsolute(specifier)
        ? undefined
        : { path: specifier, external: true },
    );
  },
};

function sourceHash() {
  const hash = createHash("sha256");
  for (const file of [...filesBelow("packages"), ...filesBelow("apps"), "tools/build.mjs", "package-lock.json"]) {
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
