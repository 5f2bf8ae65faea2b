import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@quarry/base";

/** Throws `forbidden` unless the request's `Exa-Beta` names this token, alone or in a list. */
export function requireBeta(headers: IncomingHttpHeaders, token: string): void {
  const named = [headers["exa-beta"] ?? []].flat().flatMap((list) => list.split(","));
  if (named.some((name) => name.trim() === token)) return;
  throw new AppError("forbidden", `this part is a beta: send the header Exa-Beta: ${token}`, {
    details: { tag: "FEATURE_DISABLED" },
  });
}
