import type { IncomingHttpHeaders } from "node:http";
import { bytesReply, type Reply } from "./reply.ts";
import { PAGE_CONTENT_SECURITY_POLICY } from "./response-headers.ts";
import type { StaticFile } from "./static-files.ts";

/** The reply that sends a file, or 304 when the browser has it. */
export function fileReply(file: StaticFile, headers: IncomingHttpHeaders): Reply {
  const shared = {
    etag: file.etag,
    "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": PAGE_CONTENT_SECURITY_POLICY,
  };
  if (headers["if-none-match"] === file.etag) {
    return bytesReply("", { mediaType: file.mediaType, status: 304, headers: shared });
  }
  return bytesReply(file.body, { mediaType: file.mediaType, headers: shared });
}
