/** What the items of a list are. */
export interface WebsetEntity {
  readonly type: string;
  readonly description?: string;
}

/** A search of a webset. */
export interface WebsetSearch {
  readonly id: string;
  readonly status: "created" | "pending" | "running" | "completed" | "canceled";
  readonly query: string;
  readonly entity: WebsetEntity | null;
  readonly count: number;
  readonly criteria: readonly { readonly description: string; readonly successRate: number }[];
  readonly progress: {
    readonly found: number;
    readonly analyzed: number;
    readonly completion: number;
    readonly timeLeft: number | null;
  };
  readonly recall: {
    readonly expected: {
      readonly total: number;
      readonly confidence: string;
      readonly bounds: { readonly min: number; readonly max: number };
    };
    readonly reasoning: string;
  } | null;
}

/** A question that every item is asked. */
export interface WebsetEnrichment {
  readonly id: string;
  readonly status: "pending" | "completed" | "canceled";
  readonly title: string | null;
  readonly description: string;
  readonly format: string;
}

/** A list that fills itself. */
export interface Webset {
  readonly id: string;
  readonly status: "idle" | "pending" | "running" | "paused";
  readonly title: string | null;
  readonly searches: readonly WebsetSearch[];
  readonly enrichments: readonly WebsetEnrichment[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A quote behind a value. */
export interface WebsetReference {
  readonly url: string;
  readonly title: string | null;
  readonly snippet: string | null;
}

/** A person put a value in place of Quarry's. */
export interface HumanMark {
  readonly human: { readonly by: string; readonly note: string | null; readonly at: string };
}

/** How an item meets a criterion. */
export interface Evaluation {
  readonly criterion: string;
  readonly satisfied: "yes" | "no" | "unclear";
  readonly reasoning: string;
  readonly references: readonly WebsetReference[];
  readonly quarry?: HumanMark;
}

/** An item's answer to an enrichment. */
export interface EnrichmentResult {
  readonly enrichmentId: string;
  readonly status: "pending" | "completed" | "canceled";
  readonly result: readonly string[] | null;
  readonly reasoning: string | null;
  readonly references: readonly WebsetReference[];
  readonly quarry?: HumanMark;
}

/** An item of a webset. */
export interface WebsetItem {
  readonly id: string;
  readonly properties: { readonly type: string; readonly url: string; readonly description: string } & Readonly<
    Record<string, unknown>
  >;
  readonly evaluations: readonly Evaluation[];
  readonly enrichments: readonly EnrichmentResult[];
}

/** How a query would be understood. */
export interface WebsetPreview {
  readonly search: { readonly entity: WebsetEntity; readonly criteria: readonly { readonly description: string }[] };
  readonly enrichments: readonly { readonly description: string; readonly format: string }[];
  readonly items: readonly Pick<WebsetItem, "id" | "properties">[];
}

/** What a webset would take at most. */
export interface WebsetEstimate {
  readonly items: number;
  readonly candidates: number;
  readonly pages: number;
  readonly tokens: number;
  readonly costDollars: number;
}

/** A value that stood, or stands, in a verdict or a cell. */
export interface PastValue {
  readonly value: string | readonly string[] | null;
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
}

/** One judging of a verdict, or one filling of a cell: the contract's own, which a test holds this to. */
export interface CellAttempt {
  readonly round: number;
  readonly tries: number;
  readonly outcome: "filled" | "empty" | "given-up";
  readonly pages: number;
  readonly tokens: number;
  readonly costDollars: number;
  readonly at: string;
}
