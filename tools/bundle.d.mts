import type { BuildOptions, BuildResult } from "esbuild";

/** Bundles programs for Node; `options` go to esbuild on top of what is common to all. */
export function bundle(options: BuildOptions): Promise<BuildResult>;
