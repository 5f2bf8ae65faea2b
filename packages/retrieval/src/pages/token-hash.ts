/** A token as two numbers of 32 bits: enough that no two tokens of an index share both. */
export interface TokenHash {
  readonly low: number;
  readonly high: number;
}

/** The hash of a whole token. */
export function hashToken(token: string): TokenHash {
  const hasher = new TokenHasher();
  for (let index = 0; index < token.length; index += 1) hasher.add(token.charCodeAt(index));
  return hasher.finish();
}

/**
 * Takes the UTF-16 units of a token one by one, so that a text can be hashed token by token without cutting it up.
 * Starts anew after each `finish`.
 */
export class TokenHasher {
  #low = LOW_SEED;
  #high = HIGH_SEED;
  /** The hash that `finish` made, in fields: a text has too many for an object each. */
  low = 0;
  high = 0;

  add(unit: number): void {
    this.#low = Math.imul(this.#low ^ unit, 0x01000193);
    this.#high = Math.imul(this.#high ^ unit, 0x5bd1e995);
    this.#high ^= this.#high >>> 15;
  }

  finish(): this {
    this.low = mix(this.#low);
    this.high = mix(this.#high ^ this.#low);
    this.#low = LOW_SEED;
    this.#high = HIGH_SEED;
    return this;
  }
}

const LOW_SEED = 0x811c9dc5;
const HIGH_SEED = 0x9747b28c;

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
