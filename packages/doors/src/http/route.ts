import type { IncomingHttpHeaders } from "node:http";
import type { Caller, Scope } from "@quarry/contract";
import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import type { Meter } from "./rate-limit.ts";
import type { Reply } from "./reply.ts";

/** Who may call a route: anyone, anyone with a key or session, or those with a scope. */
export type Access = "open" | "any" | Scope;

/** What a handler knows of the request beside its input. */
export interface RequestContext<C extends Caller | undefined = Caller | undefined> {
  /** The id that the reply's x-request-id header carries. */
  readonly requestId: string;
  readonly caller: C;
  /** Where this server is reached, without a slash at the end: for addresses in replies. */
  readonly baseUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly log: FastifyBaseLogger;
  /** Aborts when the client leaves before the reply is complete. */
  readonly signal: AbortSignal;
  /** As `signal`, and when the server stops: streams end then, other work may finish. */
  readonly streamSignal: AbortSignal;
  /**
   * An id for what the request makes. A retry with the same Idempotency-Key gets the
   * same id, also after a crash: insert with ON CONFLICT and nothing is made twice.
   */
  readonly newId: (prefix: string) => string;
  /** Adds to what this request's usage record says. */
  readonly addUsage: (use: { readonly tokens?: number; readonly costDollars?: number }) => void;
}

/** The checked input of a request. */
export interface RouteInput<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** A body that is not JSON, whole. */
export interface RawBody {
  readonly bytes: Buffer;
  /** Without parameters, lower case; empty when the client named none. */
  readonly mediaType: string;
}

/** What the reader of the API sees, and what the door does, before the handler runs. */
interface RouteFacts {
  /** The operationId: unique, never changed once published. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` parameters. Below /websets/v0 the alias /v0 is mounted too. The path decides the error family. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Status of a plain JSON result; 200 unless given. Never 202 or 204: old clients accept neither. */
  readonly status?: 200 | 201;
  /** Honours Idempotency-Key. `secret` seals the kept reply, because it shows a secret once. */
  readonly creates?: true | "secret";
  /** Costs something: its rate limit applies, and a spent budget refuses it. */
  readonly meter?: Meter;
  /** Also answers HEAD; only for GET without effect. */
  readonly head?: true;
  /** `bytes` hands the body over as a RawBody. */
  readonly bodyKind?: "json" | "bytes";
  /** What callers most often get wrong in the body; said after what is wrong with this one. */
  readonly bodyHint?: string;
  /** The largest body; the app's default unless given. */
  readonly maxBodyBytes?: number;
  /** Media type of the reply when it is not JSON, for the OpenAPI document. */
  readonly replyMediaType?: string;
  /** Left out of the OpenAPI document: pages and redirects for browsers. */
  readonly hidden?: true;
}

/** A route as data: what it takes, who may call it, what it answers. */
export interface RouteSpec<
  A extends Access,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
> extends RouteFacts {
  readonly access: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly response: R;
  readonly handle: (
    input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>,
    context: RequestContext<A extends "open" ? Caller | undefined : Caller>,
  ) => Promise<z.input<R> | Reply>;
}

/** A route whose types are settled; made by `defineRoute` only. */
export interface Route extends RouteFacts {
  readonly access: Access;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly response: z.ZodType;
  /** The door calls it with input that passed the schemas, and a caller unless the route is open. */
  handle(input: RouteInput, context: RequestContext): Promise<unknown>;
}

/** The schema of a route with `bodyKind: "bytes"`. */
export const rawBodySchema = z.custom<RawBody>();

/** Settles a route's types: the handler sees what the schemas make of the request. */
export function defineRoute<
  const A extends Access,
  R extends z.ZodType,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(spec: RouteSpec<A, P, Q, B, R>): Route {
  const { handle, ...facts } = spec;
  const route: Route = {
    ...facts,
    params: spec.params,
    query: spec.query,
    body: spec.body,
    // A method's parameters may be narrower than the interface says; mount-route keeps the promise above.
    handle(input: RouteInput<z.output<P>, z.output<Q>, z.output<B>>, context: RequestContext<Caller>) {
      return handle(input, context);
    },
  };
  return route;
}
