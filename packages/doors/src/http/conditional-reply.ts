import { createHash } from "node:crypto";
import { bytesReply, type Reply } from "./reply.ts";
import type { RequestContext } from "./route.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** A JSON body with an ETag made of it; 304 and no body when the client has that one. */
export function conditionalReply({ headers }: Pick<RequestContext, "headers">, body: unknown): Reply {
  const text = JSON.stringify(body); // once: these bodies are large
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  const replyHeaders = { etag, "cache-control": "private, no-cache" };
  const isHere = isKnown(headers["if-none-match"], etag);
  return bytesReply(isHere ? "" : text, { mediaType: JSON_TYPE, status: isHere ? 304 : 200, headers: replyHeaders });
}

/** Whether one of the tags that the client sent is this one; a weak one counts, as RFC 9110 wants it here. */
function isKnown(sent: string | undefined, etag: string): boolean {
  if (sent === undefined) return false;
  if (sent.trim() === "*") return true;
  return sent.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
