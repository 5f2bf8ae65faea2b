import { readFileSync } from "node:fs";
import path from "node:path";

/** The version of this installation, from the package.json beside the bundles' directory. */
export function readVersion(bundleDirectory: string): string {
  const manifest = JSON.parse(readFileSync(path.join(bundleDirectory, "..", "package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
