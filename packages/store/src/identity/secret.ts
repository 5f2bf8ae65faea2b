import { createHash, randomBytes } from "node:crypto";

const SECRET_BYTES = 24;
const HINT_CHARACTERS = 4;

/** A new secret of 192 random bits behind a prefix that scanners and people can recognise. */
export function makeSecret(prefix: "qry" | "link" | "session"): string {
  return `${prefix}_${randomBytes(SECRET_BYTES).toString("hex")}`;
}

/** What the store keeps of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}

/** The end of a secret, enough to tell keys apart and too little to use; nothing of a short one. */
export function hintOf(secret: string): string {
  return secret.length >= 4 * HINT_CHARACTERS ? `…${secret.slice(-HINT_CHARACTERS)}` : "…";
}
