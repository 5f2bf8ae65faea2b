import type { FastifyInstance, FastifyRequest } from "fastify";
import { INNER_HOST } from "../inner-calls.ts";
import type { ApiCall, ApiRequest } from "./api-call.ts";

const INNER_URL = `http://${INNER_HOST}`;

/**
 * Calls the app's own routes for the caller of `request`, without a socket: with the same key or browser session, so that
 * scopes, limits, budgets and usage are those of REST. Addresses in replies are written as the client reaches them.
 */
export function createInjectCall(app: FastifyInstance, request: FastifyRequest): ApiCall {
  const { authorization, cookie } = request.headers;
  const apiKey = request.headers["x-api-key"];
  const credentials = {
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { "x-api-key": apiKey }),
    ...(cookie !== undefined && { cookie, origin: INNER_URL }),
  };
  const outerUrl = `http://${request.host}`;
  return async (call, signal) => {
    signal.throwIfAborted();
    const payload = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const reply = await app.inject({
      method: call.method,
      url: addressOf(call),
      headers: {
        ...credentials,
        host: INNER_HOST,
        ...(payload !== undefined && { "content-type": call.mediaType ?? "application/json" }),
        ...(call.idempotencyKey !== undefined && { "idempotency-key": call.idempotencyKey }),
      },
      ...(payload !== undefined && { payload }),
      signal,
    });
    const text = reply.body.replaceAll(INNER_URL, outerUrl);
    const isJson = String(reply.headers["content-type"]).includes("json");
    return { status: reply.statusCode, headers: reply.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  };
}

function addressOf({ path, query = {} }: ApiRequest): string {
  const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return search === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`;
}
