import { mkdir } from "node:fs/promises";
import path from "node:path";
import { bundle } from "../bundle.mjs";

/**
 * Bundles a TypeScript program of this repository once, so that it can be started
 * (and killed) many times by plain `node`; returns the file. Paths are from the repository's root.
 */
export async function buildProgram(entry: string): Promise<string> {
  const root = process.cwd();
  const outfile = path.join(
    root,
    "node_modules",
    ".cache",
    "soak",
    `${path.basename(entry, ".ts")}-${process.pid}.mjs`,
  );
  await mkdir(path.dirname(outfile), { recursive: true });
  await bundle({ absWorkingDir: root, entryPoints: [entry], outfile });
  return outfile;
}
