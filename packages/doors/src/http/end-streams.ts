import { AppError } from "@quarry/base";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** How often open streams are looked at. Credentials are remembered for a few seconds, so that this costs no query. */
const LOOK_EVERY_MS = 1_000;
/** Replies that go on telling for as long as the client likes. Others end by themselves, but for routes that say otherwise. */
const LIVE_MEDIA_TYPE = /^text\/event-stream/;

/** Follows a request until its reply is out; `admit` rejects once its caller may not make it any more. */
export type FollowRequest = (request: FastifyRequest, reply: FastifyReply, admit: () => Promise<unknown>) => void;

/**
 * Ends event streams, MCP's and RPC's too, when the key or session that opened them is revoked, expires or loses the
 * scope: who was shown out hears nothing more. Requests that were let in may finish.
 */
export function createStreamEnder(app: FastifyInstance): FollowRequest {
  const open = new Map<FastifyRequest, { readonly reply: FastifyReply; readonly admit: () => Promise<unknown> }>();
  const timer = setInterval(() => {
    for (const [request, { reply, admit }] of open) {
      if (!isLive(request, reply)) continue;
      admit().catch((error: unknown) => {
        if (!isRefusal(error) || !open.delete(request)) return; // a store that is away takes nobody's rights
        request.log.info("a stream ends: its key or session does not hold any more");
        request.state?.left.abort();
        reply.raw.destroy();
      });
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  app.addHook("onClose", () => {
    clearInterval(timer);
    return Promise.resolve();
  });
  return (request, reply, admit) => {
    if (request.state?.left.signal.aborted === true) return; // its client left while it was let in: nothing would take it out
    open.set(request, { reply, admit });
    reply.raw.once("close", () => open.delete(request));
  };
}

function isLive(request: FastifyRequest, reply: FastifyReply): boolean {
  const { isLive } = request.routeOptions.config;
  return isLive === true || LIVE_MEDIA_TYPE.test(String(reply.raw.getHeader("content-type")));
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && (error.code === "unauthenticated" || error.code === "forbidden");
}
