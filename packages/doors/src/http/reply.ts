import type { Readable } from "node:stream";
import type { AppError } from "@quarry/base";

/** Marks what the functions below make, so that no JSON body can be mistaken for one. */
const REPLY = Symbol("reply");

/** Headers of a reply, by lower-case name. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** What a handler answers when a plain JSON body with the route's own status is not enough. */
export type Reply =
  | { readonly [REPLY]: "json"; readonly status: number; readonly body: unknown; readonly headers: ReplyHeaders }
  | { readonly [REPLY]: "redirect"; readonly location: string; readonly headers: ReplyHeaders }
  | {
      readonly [REPLY]: "bytes";
      readonly status: number;
      readonly body: string | Buffer | Readable;
      readonly mediaType: string;
      readonly headers: ReplyHeaders;
    }
  | { readonly [REPLY]: "events"; readonly frames: AsyncIterable<string>; readonly errorFrame: ErrorFrame };

/** Writes the last frame of a stream that failed; undefined ends it without one. */
export type ErrorFrame = (error: AppError) => string | undefined;

/** Whether a handler's result is one of the replies below rather than a body. */
export function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && REPLY in value;
}

/** A JSON body with a status or headers of its own; status 200 unless given. */
export function jsonReply(
  body: unknown,
  options: { readonly status?: number; readonly headers?: ReplyHeaders } = {},
): Reply {
  return { [REPLY]: "json", body, status: options.status ?? 200, headers: options.headers ?? {} };
}

/** Sends the browser elsewhere on this server with GET (303). */
export function redirectReply(location: string, headers: ReplyHeaders = {}): Reply {
  return { [REPLY]: "redirect", location, headers };
}

/** Bytes of any media type: a file, a download, Prometheus text. */
export function bytesReply(
  body: string | Buffer | Readable,
  options: { readonly mediaType: string; readonly status?: number; readonly headers?: ReplyHeaders },
): Reply {
  return {
    [REPLY]: "bytes",
    body,
    mediaType: options.mediaType,
    status: options.status ?? 200,
    headers: options.headers ?? {},
  };
}

/**
 * Server-sent events, status 200. Each string of `frames` is one whole frame with
 * its closing blank line; the framing differs between Exa's routes, so the route
 * writes it. Make the frames with `context.streamSignal`: it aborts when the
 * client leaves and when the server stops.
 */
export function eventStreamReply(
  frames: AsyncIterable<string>,
  options: { readonly errorFrame?: ErrorFrame } = {},
): Reply {
  return { [REPLY]: "events", frames, errorFrame: options.errorFrame ?? (() => undefined) };
}

/** Does what the kind of reply asks for; exhaustive, so that a new kind is not forgotten. */
export function matchReply<T>(
  reply: Reply,
  cases: { readonly [Kind in Reply[typeof REPLY]]: (reply: Extract<Reply, { [REPLY]: Kind }>) => T },
): T {
  switch (reply[REPLY]) {
    case "json":
      return cases.json(reply);
    case "redirect":
      return cases.redirect(reply);
    case "bytes":
      return cases.bytes(reply);
    case "events":
      return cases.events(reply);
  }
}
