// Runs one TypeScript program of this repository: `node tools/run-typescript.mjs FILE [arguments]`.
// The bundle goes below node_modules/.cache, so that packages resolve and nothing is left in the tree.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  process.stderr.write("usage: node tools/run-typescript.mjs FILE [arguments]\n");
  process.exit(2);
}

const outdir = path.join(root, "node_modules", ".cache", "run", String(process.pid));
mkdirSync(outdir, { recursive: true });
const outfile = path.join(outdir, `${path.basename(entry, ".ts")}.mjs`);
await bundle({ absWorkingDir: root, entryPoints: [entry], outfile, sourcemap: "inline" });
const child = spawn(process.execPath, ["--enable-source-maps", outfile, ...rest], { stdio: "inherit", cwd: root });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
