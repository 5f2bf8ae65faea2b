/** The parts of the server's replies that the console reads; /openapi.json has them whole. */

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** Who is signed in. */
export interface Me {
  readonly team: { readonly id: string; readonly name: string };
  readonly key: { readonly id: string | null; readonly name: string };
  readonly scopes: readonly string[];
  readonly via: "key" | "session" | "none";
}

/** How the server does. */
export interface Health {
  readonly status: "ok" | "degraded" | "down";
  readonly version: string;
  readonly role: string;
  readonly uptimeSeconds: number;
  readonly components: readonly HealthComponent[];
}

/** How one part of the server does. */
export interface HealthComponent {
  readonly name: string;
  readonly status: "ok" | "degraded" | "down";
  readonly detail?: string;
  readonly figures?: Readonly<Record<string, number>>;
}

/** A key, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly string[];
  readonly status: "active" | "expired" | "revoked";
  readonly budgetDollars: number | null;
  readonly spentDollars: number;
  readonly rateLimitPerSecond: number | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** A key with the secret that is shown once. */
export interface ApiKeyWithSecret extends ApiKey {
  readonly key: string;
}

/** Use of the API, by whatever it was grouped by. */
export interface UsageRow {
  readonly periodStart?: string;
  readonly keyId?: string | null;
  readonly keyName?: string | null;
  readonly endpoint?: string;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  readonly costDollars: number;
  readonly latencyMs: { readonly average: number; readonly p50: number; readonly p95: number; readonly max: number };
}

/** Reply of GET /quarry/v1/usage. */
export interface Usage {
  readonly from: string;
  readonly to: string;
  readonly data: readonly UsageRow[];
  readonly total: {
    readonly requests: number;
    readonly errors: number;
    readonly tokens: number;
    readonly costDollars: number;
  };
}

/** How far a crawl has come. */
export type CrawlStatus = "queued" | "running" | "paused" | "completed" | "canceled" | "failed";

/** A crawl. */
export interface Crawl {
  readonly id: string;
  readonly status: CrawlStatus;
  readonly reason: string | null;
  readonly request: {
    readonly urls: readonly string[];
    readonly sitemaps: readonly string[];
    readonly scope: string;
    readonly include: readonly string[];
    readonly exclude: readonly string[];
    readonly maxPages: number;
    readonly maxDepth: number;
    readonly delayMs: number;
  };
  readonly progress: {
    readonly done: number;
    readonly failed: number;
    readonly queued: number;
    readonly bytes: number;
    readonly pagesPerSecond: number;
    readonly secondsLeft: number | null;
  };
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Only where one crawl is asked for. */
  readonly pagesByStatus?: Readonly<Record<string, number>>;
}

/** One URL of a crawl. */
export interface CrawlPage {
  readonly url: string;
  readonly state: "queued" | "done";
  readonly status: string | null;
  readonly message: string | null;
  readonly httpStatus: number | null;
  readonly finalUrl: string | null;
  readonly snapshotId: string | null;
  readonly byteLength: number;
  readonly depth: number;
  readonly attempts: number;
  readonly foundOn: string | null;
  readonly doneAt: string | null;
}

/** A document as lists show it. */
export interface DocumentFacts {
  readonly url: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly publishedDate: string | null;
  readonly language: string | null;
  readonly category: string | null;
  readonly wordCount: number;
  readonly version: number;
  readonly snapshotId: string;
  readonly canonicalUrl: string | null;
  readonly source: string;
  readonly shared: boolean;
  readonly crawledAt: string;
  readonly changedAt: string;
}

/** A document with its text. */
export interface WholeDocument extends DocumentFacts {
  readonly text: string;
  readonly markdown: string;
}

/** What became of one given document. */
export interface DocumentStatus {
  readonly url: string;
  readonly status: "created" | "updated" | "unchanged" | "stale" | "error";
  readonly error?: string;
}
