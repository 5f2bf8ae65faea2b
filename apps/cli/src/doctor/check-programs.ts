import { access, constants, readdir } from "node:fs/promises";
import path from "node:path";
import type { Check, Finding } from "./check.ts";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];

/** Programs that widen what Quarry can do when they are there. */
export const checkPrograms: Check = async ({ programPath, browserCache }) => {
  const find = (names: readonly string[]): Promise<string | undefined> => findProgram(names, programPath);
  return [
    toFinding(
      "browser",
      (await find(BROWSERS)) ?? (await findCachedBrowser(browserCache)),
      "no Chromium or Chrome found; pages that need scripts stay as served",
      {
        status: "warn",
        fix: "install one: apt install chromium, brew install --cask chromium, or npx playwright install chromium",
      },
    ),
    toFinding("ripgrep", await find(["rg"]), "not in PATH; the copy from npm is used"),
    toFinding("bubblewrap", await find(["bwrap"]), "not in PATH; the terminal's sandbox uses what else the system has"),
  ];
};

function toFinding(
  check: string,
  found: string | undefined,
  missing: string,
  lacking: { readonly status: "info" | "warn"; readonly fix?: string } = { status: "info" },
): Finding {
  return found === undefined ? { check, detail: missing, ...lacking } : { check, status: "ok", detail: found };
}

/** Playwright keeps each browser in a directory named after it and its build. */
async function findCachedBrowser(cache: string): Promise<string | undefined> {
  const names = await readdir(cache).catch(() => []); // no cache: none there
  const name = names
    .filter((candidate) => /^chromium(_headless_shell)?-\d+$/.test(candidate))
    .sort()
    .at(-1);
  return name === undefined ? undefined : path.join(cache, name);
}

async function findProgram(names: readonly string[], programPath: string): Promise<string | undefined> {
  const suffix = process.platform === "win32" ? ".exe" : "";
  for (const name of names) {
    for (const directory of programPath.split(path.delimiter)) {
      const candidate = path.join(directory, name + suffix);
      if (directory !== "" && (await isExecutable(candidate))) return candidate;
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false; // that is the answer asked for
  }
}
