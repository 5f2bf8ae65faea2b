// The one way this repository bundles TypeScript: our own packages go in, packages from npm stay outside, so that
// native ones load and stack traces stay readable.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
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
    const { absWorkingDir = process.cwd(), outdir, outfile = "" } = bundler.initialOptions;
    const out = path.resolve(absWorkingDir, outdir ?? path.dirname(outfile));
    bundler.onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind, importer }) =>
      kind === "entry-point" || specifier.startsWith("@quarry/") || path.isAbsolute(specifier)
        ? undefined
        : { path: ownVersion(specifier, importer, out) ?? specifier, external: true },
    );
  },
};

/**
 * Where one of our packages has a version of its own below it, since another version lies at the root: that one, as
 * seen from the bundle, which would find the other.
 */
function ownVersion(specifier, importer, out) {
  const [home] = /^.*[\\/](?:packages|apps)[\\/][^\\/]+(?=[\\/])/.exec(importer) ?? [];
  const [name = specifier] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  if (home === undefined || !existsSync(path.join(home, "node_modules", name))) return undefined;
  return path.relative(out, createRequire(importer).resolve(specifier)).replaceAll(path.sep, "/");
}
