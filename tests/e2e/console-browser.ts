import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium, type Browser, type Page } from "playwright-core";
import type { ServerProcess } from "../../tools/server-process.ts";

/** A browser of this machine; undefined when it has none. */
export const browserProgram = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (file) => existsSync(file),
);

/** Starts it, without anything that would call home. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserProgram ?? "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
    ],
  });
}

/** A page of a browser, and what it complained about so far. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the log, errors thrown, dialogs, and requests that left the server. */
  readonly complaints: readonly string[];
}

/** How a page is opened. */
export interface PageWish {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  /** Signed in by key unless told otherwise. */
  readonly isSignedIn?: boolean;
}

/** Runs `work` with a page of its own, closed afterwards. */
export async function withPage(
  browser: Browser,
  server: ServerProcess,
  work: (watched: WatchedPage) => Promise<void>,
  { theme = "light", width = 1280, isSignedIn = true }: PageWish = {},
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height: width < 500 ? 740 : 860 },
    permissions: ["clipboard-read", "clipboard-write"],
    timezoneId: "UTC",
    locale: "en",
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => {
      complaints.push(`a dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url)) complaints.push(`left the server: ${request.url()}`);
    });
    if (isSignedIn) {
      await context.request.post(`${server.url}/quarry/v1/sign-in`, { data: { apiKey: server.key } });
    }
    await work({ page, complaints });
  } catch (error) {
    // What it looked like then says more than the error.
    for (const [index, page] of context.pages().entries()) await takeScreenshot(page, `failed-${index}`);
    throw error;
  } finally {
    await context.close();
  }
}

const axeProgram = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds on the page as it is that would stop somebody with a keyboard, a screen reader or weak eyes. */
export async function checkPage(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeProgram); // by the debugger, which the page's own policy does not bind
  // A colour halfway to another is nobody's choice: what is judged is where it ends.
  await page.evaluate("document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())");
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
  });
}

/** As much of axe as is used. */
interface Axe {
  readonly run: () => Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly impact: string | null;
      readonly help: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }>;
}

/** Writes what the page looks like below test-results/, for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await mkdir("test-results/console", { recursive: true });
  await page.screenshot({ path: `test-results/console/${name}.png`, animations: "disabled" });
}
