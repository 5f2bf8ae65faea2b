import { Readable } from "node:stream";
import { AppError } from "@quarry/base";
import type { FastifyReply } from "fastify";
import { isReply, matchReply, type ErrorFrame, type ReplyHeaders } from "./reply.ts";
import type { Route } from "./route.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** A handler's result made ready to send: bytes that can be kept, or something that cannot. */
export type PreparedReply =
  | { readonly kind: "whole"; readonly status: number; readonly headers: ReplyHeaders; readonly body: Buffer }
  | { readonly kind: "flowing"; readonly send: (reply: FastifyReply) => FastifyReply };

/** Turns what a handler returned into bytes, or into a stream that will be sent. */
export function prepareReply(route: Route, result: unknown): PreparedReply {
  if (!isReply(result)) return wholeJson(route.status ?? 200, result, {});
  return matchReply<PreparedReply>(result, {
    json: ({ status, body, headers }) => wholeJson(status, body, headers),
    redirect: ({ location, headers }) => wholeJson(303, { location }, { ...headers, location }),
    bytes: ({ status, body, mediaType, headers }) =>
      body instanceof Readable
        ? {
            kind: "flowing",
            send: (reply) =>
              reply
                .code(status)
                .headers({ ...headers, "content-type": mediaType })
                .send(body),
          }
        : { kind: "whole", status, headers: { ...headers, "content-type": mediaType }, body: Buffer.from(body) },
    events: ({ frames, errorFrame }) => ({ kind: "flowing", send: (reply) => sendEvents(reply, frames, errorFrame) }),
  });
}

/** Sends a reply whose bytes are there. */
export function sendWhole(
  reply: FastifyReply,
  whole: { readonly status: number; readonly headers: ReplyHeaders; readonly body: Buffer },
): FastifyReply {
  return reply
    .code(whole.status)
    .headers({ ...whole.headers })
    .send(whole.body);
}

/** Headers of a JSON body. */
export const JSON_HEADERS: ReplyHeaders = { "content-type": JSON_TYPE };

function wholeJson(status: number, body: unknown, headers: ReplyHeaders): PreparedReply {
  return { kind: "whole", status, headers: { ...JSON_HEADERS, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}

function sendEvents(reply: FastifyReply, frames: AsyncIterable<string>, errorFrame: ErrorFrame): FastifyReply {
  void reply
    .code(200)
    .headers({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    })
    .send(Readable.from(withErrorFrame(reply, frames, errorFrame), { objectMode: false }));
  reply.raw.flushHeaders(); // the client learns at once that the stream is open
  return reply;
}

/** The status is sent already when a stream fails, so the failure becomes its last frame. */
async function* withErrorFrame(
  reply: FastifyReply,
  frames: AsyncIterable<string>,
  errorFrame: ErrorFrame,
): AsyncGenerator<string> {
  try {
    yield* frames;
  } catch (thrown) {
    const error = AppError.from(thrown);
    if (error.code === "canceled") return;
    reply.log.error({ err: thrown }, "an event stream failed");
    const last = errorFrame(error);
    if (last !== undefined) yield last;
  }
}
