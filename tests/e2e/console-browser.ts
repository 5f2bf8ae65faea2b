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
      `--disable-features=${WITHOUT.join(",")}`,
    ],
  });
}

/**
 * Parts of a browser that no page needs. Each window would load the popup of its address bar, a page as dear as the
 * console's own. The others are those that Playwright leaves out: of two such lists the browser reads the last.
 */
const WITHOUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

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
    reducedMotion: "reduce", // what moves is drawn anew sixty times a second, by the processor
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

/** All that axe judges, or only what another theme may change: the page is the same but for its colours. */
export type PageCheck = "everything" | "colours";

/** What axe finds on the page as it is that would stop somebody with a keyboard, a screen reader or weak eyes. */
export async function checkPage(page: Page, check: PageCheck = "everything"): Promise<readonly string[]> {
  // By the debugger, which the page's own policy does not bind.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeProgram);
  // A colour halfway to another is nobody's choice: what is judged is where it ends.
  await page.evaluate("document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())");
  return page.evaluate(
    async (rules) => {
      // What passes is not told node by node, which takes longer than judging it.
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
        resultTypes: ["violations"],
        ...(rules === undefined ? {} : { runOnly: rules }),
      });
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
    },
    check === "colours" ? COLOUR_RULES : undefined,
  );
}

const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** As much of axe as is used. */
interface Axe {
  readonly run: (wish: { readonly resultTypes: readonly string[]; readonly runOnly?: readonly string[] }) => Promise<{
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

/** The same where somebody means to look: a picture costs the processor about as much as the step that it shows. */
export async function takeWishedScreenshot(page: Page, name: string): Promise<void> {
  if (process.env["QUARRY_TEST_PICTURES"] === "1") await takeScreenshot(page, name);
}

/**
 * The longest task of the page while `work` runs, in processor time of its thread: by the clock any task takes long on a
 * busy machine. No other page may be open.
 */
export async function measureLongestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page has no browser of its own");
  await browser.startTracing(page, { categories: ["-*", "disabled-by-default-devtools.timeline"] });
  try {
    await work();
  } catch (error) {
    await browser.stopTracing(); // a browser traces once at a time
    throw error;
  }
  const trace = await browser.stopTracing();
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const nameOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const ofPages = new Set(
    traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(nameOf),
  );
  // Those that began before or end after the trace have no duration: they are the trace's own.
  const taskMs = traceEvents
    .filter((event) => event.name === "RunTask" && ofPages.has(nameOf(event)))
    .flatMap(({ tdur }) => (tdur === undefined ? [] : [tdur / 1_000]));
  if (taskMs.length < 100) throw new Error(`the browser told of ${taskMs.length} tasks only`);
  return taskMs.reduce((longest, one) => Math.max(longest, one), 0);
}

/** As much of a trace as is used. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number;
}
