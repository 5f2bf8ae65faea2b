import type { WebsetItem } from "./project-item.ts";

/** A page as a search shows it. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  readonly publishedDate: string | null;
  readonly highlights: readonly string[];
}

/** A page that was read. */
export interface ReadPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

/** An answer with the pages behind it. */
export interface FoundAnswer {
  readonly answer: string;
  readonly citations: readonly { readonly url: string; readonly title: string }[];
}

/** The read path, for one team. */
export interface RetrievalPort {
  readonly search: (
    teamId: string,
    wish: { readonly query: string; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<readonly FoundPage[]>;
  readonly findSimilar: (
    teamId: string,
    wish: { readonly url: string; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<readonly FoundPage[]>;
  /** In the order of `urls`; what cannot be read is left out. */
  readonly read: (teamId: string, urls: readonly string[], signal: AbortSignal) => Promise<readonly ReadPage[]>;
  readonly answer: (teamId: string, query: string, signal: AbortSignal) => Promise<FoundAnswer>;
}

/** How a research task stands. */
export interface ResearchState {
  readonly status: "pending" | "running" | "completed" | "canceled" | "failed";
  readonly content: string;
  readonly parsed: Readonly<Record<string, unknown>> | undefined;
  readonly citations: readonly { readonly url: string; readonly title: string }[];
  readonly error: string | null;
}

/** Research, for one team. */
export interface ResearchPort {
  /** The same id again begins nothing new. */
  readonly begin: (
    teamId: string,
    research: {
      readonly id: string;
      readonly instructions: string;
      readonly model: string;
      readonly outputSchema: Readonly<Record<string, unknown>> | null;
    },
  ) => Promise<void>;
  readonly get: (teamId: string, id: string) => Promise<ResearchState>;
  readonly cancel: (teamId: string, id: string) => Promise<void>;
}

/** What a webset looks for. */
export interface WebsetWish {
  /** Names the webset or the search: the same again makes nothing new. */
  readonly key: string;
  readonly query: string;
  readonly count: number;
  readonly entity?: { readonly type: string; readonly description?: string | undefined } | undefined;
  readonly criteria?: readonly { readonly description: string }[] | undefined;
  readonly enrichments?:
    | readonly {
        readonly description: string;
        readonly format?: string | undefined;
        readonly options?: readonly { readonly label: string }[] | undefined;
      }[]
    | undefined;
}

/** How a webset stands. */
export interface WebsetState {
  readonly status: "idle" | "pending" | "running" | "paused";
  readonly found: number;
  readonly analyzed: number;
  /** 0 to 100, of its searches together. */
  readonly completion: number;
  readonly criteria: readonly { readonly description: string; readonly successRate: number }[];
  readonly enrichments: readonly { readonly id: string; readonly description: string }[];
}

/** Websets, for one team. */
export interface WebsetsPort {
  /** Makes a webset and gives its id; the one of that key when there is one. */
  readonly create: (teamId: string, wish: WebsetWish, signal: AbortSignal) => Promise<string>;
  /** Adds what the wish finds to a webset. */
  readonly addSearch: (teamId: string, websetId: string, wish: WebsetWish, signal: AbortSignal) => Promise<void>;
  readonly get: (teamId: string, websetId: string, signal: AbortSignal) => Promise<WebsetState>;
  readonly items: (
    teamId: string,
    websetId: string,
    limit: number,
    signal: AbortSignal,
  ) => Promise<readonly WebsetItem[]>;
  /** Looks for more by a schedule, with what the webset's last search asked; gives the monitor's id, the same for the same key. */
  readonly keepFresh: (
    teamId: string,
    websetId: string,
    wish: {
      readonly key: string;
      readonly cron: string;
      readonly timezone?: string | undefined;
      readonly count: number;
    },
    signal: AbortSignal,
  ) => Promise<string>;
  readonly cancel: (teamId: string, websetId: string, signal: AbortSignal) => Promise<void>;
  readonly remove: (teamId: string, websetId: string, signal: AbortSignal) => Promise<void>;
  readonly removeItem: (teamId: string, websetId: string, itemId: string, signal: AbortSignal) => Promise<void>;
}

/** Webhooks, for one team. */
export interface WebhooksPort {
  /** Has `workflow.signal` events of a name sent to a URL; gives the webhook's id, the same for the same name and URL. */
  readonly tell: (
    teamId: string,
    wish: { readonly name: string; readonly url: string },
    signal: AbortSignal,
  ) => Promise<string>;
}

/** Everything workflows do outside their own rows. */
export interface WorkflowPorts {
  readonly webhooks: WebhooksPort;
  readonly retrieval: RetrievalPort;
  readonly research: ResearchPort;
  readonly websets: WebsetsPort;
}
