import type { Browser } from "playwright-core";
import { AppError } from "@quarry/base";

/** How a browser is found and started. */
export interface ChromiumOptions {
  /** The program; undefined where none is installed. */
  readonly browserPath: string | undefined;
  /** Whether Chromium's own sandbox can be used: not by root. */
  readonly sandbox: boolean;
}

const LAUNCH_MS = 30_000;
/** A browser that nobody uses is closed. */
const IDLE_MS = 60_000;

/** Nothing leaves by another way than a proxy that a page is given: no names are looked up here, no UDP is spoken. */
const ARGUMENTS = [
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--no-pings",
  "--disable-gpu",
];

/** The one headless browser of a workspace: started when first needed, closed when idle. */
export class Chromium {
  readonly #options: ChromiumOptions;
  #browser: Promise<Browser> | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  /** Whether there is one at all. */
  get isInstalled(): boolean {
    return this.#options.browserPath !== undefined;
  }

  /** The browser, until `giveBack`. Throws `unavailable` with how to get one. */
  async take(): Promise<{ readonly browser: Browser; readonly giveBack: () => void }> {
    const { browserPath, sandbox } = this.#options;
    if (browserPath === undefined) {
      throw new AppError(
        "unavailable",
        "this needs a browser, and no Chromium is installed (apt-get install chromium, or set QUARRY_BROWSER_PATH)",
      );
    }
    this.#users += 1;
    clearTimeout(this.#idle);
    let isGivenBack = false;
    const giveBack = (): void => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#users -= 1;
      if (this.#users > 0) return;
      this.#idle = setTimeout(() => void this.close(), IDLE_MS);
      this.#idle.unref();
    };
    try {
      this.#browser ??= launch(browserPath, sandbox);
      const browser = await this.#browser;
      browser.once("disconnected", () => (this.#browser = undefined));
      return { browser, giveBack };
    } catch (cause) {
      this.#browser = undefined;
      giveBack();
      throw new AppError("unavailable", `the browser ${browserPath} does not start: ${firstLine(cause)}`, { cause });
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const browser = this.#browser;
    this.#browser = undefined;
    await browser?.then(
      (open) => open.close(),
      () => undefined, // it did not start
    );
  }
}

/** Opens a browser with its window on a display. Returns what closes it. */
export async function openWindow(
  options: ChromiumOptions & {
    readonly browserPath: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly proxy: { readonly server: string; readonly username: string; readonly password: string } | undefined;
  },
  screen: { readonly display: string; readonly width: number; readonly height: number },
): Promise<() => Promise<void>> {
  const { browserPath, sandbox, environment, proxy } = options;
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: browserPath,
    chromiumSandbox: sandbox,
    headless: false,
    env: { ...defined(environment), DISPLAY: screen.display },
    args: [...ARGUMENTS, "--window-position=0,0", `--window-size=${screen.width},${screen.height}`, "--no-first-run"],
    timeout: LAUNCH_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const context = await browser.newContext({
    viewport: null,
    acceptDownloads: false,
    ...(proxy === undefined ? { offline: true } : { proxy: { ...proxy, bypass: "<-loopback>" } }),
  });
  await context.newPage();
  return () => browser.close();
}

function defined(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** playwright is loaded with the first browser: most processes never need one. */
async function launch(executablePath: string, chromiumSandbox: boolean): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath,
    chromiumSandbox,
    headless: true,
    args: ARGUMENTS,
    timeout: LAUNCH_MS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

function firstLine(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0] ?? "";
}
