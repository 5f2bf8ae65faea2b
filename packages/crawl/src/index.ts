export { decodeText, declaredEncoding, encodingOfLabel } from "./page/charset.ts";
export type { DeclaredEncoding, DecodedText, TextKind } from "./page/charset.ts";
export { getByDialer } from "./page/dial-get.ts";
export type { Dial, DialedReply } from "./page/dial-get.ts";
export { CRAWLER_AGENT, crawlerUserAgent } from "./page/user-agent.ts";
export { DEFAULT_MAX_PAGE_BYTES, fetchPage, pageStatusOf } from "./page/fetch-page.ts";
export type {
  FetchedPage,
  FetchOutcome,
  FetchPageDeps,
  FetchPageOptions,
  PageFailure,
  PageRedirect,
  PageRefusal,
  PageStatus,
} from "./page/fetch-page.ts";
export type { HttpFailure, HttpGet, HttpRefusal, HttpReply, HttpRequest, HttpStop } from "./page/http-exchange.ts";
export { parseMediaType, readMediaType } from "./page/media-type.ts";
export type { MediaReading, MediaType, PageFormat } from "./page/media-type.ts";
export { findBrowser } from "./render/find-browser.ts";
export type { BrowserPlaces } from "./render/find-browser.ts";
export { needsRendering } from "./render/needs-rendering.ts";
export { DEFAULT_RENDER_LIMITS } from "./render/render-limits.ts";
export type { RenderLimits } from "./render/render-limits.ts";
export { createRenderer } from "./render/renderer.ts";
export type { Renderer, RendererOptions, RenderOutcome } from "./render/renderer.ts";
export type { PageToShow } from "./render/show-page.ts";
export { mayBeIndexed, readPageDirectives } from "./robots/page-directives.ts";
export type { PageDirectives, PageDirectiveSources } from "./robots/page-directives.ts";
export { createRobotsCache, readRobots, robotsCrawlDelayMs, robotsVerdict } from "./robots/robots-cache.ts";
export type { RobotsCache, RobotsDeps, RobotsPolicy, RobotsRecord, RobotsVerdict } from "./robots/robots-cache.ts";
export { robotsAllow, robotsGroupFor } from "./robots/robots-match.ts";
export { MAX_ROBOTS_BYTES, parseRobotsTxt } from "./robots/robots-txt.ts";
export type { RobotsGroup, RobotsRule, RobotsTxt } from "./robots/robots-txt.ts";
export { conditionalHeaders, readValidators } from "./schedule/conditional-request.ts";
export type { Validators } from "./schedule/conditional-request.ts";
export { DEFAULT_DELAY_MS, paceAfter, startPace, waitForHostMs } from "./schedule/host-pace.ts";
export type { HostPace, PacedExchange, PaceSettings } from "./schedule/host-pace.ts";
export { MAX_PAGE_PRIORITY, pagePriority } from "./schedule/page-priority.ts";
export type { PagePromise } from "./schedule/page-priority.ts";
export {
  MAX_INTERVAL_MS,
  MIN_INTERVAL_MS,
  nextVisitAt,
  recordVisit,
  startHistory,
} from "./schedule/recrawl-schedule.ts";
export type { ChangeHistory } from "./schedule/recrawl-schedule.ts";
export { MAX_RETRY_AFTER_MS, parseRetryAfter } from "./schedule/retry-after.ts";
export { discoverLinks, MAX_LINKS_PER_PAGE } from "./scope/discover-links.ts";
export type { DiscoveredLinks, LinkingPage, LinkRefusal, PageLink } from "./scope/discover-links.ts";
export { compileScope, decideBudget, decideScope, MAX_PATTERNS, MAX_SEEDS } from "./scope/scope.ts";
export type {
  BudgetDecision,
  CrawlBudget,
  CrawlScope,
  CrawlSpending,
  ScopeDecision,
  ScopeKind,
  ScopeRequest,
} from "./scope/scope.ts";
export { compileUrlPattern, MAX_PATTERN_LENGTH } from "./scope/url-pattern.ts";
export type { UrlPattern } from "./scope/url-pattern.ts";
export {
  isNearDuplicate,
  MIN_SIMHASH_WORDS,
  NEAR_DUPLICATE_BITS,
  simhashDistance,
  simhashKeys,
  simhashOf,
} from "./simhash.ts";
export type { Simhash } from "./simhash.ts";
export { readSitemap, SITEMAP_LIMITS } from "./sitemap/read-sitemap.ts";
export type { SitemapFile, SitemapLimits } from "./sitemap/read-sitemap.ts";
export type {
  ChangeFrequency,
  SitemapEvent,
  SitemapNote,
  SitemapPage,
  SitemapReference,
} from "./sitemap/sitemap-entry.ts";
export { sitemapOpener, WALK_LIMITS, walkSitemaps } from "./sitemap/walk-sitemaps.ts";
export type { SitemapDeps, WalkEvent, WalkLimits } from "./sitemap/walk-sitemaps.ts";
export { canonicalizeUrl, canonicalUrl, MAX_URL_LENGTH } from "./url/canonical-url.ts";
export type { CanonicalUrl } from "./url/canonical-url.ts";
export { chooseCanonical, followCanonicals } from "./url/choose-canonical.ts";
export type { CanonicalChoice, CanonicalClaim, CanonicalDoubt, LanguageAlternate } from "./url/choose-canonical.ts";
export { isSameSite, registrableDomain, siteOf } from "./url/registrable-domain.ts";
export { isTrackingParameter, TRACKING_PARAMETERS } from "./url/tracking-parameters.ts";
export { parseStoredResponse } from "./warc/http-message.ts";
export type { StoredResponse } from "./warc/http-message.ts";
export { checkBlockDigest, readWarc, WARC_LIMITS } from "./warc/read-warc.ts";
export type { WarcLimits, WarcNote, WarcRecord } from "./warc/read-warc.ts";
export { writeWarc } from "./warc/write-warc.ts";
export type { WarcEntry, WarcWriting } from "./warc/write-warc.ts";
export { parseWebDate } from "./web-date.ts";
