import type { Span } from "@opentelemetry/api";
import type { Authenticated } from "./authenticate.ts";
import type { Access, Route } from "./route.ts";

/** What the door knows of a request while it is under way. */
export interface RequestState {
  readonly span: Span;
  authenticated: Authenticated | undefined;
  tokens: number;
  costDollars: number;
  /** The request that this one is a part of: what it uses is that one's. */
  readonly outer: RequestState | undefined;
  /** What the usage record names instead of the route. */
  use: string | undefined;
  /** Aborts when the client leaves before the reply is complete. */
  readonly left: AbortController;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the door's first hook. */
    state: RequestState | null;
  }
  interface FastifyContextConfig {
    /** The route that was mounted here; absent on the 404 handler and on routes of other plugins. */
    route?: Route;
    /** Who may call a route that a plugin registered by itself; only keys with every scope unless given. */
    access?: Access;
    /** Stays open for as long as the client likes, which its reply may not tell before it has something to say. */
    isLive?: boolean;
    /** A protocol within one route: a request counts as use only when it does something, under the name of what it does. */
    countsInnerCalls?: true;
  }
}
