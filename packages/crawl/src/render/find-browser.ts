import path from "node:path";

/** Where to look for a browser. */
export interface BrowserPlaces {
  /** The operator's word; when it is given, nothing else is tried. */
  readonly browserPath?: string | undefined;
  readonly platform: NodeJS.Platform;
  /** The directories of PATH. */
  readonly searchPath: readonly string[];
  readonly exists: (file: string) => boolean;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge"];
const USUAL: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/snap/bin/chromium",
    "/usr/lib/chromium/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: [
    String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
    String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
  ],
};

/** The installed Chromium or one of its kin; undefined when there is none, or none where the operator says. */
export function findBrowser(places: BrowserPlaces): string | undefined {
  if (places.browserPath !== undefined) {
    return places.exists(places.browserPath) ? places.browserPath : undefined;
  }
  const suffix = places.platform === "win32" ? ".exe" : "";
  const named = places.searchPath.flatMap((folder) => NAMES.map((name) => path.join(folder, name + suffix)));
  return [...(USUAL[places.platform] ?? []), ...named].find(places.exists);
}
