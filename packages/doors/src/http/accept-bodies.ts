import { AppError } from "@quarry/base";
import type { FastifyInstance } from "fastify";
import { parseJson } from "./parse-json.ts";

const JSON_TYPES = /^(application\/([\w.+-]*\+)?json|text\/plain|application\/x-www-form-urlencoded|)$/;

/**
 * Reads bodies: JSON under any name that clients send it by (curl's default
 * included), an empty one as none, and bytes for the routes that ask for them.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>("*", { parseAs: "buffer" }, (request, body, done) => {
    const mediaType = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const route = request.routeOptions.config.route;
    if (route?.bodyKind === "bytes") {
      done(null, { bytes: body, mediaType });
      return;
    }
    try {
      done(null, route?.body === undefined ? undefined : readJson(mediaType, body));
    } catch (error) {
      done(AppError.from(error));
    }
  });
}

function readJson(mediaType: string, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!JSON_TYPES.test(mediaType)) {
    throw new AppError("invalid_request", "Invalid request body | Content-Type: expected application/json", {
      details: { status: 415, tag: "INVALID_REQUEST_BODY", issues: [] },
    });
  }
  return parseJson(new TextDecoder("utf-8", { fatal: false }).decode(body));
}
