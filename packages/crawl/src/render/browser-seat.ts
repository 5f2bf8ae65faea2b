import { orAbort } from "@quarry/base";
import type { Browser, LaunchOptions } from "playwright-core";
import type { RenderLimits } from "./render-limits.ts";

/** Starts a browser. */
export type LaunchBrowser = (options: LaunchOptions) => Promise<Browser>;

/** A turn at the browser, or why there is none. */
export type BrowserLease =
  | { readonly kind: "browser"; readonly browser: Browser; readonly giveBack: () => void }
  | { readonly kind: "no-browser"; readonly message: string };

/** How a seat is made. */
export interface BrowserSeatOptions {
  readonly browserPath: string;
  readonly sandbox: boolean;
  readonly limits: Pick<RenderLimits, "maxPages" | "pagesPerBrowser" | "idleMs">;
  readonly launch: LaunchBrowser | undefined;
}

const LAUNCH_MS = 30_000;
/** After a launch that failed, nobody waits for another before this. */
const LAUNCH_AGAIN_MS = 60_000;

/**
 * Nothing of the browser may leave by another way than the proxy: no names are looked up here, no UDP is spoken, and
 * loopback is no exception (playwright adds `<-loopback>`, which takes Chromium's own exception away).
 */
const ARGUMENTS = [
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--dns-prefetch-disable",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--no-pings",
  "--disable-gpu",
  "--js-flags=--max-old-space-size=512",
];

/** The one browser of a process: started when it is first needed, again when it has died, and closed when idle. */
export class BrowserSeat {
  readonly #options: BrowserSeatOptions;
  readonly #waiting: (() => void)[] = [];
  #browser: Promise<Browser> | undefined;
  #usedPages = 0;
  #openPages = 0;
  #idle: NodeJS.Timeout | undefined;
  #failure: { readonly message: string; readonly untilMs: number } | undefined;
  #isClosed = false;

  constructor(options: BrowserSeatOptions) {
    this.#options = options;
  }

  /** Waits for a place at the browser. Rejects only when `signal` aborts. */
  async take(signal: AbortSignal): Promise<BrowserLease> {
    await this.#waitForPlace(signal);
    clearTimeout(this.#idle);
    const opening = this.#open().then((lease) => {
      if (lease.kind === "no-browser") this.#release();
      return lease;
    });
    try {
      return await orAbort(opening, signal);
    } catch (aborted) {
      // The browser that is starting stays, for the next one.
      void opening.then((lease) => lease.kind === "browser" && lease.giveBack());
      throw aborted;
    }
  }

  /** Closes the browser; pages in it fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#closeBrowser();
  }

  async #waitForPlace(signal: AbortSignal): Promise<void> {
    while (this.#openPages >= this.#options.limits.maxPages) {
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        const go = (): void => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        this.#waiting.push(go);
        signal.addEventListener("abort", leave, { once: true });
      });
    }
    this.#openPages += 1;
  }

  async #open(): Promise<BrowserLease> {
    if (this.#isClosed) return { kind: "no-browser", message: "the browser is closed: the server is stopping" };
    if (this.#failure !== undefined && performance.now() < this.#failure.untilMs) {
      return { kind: "no-browser", message: this.#failure.message };
    }
    try {
      const isWorn = this.#usedPages >= this.#options.limits.pagesPerBrowser && this.#openPages === 1;
      if (isWorn) await this.#closeBrowser();
      const browser = await (this.#browser ??= this.#start());
      this.#usedPages += 1;
      let isGivenBack = false;
      const giveBack = (): void => {
        if (!isGivenBack) this.#release();
        isGivenBack = true;
      };
      return { kind: "browser", browser, giveBack };
    } catch (thrown) {
      this.#browser = undefined;
      const reason = thrown instanceof Error ? (thrown.message.split("\n", 1)[0] ?? "") : String(thrown);
      const message = `the page needs a browser and ${this.#options.browserPath} does not start: ${reason}`;
      this.#failure = { message, untilMs: performance.now() + LAUNCH_AGAIN_MS };
      return { kind: "no-browser", message };
    }
  }

  async #start(): Promise<Browser> {
    const { browserPath, sandbox } = this.#options;
    const launch = this.#options.launch ?? (await launchByPlaywright());
    const browser = await launch({
      executablePath: browserPath,
      chromiumSandbox: sandbox,
      headless: true,
      args: ARGUMENTS,
      timeout: LAUNCH_MS,
      // The server stops it itself, after what runs has ended.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    this.#usedPages = 0;
    this.#failure = undefined;
    browser.on("disconnected", () => (this.#browser = undefined));
    return browser;
  }

  #release(): void {
    this.#openPages -= 1;
    this.#waiting.shift()?.();
    if (this.#openPages > 0) return;
    this.#idle = setTimeout(() => void this.#closeBrowser(), this.#options.limits.idleMs);
    this.#idle.unref();
  }

  async #closeBrowser(): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    await browser?.then(
      (open) => open.close(),
      () => undefined, // it did not start
    );
  }
}

/** Loaded with the first page that needs it: most servers never do. */
async function launchByPlaywright(): Promise<LaunchBrowser> {
  const { chromium } = await import("playwright-core");
  return (options) => chromium.launch(options);
}
