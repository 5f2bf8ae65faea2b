import { createHash } from "node:crypto";

/** What tells one page from another: the same URL in two teams is two pages. */
export interface PageIdentity {
  readonly teamId: string;
  readonly url: string;
}

/** A page's key in the index: short, of one length, and the same in every process. */
export function pageKey({ teamId, url }: PageIdentity): string {
  return createHash("sha256").update(`${teamId}\n${url}`).digest("base64url").slice(0, KEY_LENGTH);
}

/** 132 bits. */
const KEY_LENGTH = 22;
