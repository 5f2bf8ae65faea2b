/** How much one page may take in the browser. */
export interface RenderLimits {
  /** From the first byte to the last word; what is there by then is the page. */
  readonly pageMs: number;
  /** How long a page that has loaded may stay busy before it is taken as it is. */
  readonly settleMs: number;
  /** Requests of the page, all kinds together. */
  readonly maxRequests: number;
  /** Bytes of all its requests, as they come over the wire. */
  readonly maxBytes: number;
  /** The page as it is in the end. */
  readonly maxHtmlBytes: number;
  /** Pages shown at one time. */
  readonly maxPages: number;
  /** A browser grows with use: after so many pages a fresh one takes its place. */
  readonly pagesPerBrowser: number;
  /** A browser nobody uses is closed after this. */
  readonly idleMs: number;
}

/** The limits of a renderer that names none. */
export const DEFAULT_RENDER_LIMITS: RenderLimits = {
  pageMs: 15_000,
  settleMs: 4_000,
  maxRequests: 300,
  maxBytes: 32 * 1024 * 1024,
  maxHtmlBytes: 20 * 1024 * 1024,
  maxPages: 2,
  pagesPerBrowser: 200,
  idleMs: 60_000,
};
