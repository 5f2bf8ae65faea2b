// Builds the console into dist/console with Vite. Skipped when none of its own sources has changed, so that work on the
// server never waits for it.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const home = path.join(root, "apps", "console");
const dist = path.join(root, "dist");
const stamp = path.join(dist, ".console-built");

/** Whether dist/console was made from the sources as they are now. */
export function isConsoleBuilt() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === sourceHash();
}

/** Makes dist/console anew. It is put in place whole, so that a server that starts meanwhile reads the old or the new one. */
export async function buildConsole() {
  const { build } = await import("vite");
  const hash = sourceHash();
  const made = path.join(dist, `console-${randomBytes(4).toString("hex")}`);
  const old = `${made}-old`;
  mkdirSync(dist, { recursive: true });
  try {
    await build({
      root: home,
      configFile: path.join(home, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: made, emptyOutDir: true },
    });
    rmSync(stamp, { force: true });
    if (existsSync(path.join(dist, "console"))) renameSync(path.join(dist, "console"), old);
    renameSync(made, path.join(dist, "console"));
    writeFileSync(stamp, hash);
  } finally {
    rmSync(made, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

function sourceHash() {
  const hash = createHash("sha256");
  const files = [...filesBelow("apps/console"), "tools/build-console.mjs", "package-lock.json"];
  for (const file of files) {
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
    if (entry.name === "node_modules" || entry.name === "README.md" || entry.name.endsWith(".test.ts")) continue;
    const below = `${directory}/${entry.name}`;
    if (entry.isDirectory()) found.push(...filesBelow(below));
    else found.push(below);
  }
  return found.sort();
}
