import { existsSync } from "node:fs";
import { describe, it } from "vitest";
import { findBrowser } from "./find-browser.ts";

/** The browser of this machine, where there is one. */
export function installedBrowser(): string | undefined {
  return findBrowser({
    platform: process.platform,
    searchPath: [],
    exists: existsSync,
  });
}

/** Whether Chromium's own sandbox can be used here. */
export const canSandbox = process.getuid?.() !== 0;

/** Tests that show pages in a real browser; without one a single skipped test says so. */
export function describeBrowser(name: string, run: (browserPath: string) => void): void {
  const browserPath = installedBrowser();
  if (browserPath === undefined) {
    it.skip(`${name}: no Chromium is installed (apt-get install chromium)`);
    return;
  }
  describe(name, () => run(browserPath));
}
