// The one way this repository bundles TypeScript: our own packages go in, packages from npm stay outside, so that
// native ones load and stack traces stay readable.
import path from "node:path";
import { build } from "esbuild";

/** Bundles programs for Node; `options` go to esbuild on top of what is common to all. */
export function bundle(options) {
  return build({
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["source"],
    logLevel: "warning",
    plugins: [npmPackagesStayOutside],
    ...options,
  });
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
