import { createHash } from "node:crypto";
import { bytesReply, jsonReply, type Reply } from "./reply.ts";
import type { RequestContext } from "./route.ts";

/** A JSON body with an ETag made of it; 304 and no body when the client has that one. */
export function conditionalReply({ headers }: Pick<RequestContext, "headers">, body: unknown): Reply {
  const etag = `"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 27)}"`;
  const replyHeaders = { etag, "cache-control": "private, no-cache" };
  if (isKnown(headers["if-none-match"], etag)) {
    return bytesReply("", { mediaType: "application/json; charset=utf-8", status: 304, headers: replyHeaders });
  }
  return jsonReply(body, { headers: replyHeaders });
}

/** Whether one of the tags that the client sent is this one; a weak one counts, as RFC 9110 wants it here. */
function isKnown(sent: string | undefined, etag: string): boolean {
  if (sent === undefined) return false;
  if (sent.trim() === "*") return true;
  return sent.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
