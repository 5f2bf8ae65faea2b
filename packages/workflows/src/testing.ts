import { AppError } from "@quarry/base";
import type { ResearchPort, RetrievalPort, WebsetsPort, WebsetState, WorkflowPorts } from "./ports.ts";
import type { WebsetItem } from "./project-item.ts";

/** An item of a webset, with what a test says of it. */
export function websetItem(change: {
  readonly id: string;
  readonly name?: string;
  readonly url?: string;
  readonly description?: string;
  readonly met?: Readonly<Record<string, "yes" | "no" | "unclear">>;
  readonly cells?: Readonly<
    Record<string, { readonly format: string; readonly result: readonly string[] | null; readonly from?: string }>
  >;
}): WebsetItem {
  const { id, name = id, url = `https://${id}.example/`, description = "", met = {}, cells = {} } = change;
  return {
    id,
    properties: { type: "company", url, description, company: { name }, content: "the whole page" },
    evaluations: Object.entries(met).map(([criterion, satisfied]) => ({
      criterion,
      satisfied,
      reasoning: "",
      references: [],
    })),
    enrichments: Object.entries(cells).map(([enrichmentId, { format, result, from }]) => ({
      enrichmentId,
      format,
      status: "completed",
      result: result === null ? null : [...result],
      reasoning: "because",
      references: from === undefined ? [] : [{ url: from }],
    })),
  };
}

/** What the fake world holds. */
export interface WorkflowWorldOptions {
  /** Items of a webset by its query. */
  readonly items?: Readonly<Record<string, readonly WebsetItem[]>>;
  readonly state?: Partial<WebsetState>;
  /** How often a webset is looked at before it is idle. */
  readonly looksUntilIdle?: number;
  readonly websets?: Partial<WebsetsPort>;
  readonly retrieval?: Partial<RetrievalPort>;
  readonly research?: Partial<ResearchPort>;
}

/** A world in which websets find what a test says, and what was done to it. */
export interface WorkflowWorld extends WorkflowPorts {
  /** Every call that changes something, in order. */
  readonly calls: readonly string[];
}

/** Makes the smallest world in which workflows run. */
export function workflowWorld(options: WorkflowWorldOptions = {}): WorkflowWorld {
  const calls: string[] = [];
  const queries = new Map<string, string>();
  const looks = new Map<string, number>();
  const websets: WebsetsPort = {
    create: (_, wish) => {
      calls.push(`create ${wish.query}`);
      const id = `webset ${wish.key}`;
      queries.set(id, wish.query);
      return Promise.resolve(id);
    },
    addSearch: (_, id, wish) => {
      calls.push(`search ${id} ${wish.query}`);
      queries.set(id, wish.query);
      return Promise.resolve();
    },
    get: (_, id) => {
      const seen = (looks.get(id) ?? 0) + 1;
      looks.set(id, seen);
      const status = seen > (options.looksUntilIdle ?? 0) ? "idle" : "running";
      return Promise.resolve({
        status,
        found: 3,
        analyzed: 10,
        completion: 50,
        criteria: [],
        enrichments: [],
        ...options.state,
      });
    },
    items: (_, id) => Promise.resolve(options.items?.[queries.get(id) ?? id] ?? []),
    keepFresh: (_, id, { cron }) => Promise.resolve((calls.push(`monitor ${id} ${cron}`), `monitor of ${id}`)),
    cancel: (_, id) => Promise.resolve(void calls.push(`cancel ${id}`)),
    remove: (_, id) => Promise.resolve(void calls.push(`remove ${id}`)),
    removeItem: (_, id, itemId) => Promise.resolve(void calls.push(`remove ${id} ${itemId}`)),
    ...options.websets,
  };
  const found = (url: string) => ({ url, title: url, publishedDate: null, highlights: [`about ${url}`] });
  return {
    calls,
    websets,
    webhooks: {
      tell: (_, { name, url }) => Promise.resolve((calls.push(`webhook ${name} ${url}`), `webhook of ${name}`)),
    },
    retrieval: {
      search: (_, { query, limit }) =>
        Promise.resolve(["a", "b", "c", "d"].slice(0, limit).map((name) => found(`https://${name}.example/${query}`))),
      findSimilar: (_, { url }) => Promise.resolve([found(`${url}/like`), found("https://shared.example/")]),
      read: (_, urls) =>
        Promise.resolve(urls.map((url) => ({ url, title: url, text: `The text of ${url}. `.repeat(100) }))),
      answer: (_, query) =>
        Promise.resolve({ answer: "It is so.", citations: [{ url: `https://www.a.example/${query}/`, title: "A" }] }),
      ...options.retrieval,
    },
    research: {
      begin: (_, { id, instructions }) => Promise.resolve(void calls.push(`research ${id} ${instructions}`)),
      get: () =>
        Promise.resolve({ status: "completed", content: "# Report", parsed: undefined, citations: [], error: null }),
      cancel: (_, id) => Promise.resolve(void calls.push(`cancel ${id}`)),
      ...options.research,
    },
  };
}

/** An error that may pass. */
export function passingError(): AppError {
  return new AppError("unavailable", "not now", { retryable: true });
}
