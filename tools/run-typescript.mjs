// Runs one TypeScript program of this repository: `node tools/run-typescript.mjs FILE [arguments]`.
// The bundle goes below node_modules/.cache, so that packages resolve and nothing is left in the tree.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  process.stderr.write("usage: node tools/run-typescript.mjs FILE [arguments]\n");
  process.exit(2);
}

const outdir = path.join(root, "node_modules", ".cache", "run", String(process.pid));
mkdirSync(outdir, { recursive: true });
const outfile = path.join(outdir, `${path.basename(entry, ".ts")}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  conditions: ["source"],
  logLevel: "warning",
  sourcemap: "inline",
  plugins: [
    {
      name: "npm-packages-stay-outside",
      setup(bundler) {
        bundler.onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) =>
          kind === "entry-point" || specifier.startsWith("@quarry/") ? undefined : { path: specifier, external: true },
        );
      },
    },
  ],
});
const child = spawn(process.execPath, ["--enable-source-maps", outfile, ...rest], { stdio: "inherit", cwd: root });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
