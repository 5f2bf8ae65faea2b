import { AppError } from "@quarry/base";

const KEY = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[a-z0-9._-]+(?:\/[a-z0-9._-]+)*$/;

/** Marks files that are being written in a directory; no key ends so anywhere, that blobs may move from place to place. */
export const DRAFT_SUFFIX = ".draft";

/** A key as it is, or `invalid_request` when it could lead astray. */
export function requireBlobKey(key: string): string {
  if (KEY.test(key) && !key.endsWith(DRAFT_SUFFIX)) return key;
  throw new AppError("invalid_request", `not a blob key: ${JSON.stringify(key)}`);
}
