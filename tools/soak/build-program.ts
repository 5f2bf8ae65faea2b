import { mkdir } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

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
    plugins: [
      {
        name: "npm-packages-stay-outside",
        setup(bundler) {
          bundler.onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) =>
            kind === "entry-point" || specifier.startsWith("@quarry/")
              ? undefined
              : { path: specifier, external: true },
          );
        },
      },
    ],
  });
  return outfile;
}
