import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base 32, lower case

/**
 * A sortable id: prefix, `_`, and a 26-character lower-case ULID. Two ids made
 * in different milliseconds sort by time; within one, by chance.
 */
export function makeId(prefix: string, now: Date = new Date()): string {
  return `${prefix}_${encodeTime(now.getTime())}${encodeRandom()}`;
}

/** A request id in the form of Exa's search family: 32 hexadecimal characters. */
export function makeRequestId(): string {
  return randomBytes(16).toString("hex");
}

function encodeTime(milliseconds: number): string {
  let rest = milliseconds;
  let text = "";
  for (let index = 0; index < 10; index += 1) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const RANDOM_BYTES = 16;
/** Chance drawn ahead: one draw costs as much as a few hundred bytes of it. */
let drawn = Buffer.alloc(0);

function encodeRandom(): string {
  if (drawn.length < RANDOM_BYTES) drawn = randomBytes(256 * RANDOM_BYTES);
  let text = "";
  for (const byte of drawn.subarray(0, RANDOM_BYTES)) text += ALPHABET.charAt(byte & 31);
  drawn = drawn.subarray(RANDOM_BYTES);
  return text;
}
