import { AppError } from "@quarry/base";
import { isRedirect, redirectTarget, type HttpGet } from "../page/http-exchange.ts";
import { canonicalUrl } from "../url/canonical-url.ts";
import { isSameSite } from "../url/registrable-domain.ts";
import { readSitemap, SITEMAP_LIMITS, type SitemapLimits } from "./read-sitemap.ts";
import type { SitemapNote, SitemapPage } from "./sitemap-entry.ts";

/** What a walk needs from outside. */
export interface SitemapDeps {
  /** Opens one file, redirects followed; rejects when it cannot be had. Pace and robots are its business. */
  readonly open: (
    url: string,
    signal: AbortSignal,
  ) => Promise<{ readonly url: string; readonly body: AsyncIterable<Uint8Array> }>;
}

/** How far a walk goes, all files together; each file has its own limits beside. */
export interface WalkLimits {
  readonly maxPages: number;
  readonly maxSitemaps: number;
  /** Indexes within indexes; the protocol allows none. */
  readonly maxNesting: number;
  readonly perFile: SitemapLimits;
}

export const WALK_LIMITS: WalkLimits = {
  maxPages: 1_000_000,
  maxSitemaps: 5000,
  maxNesting: 3,
  perFile: SITEMAP_LIMITS,
};

/** A page or a note, and the sitemap it came from. */
export type WalkEvent = (SitemapPage | SitemapNote) & { readonly sitemap: string };

/**
 * Reads sitemaps and all that their indexes name, each file once, however they name each other. Only sitemaps of the
 * same site are followed. A file that cannot be had is a note; rejects only when `signal` aborts.
 */
export async function* walkSitemaps(
  deps: SitemapDeps,
  roots: readonly string[],
  signal: AbortSignal,
  limits: WalkLimits = WALK_LIMITS,
): AsyncGenerator<WalkEvent> {
  const queue = roots.flatMap((root) => {
    const url = canonicalUrl(root);
    return url === undefined ? [] : [{ url, nesting: 0 }];
  });
  const seen = new Set(queue.map((file) => file.url));
  let pages = 0;
  let isFull = false;
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const { url, nesting } = file;
    for await (const event of openAndRead(deps, url, signal, limits.perFile)) {
      if (event.kind === "page") {
        if (pages >= limits.maxPages) {
          yield noteOf(url, "too-many-entries", `only the first ${limits.maxPages} pages were read`);
          return;
        }
        pages += 1;
      }
      if (event.kind !== "sitemap") yield { ...event, sitemap: url };
      else if (!isSameSite(url, event.url)) yield noteOf(url, "other-site", `${event.url} belongs to another site`);
      else if (nesting >= limits.maxNesting) yield noteOf(url, "nested-too-deep", `${event.url} is nested too deep`);
      else if (seen.size < limits.maxSitemaps) {
        if (!seen.has(event.url)) queue.push({ url: event.url, nesting: nesting + 1 });
        seen.add(event.url);
      } else if (!isFull) {
        isFull = true;
        yield noteOf(url, "too-many-sitemaps", `only the first ${limits.maxSitemaps} sitemaps are read`);
      }
    }
  }
}

/** Opens sitemaps with the crawler's own GET, following a few redirects; a body past its limit is cut, as reading notes. */
export function sitemapOpener(get: HttpGet): SitemapDeps["open"] {
  return async (url, signal) => {
    let next = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const reply = await get(
        {
          url: next,
          headers: { accept: "application/xml,text/xml,text/plain,*/*;q=0.5" },
          maxBytes: SITEMAP_LIMITS.maxBytes,
        },
        signal,
      );
      if (reply.kind === "failed") throw reply.error;
      if (reply.kind === "refused") throw new AppError("unprocessable", reply.message);
      if (reply.status === 200) return { url: reply.url, body: once(reply.body) };
      const target = isRedirect(reply.status) ? redirectTarget(reply) : undefined;
      if (target === undefined) throw new AppError("upstream_failed", `${url} answered ${reply.status}`);
      next = target;
    }
    throw new AppError("upstream_failed", `${url} redirects too often`);
  };
}

const MAX_REDIRECTS = 5;

async function* openAndRead(
  deps: SitemapDeps,
  url: string,
  signal: AbortSignal,
  limits: SitemapLimits,
): ReturnType<typeof readSitemap> {
  try {
    yield* readSitemap(await deps.open(url, signal), signal, limits);
  } catch (cause) {
    signal.throwIfAborted();
    yield { kind: "note", code: "unreachable", message: cause instanceof Error ? cause.message : String(cause) };
  }
}

function noteOf(sitemap: string, code: SitemapNote["code"], message: string): WalkEvent {
  return { kind: "note", code, message, sitemap };
}

// eslint-disable-next-line @typescript-eslint/require-await -- an iterable of one, in the form a stream has
async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
