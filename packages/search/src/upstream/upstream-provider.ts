/** The search providers that can be asked beside our own index. */
export type UpstreamName = "exa" | "brave" | "searxng";

/** What a provider is asked. */
export interface UpstreamQuery {
  readonly query: string;
  /** 1 to 100; a provider may give fewer. */
  readonly limit: number;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  readonly publishedFrom: Date | undefined;
  readonly publishedTo: Date | undefined;
}

/** A page a provider names; nothing in it is checked yet. */
export interface UpstreamResult {
  readonly url: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly publishedAt: Date | null;
  readonly image: string | null;
  readonly favicon: string | null;
}

/** One provider, best result first. Throws an AppError whose sentence names the provider and never its key. */
export interface UpstreamProvider {
  readonly name: UpstreamName;
  readonly search: (query: UpstreamQuery, signal: AbortSignal) => Promise<readonly UpstreamResult[]>;
}

/** Where a provider is, and with which key it is asked. */
export interface UpstreamEndpoint {
  /** Without a final slash. */
  readonly url: string;
  readonly key: string | undefined;
}

/** A request to an endpoint that the operator configured. */
export interface EndpointRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** A whole reply, or why there is none, in a phrase for people. */
export type EndpointReply =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly text: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: "failed"; readonly reason: string };

/** Sends a request; follows no redirect, since it would carry the key elsewhere. Rejects only when `signal` aborts. */
export type AskEndpoint = (request: EndpointRequest, signal: AbortSignal) => Promise<EndpointReply>;
