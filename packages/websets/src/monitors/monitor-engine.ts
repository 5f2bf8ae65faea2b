import type { CitedText, Transaction, Webset, WebsetScope, WebsetSource } from "@quarry/store";
import type { WebsetEntity } from "@quarry/contract";

/** A search that a run of a monitor begins. */
export interface MonitorSearch {
  readonly query: string;
  /** Absent to have it derived. */
  readonly entity: WebsetEntity | undefined;
  readonly criteria: readonly { readonly description: string }[] | undefined;
  readonly count: number;
  readonly behavior: "append" | "override";
  readonly exclude: readonly WebsetSource[];
  readonly scope: readonly WebsetScope[];
  readonly maxPeoplePerCompany: number | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What a run of a monitor sets in motion on a webset; the webset's own room does it. */
export interface MonitorEngine {
  /** Begins a search with its event and job; the caller holds the webset's lock. Answers the search's id. */
  readonly beginSearch: (tx: Transaction, webset: Webset, search: MonitorSearch, now: Date) => Promise<string>;
  /** Has the cells of these enrichments filled anew, for every item; the caller holds the webset's lock. */
  readonly refillCells: (tx: Transaction, webset: Webset, enrichmentIds: readonly string[], now: Date) => Promise<void>;
  /** Reads a page as it is now, and keeps it; undefined when it cannot be read. */
  readonly readPageNow: (
    page: { readonly teamId: string; readonly url: string },
    signal: AbortSignal,
  ) => Promise<CitedText | undefined>;
}
