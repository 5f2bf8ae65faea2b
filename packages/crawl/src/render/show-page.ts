import { AppError, orAbort } from "@quarry/base";
import type { GuardedProxy } from "@quarry/net";
import type { Browser, BrowserContext, Frame, Page, Request, Route } from "playwright-core";
import { canonicalUrl } from "../url/canonical-url.ts";
import type { RenderLimits } from "./render-limits.ts";

/** A page as it was fetched: the browser is given these bytes, and asks for the rest itself. */
export interface PageToShow {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A page after its scripts have run. */
export interface ShownPage {
  /** The document as it is then, in UTF-8. */
  readonly html: Uint8Array;
  /** Whether the time was up before the page came to rest. */
  readonly cut: boolean;
}

/** Kinds that bring no text; not loading them spares the site and us. */
const NO_TEXT: ReadonlySet<string> = new Set(["image", "media", "font", "texttrack"]);
/** Headers of the fetched page that decide what its scripts may do; the others are about bytes we have decoded. */
const KEPT_HEADERS = [
  "content-type",
  "content-language",
  "content-security-policy",
  "referrer-policy",
  "permissions-policy",
  "cross-origin-opener-policy",
  "cross-origin-embedder-policy",
  "document-policy",
  "last-modified",
] as const;
/** How long the browser gets to hand over a page or to close one. */
const HAND_OVER_MS = 5_000;
const VIEWPORT = { width: 1_280, height: 1_600 };

/**
 * Shows one page in a context of its own and answers what it has become, or where its scripts went instead. The first
 * document is answered from the bytes at hand, so that nothing is fetched twice; whatever else the page asks for goes
 * through the proxy. Rejects when the browser fails or `signal` aborts.
 */
export async function showPage(
  browser: Browser,
  page: PageToShow,
  options: {
    readonly proxy: GuardedProxy;
    readonly userAgent: string;
    readonly limits: RenderLimits;
    readonly signal: AbortSignal;
  },
): Promise<({ readonly kind: "shown" } & ShownPage) | { readonly kind: "moved"; readonly to: string }> {
  const { proxy, limits, signal } = options;
  const endsAtMs = performance.now() + limits.pageMs;
  // Closing a context while its tab is being opened leaves playwright waiting for ever, so nothing here waits for it alone.
  const opening = AbortSignal.any([signal, AbortSignal.timeout(limits.pageMs)]);
  const contextToBe = browser.newContext({
    proxy: { server: proxy.url, username: proxy.username, password: proxy.password, bypass: "<-loopback>" },
    userAgent: options.userAgent,
    viewport: VIEWPORT,
    serviceWorkers: "block",
    acceptDownloads: false,
    permissions: [],
    ignoreHTTPSErrors: false,
  });
  const stop = (): void => void closeContext(contextToBe);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const context = await orAbort(contextToBe, opening);
    const tab = await orAbort(context.newPage(), opening);
    let move: (to: string) => void = () => undefined;
    const moved = new Promise<string>((resolve) => (move = resolve));
    await orAbort(guardTab(context, tab, page, { limits, move }), opening);
    const left = (): number => Math.max(1, endsAtMs - performance.now());
    const loading = hasEnded(tab.goto(page.url, { waitUntil: "load", timeout: left() }));
    const resting = loading.then((hasLoaded) =>
      hasLoaded ? hasEnded(tab.waitForLoadState("networkidle", { timeout: Math.min(left(), limits.settleMs) })) : false,
    );
    const rest = await Promise.race([resting, moved]);
    if (typeof rest === "string") return { kind: "moved", to: rest };
    signal.throwIfAborted();
    const html = Buffer.from(await within(HAND_OVER_MS, tab.content(), page.url), "utf8");
    if (html.byteLength > limits.maxHtmlBytes) {
      throw new AppError("too_large", `${page.url} grows to more than ${limits.maxHtmlBytes} bytes in a browser`);
    }
    return { kind: "shown", html, cut: !rest };
  } finally {
    signal.removeEventListener("abort", stop);
    await closeContext(contextToBe);
  }
}

/** Puts the page's own bytes in its place, keeps the tab on it, and drops what brings no text. */
async function guardTab(
  context: BrowserContext,
  tab: Page,
  page: PageToShow,
  { limits, move }: { readonly limits: RenderLimits; readonly move: (to: string) => void },
): Promise<void> {
  let isGiven = false;
  let requests = 0;
  await context.addInitScript(WITHOUT_OTHER_WAYS_OUT);
  context.on("page", (other) => {
    if (other !== tab) void other.close().catch(() => undefined); // a pop-up; it may have closed itself
  });
  const answer = async (route: Route): Promise<void> => {
    const request = route.request();
    requests += 1;
    const isMainDocument = request.isNavigationRequest() && frameOf(request) === tab.mainFrame();
    if (isMainDocument && !isGiven) {
      isGiven = true;
      const headers = Object.fromEntries(
        KEPT_HEADERS.flatMap((name) => (page.headers[name] === undefined ? [] : [[name, page.headers[name]]])),
      );
      return route.fulfill({ status: 200, headers, body: Buffer.from(page.bytes) });
    }
    if (isMainDocument && canonicalUrl(request.url()) !== canonicalUrl(page.url)) {
      // To where its scripts lead there is a visit of its own, with its own questions to robots.txt.
      const to = canonicalUrl(request.url());
      if (to !== undefined) move(to);
      return route.abort("aborted");
    }
    const isWeb = /^https?:\/\//i.test(request.url());
    if (!isWeb || requests > limits.maxRequests || NO_TEXT.has(request.resourceType())) {
      return route.abort("blockedbyclient");
    }
    return route.continue();
  };
  // A request whose tab has closed meanwhile cannot be answered any more, and need not be.
  await context.route("**/*", (route: Route) => answer(route).catch(() => route.abort().catch(() => undefined)));
}

/** A window that is just being opened has no frame yet. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame();
  } catch {
    return undefined; // playwright throws for such a window; it is closed as soon as it is there
  }
}

/** WebRTC and WebTransport would speak past the proxy if a flag were ever lost. */
const WITHOUT_OTHER_WAYS_OUT = `
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport"]) {
    try { Object.defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false }); }
    catch { /* fixed already, by an earlier frame of the same page */ }
  }`;

/** Whether something came to its end in time; that it did not is no failure of the page. */
async function hasEnded(step: Promise<unknown>): Promise<boolean> {
  return step.then(
    () => true,
    () => false, // out of time, cut off, or led elsewhere: what is there is looked at next
  );
}

async function within<T>(timeoutMs: number, step: Promise<T>, url: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError("timeout", `the scripts of ${url} do not come to an end`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
    step.catch(() => undefined); // it fails when its page is closed
  }
}

/** A page that is busy for ever does not answer; its process is ended all the same, and nobody waits longer than this. */
async function closeContext(opening: Promise<BrowserContext>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const closed = opening.then((context) => context.close()).catch(() => undefined); // the browser has died, and the context with it
  await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, HAND_OVER_MS)))]);
  clearTimeout(timer);
}
