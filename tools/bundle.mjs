// The one way this repository bundles TypeScript: our own packages go in, packages from npm stay outside, so that
// native ones load and stack traces stay readable. A program that must start at once names those it takes in.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * Loaded from where they lie even by a package that was taken in: they are native, run files of their own, or must be
 * the one copy that another of these shares.
 */
const ALWAYS_OUTSIDE = new Set(["apache-arrow", "onnxruntime-common", "onnxruntime-node", "pg-native", "pino"]);

/** CommonJS that was taken in asks Node's own modules by `require`, which a module has not. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);`;

/**
 * Bundles programs for Node; `options` go to esbuild on top of what is common to all. The npm packages of `inside` are
 * taken in with all they depend on: a start then opens a few files instead of thousands.
 */
export function bundle({ inside = [], ...options }) {
  return build({
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["source"],
    logLevel: "warning",
    plugins: [npmPackagesStayOutside(new Set(inside)), ourPackagesByFile(), tablesAsJson()],
    ...(inside.length === 0 ? {} : { banner: { js: REQUIRE } }),
    ...options,
  });
}

function npmPackagesStayOutside(inside) {
  return {
    name: "npm-packages-stay-outside",
    setup(bundler) {
      const { absWorkingDir = process.cwd(), outdir, outfile = "" } = bundler.initialOptions;
      const out = path.resolve(absWorkingDir, outdir ?? path.dirname(outfile));
      bundler.onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind, importer }) => {
        const name = packageName(specifier);
        const takenIn = inside.has(name) || importer.includes(`${path.sep}node_modules${path.sep}`);
        if (kind === "entry-point" || specifier.startsWith("@quarry/") || path.isAbsolute(specifier)) return undefined;
        if (takenIn && !ALWAYS_OUTSIDE.has(name)) return undefined;
        return { path: ownVersion(specifier, importer, out) ?? specifier, external: true };
      });
    },
  };
}

/**
 * Asks one of our packages for a name in the file that makes it, not at its door. A part that is loaded only when asked for
 * keeps all of a door's files alive, and the bundler would then give them all to every program that came through the door.
 */
function ourPackagesByFile() {
  const doors = new Map();
  return {
    name: "our-packages-by-file",
    setup(bundler) {
      // not by where this file lies: a program that bundles others has it bundled in
      const { absWorkingDir: root = process.cwd() } = bundler.initialOptions;
      bundler.onLoad({ filter: /[\\/](?:packages|apps)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => ({
        loader: "ts",
        contents: readFileSync(file, "utf8").replaceAll(
          /^import \{([^}]*)\} from "@quarry\/([\w-]+)";$/gm,
          (statement, names, room) => {
            const door = doors.get(room) ?? readDoor(root, room);
            doors.set(room, door);
            const imports = names.split(",").flatMap((name) => {
              const wanted = name.trim();
              if (wanted === "" || wanted.startsWith("type ")) return [];
              const from = door.get(wanted.split(" ")[0]) ?? `@quarry/${room}`;
              return [`import { ${wanted} } from ${JSON.stringify(from)};`];
            });
            // As many lines as before, for those who read a stack trace.
            return imports.join(" ") + statement.replaceAll(/[^\n]/g, "");
          },
        ),
      }));
    },
  };
}

/**
 * The tables of the language detector as JSON instead of code: Node needs 70 MB to parse the one, which no thread gives
 * back, and hardly anything for the other.
 */
function tablesAsJson() {
  return {
    name: "tables-as-json",
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]eld[\\/]src[\\/]ngrams[\\/]\w+\.js$/ }, async ({ path: file }) => {
        const { ngramsData } = await import(pathToFileURL(file).href);
        const json = JSON.stringify(JSON.stringify(ngramsData));
        return { loader: "js", contents: `export const ngramsData = JSON.parse(${json});` };
      });
    },
  };
}

/** Which file makes each name that a package's door lists. */
function readDoor(root, room) {
  const folder = path.join(root, "packages", room, "src");
  const lists = readFileSync(path.join(folder, "index.ts"), "utf8").matchAll(/^export \{([^}]*)\} from "([^"]+)";$/gm);
  const files = new Map();
  for (const [, names, from] of lists) {
    for (const name of names.split(",").map((one) => one.trim())) {
      if (/^\w+$/.test(name)) files.set(name, path.join(folder, from)); // a renamed one is left to the door
    }
  }
  return files;
}

/**
 * Where one of our packages has a version of its own below it, since another version lies at the root: that one, as
 * seen from the bundle, which would find the other.
 */
function ownVersion(specifier, importer, out) {
  const [home] = /^.*[\\/](?:packages|apps)[\\/][^\\/]+(?=[\\/])/.exec(importer) ?? [];
  if (home === undefined || !existsSync(path.join(home, "node_modules", packageName(specifier)))) return undefined;
  return path.relative(out, createRequire(importer).resolve(specifier)).replaceAll(path.sep, "/");
}

function packageName(specifier) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}
