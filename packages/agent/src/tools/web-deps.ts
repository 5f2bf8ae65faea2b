import { isUrl } from "@quarry/base";
import type { CallFacts } from "../call-facts.ts";

/** How a search is done; the names are ExaSearchArgs.type's. */
export type WebSearchType = "auto" | "neural" | "keyword" | "fast" | "deep";

/** A page that a search found. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  /** What of the page speaks to the query. */
  readonly text: string;
  /** ISO 8601; empty when unknown. */
  readonly publishedDate: string;
}

/** A page that was read, or why not. */
export type ReadPage =
  ({ readonly kind: "read" } & FoundPage) | { readonly kind: "failed"; readonly url: string; readonly reason: string };

/** What the web tools need from outside: our own search and contents, wired by the server. */
export interface WebDeps {
  readonly search: (
    wish: { readonly teamId: string; readonly query: string; readonly type: WebSearchType; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<readonly FoundPage[]>;
  /** One page per URL, in their order. */
  readonly readContents: (
    wish: { readonly teamId: string; readonly urls: readonly string[]; readonly maxCharacters: number },
    signal: AbortSignal,
  ) => Promise<readonly ReadPage[]>;
}

/** What a call that reads these addresses would touch; texts that are no addresses have no host. */
export function factsOfUrls(urls: readonly string[], notes: readonly string[]): CallFacts {
  const hosts = urls.flatMap((url) => (isUrl(url) ? [new URL(url).hostname] : []));
  return { hosts: [...new Set(hosts)], paths: [], costDollars: 0, risk: "medium", notes };
}

/** Whether a text is an address that may be read. */
export function isWebUrl(text: string): boolean {
  return isUrl(text) && /^https?:$/.test(new URL(text).protocol);
}
