import { AppError } from "@quarry/base";
import { startGuardedProxy, type Dialer } from "@quarry/net";
import type { Browser } from "playwright-core";
import { BrowserSeat, type LaunchBrowser } from "./browser-seat.ts";
import { meterDialer } from "./metered-dialer.ts";
import { DEFAULT_RENDER_LIMITS, type RenderLimits } from "./render-limits.ts";
import { showPage, type PageToShow, type ShownPage } from "./show-page.ts";

/** What became of a page in the browser. */
export type RenderOutcome =
  | ({ readonly kind: "rendered"; readonly requests: number; readonly bytes: number } & ShownPage)
  /** The page's scripts lead elsewhere; that page is another visit's. */
  | { readonly kind: "moved"; readonly to: string }
  | { readonly kind: "no-browser"; readonly message: string }
  | { readonly kind: "failed"; readonly error: AppError };

/** Shows pages in a browser whose every request goes through the guarded dialer. */
export interface Renderer {
  /** Runs a fetched page's scripts. Rejects only when `signal` aborts; all else is an outcome. */
  readonly render: (page: PageToShow, signal: AbortSignal) => Promise<RenderOutcome>;
  readonly close: () => Promise<void>;
}

/** What a renderer is made of. */
export interface RendererOptions {
  /** The guard of all the browser's traffic; stays the caller's. */
  readonly dialer: Dialer;
  /** The installed browser; without one every page is `no-browser`. */
  readonly browserPath: string | undefined;
  /** Whether the browser's own sandbox can be used; not by root. */
  readonly sandbox: boolean;
  /** How we call ourselves. */
  readonly userAgent: string;
  readonly limits?: Partial<RenderLimits>;
  /** For tests; playwright-core unless told. */
  readonly launch?: LaunchBrowser;
}

/** How often a page's share of bytes is looked at while it loads. */
const METER_MS = 100;

/** Makes a renderer. Its one browser starts with the first page, and closes when it has been idle for a while. */
export function createRenderer(options: RendererOptions): Renderer {
  const limits = { ...DEFAULT_RENDER_LIMITS, ...options.limits };
  const { browserPath } = options;
  if (browserPath === undefined) {
    return {
      render: (_page, signal) => {
        signal.throwIfAborted();
        return Promise.resolve({ kind: "no-browser", message: NO_BROWSER });
      },
      close: () => Promise.resolve(),
    };
  }
  const seat = new BrowserSeat({ browserPath, sandbox: options.sandbox, limits, launch: options.launch });
  return {
    render: async (page, signal) => {
      signal.throwIfAborted();
      const lease = await seat.take(signal);
      if (lease.kind === "no-browser") return { kind: "no-browser", message: lease.message };
      try {
        return await renderIn(lease.browser, { ...options, limits }, page, signal);
      } finally {
        lease.giveBack();
      }
    },
    close: () => seat.close(),
  };
}

const NO_BROWSER =
  "the page needs a browser and none is installed: install Chromium (apt-get install chromium), " +
  "or set browserPath (QUARRY_BROWSER_PATH) to one";

async function renderIn(
  browser: Browser,
  options: { readonly dialer: Dialer; readonly userAgent: string; readonly limits: RenderLimits },
  page: PageToShow,
  signal: AbortSignal,
): Promise<RenderOutcome> {
  const { limits } = options;
  const { dialer, meter } = meterDialer(options.dialer, limits);
  // A proxy of its own for every page: closing it is the end of all the page's traffic.
  const proxy = await startGuardedProxy(dialer, {
    limits: { maxTunnelBytes: limits.maxBytes, tunnelTotalMs: limits.pageMs + METER_MS },
  });
  const watch = setInterval(() => {
    if (meter.bytes() > limits.maxBytes) void proxy.close();
  }, METER_MS);
  try {
    const shown = await showPage(browser, page, { proxy, userAgent: options.userAgent, limits, signal });
    if (shown.kind === "moved") return shown;
    return { ...shown, kind: "rendered", requests: meter.requests(), bytes: meter.bytes() };
  } catch (thrown) {
    signal.throwIfAborted();
    const reason = thrown instanceof Error ? (thrown.message.split("\n", 1)[0] ?? "") : String(thrown);
    const error =
      thrown instanceof AppError
        ? thrown
        : new AppError("upstream_failed", `the browser could not show ${page.url}: ${reason}`, {
            retryable: true,
            cause: thrown,
          });
    return { kind: "failed", error };
  } finally {
    clearInterval(watch);
    await proxy.close();
  }
}
