import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { hashToken, TokenHasher } from "./token-hash.ts";

/**
 * In how many pages each token is, for a whole index, in four megabytes: tokens share 2^20 counters by hash. A rare
 * token may be thought more common than it is when it shares a counter; never rarer. Pages that are removed stay
 * counted until their table is written anew, as they do in the engine.
 */
export class TermCounts {
  readonly #counts: Uint32Array;

  private constructor(counts: Uint32Array) {
    this.#counts = counts;
  }

  static empty(): TermCounts {
    return new TermCounts(new Uint32Array(COUNTERS));
  }

  /** Counts pages by their texts, in which tokens stand between single spaces. */
  static ofTexts(texts: Iterable<string>): TermCounts {
    const counts = new Uint32Array(COUNTERS);
    const lastPages = new Uint32Array(COUNTERS); // the number of the page that was counted last, so that each counts once
    const hasher = new TokenHasher();
    let page = 0;
    const count = (): void => {
      const slot = hasher.finish().low % COUNTERS;
      if (lastPages[slot] === page) return;
      lastPages[slot] = page;
      counts[slot] = (counts[slot] ?? 0) + 1;
    };
    for (const text of texts) {
      if (text === "") continue;
      page += 1;
      for (let index = 0; index < text.length; index += 1) {
        const unit = text.charCodeAt(index);
        if (unit === SPACE) count();
        else hasher.add(unit);
      }
      count();
    }
    return new TermCounts(counts);
  }

  /** Reads what `pack` wrote. */
  static async unpack(packed: Uint8Array): Promise<TermCounts> {
    const bytes = await promisify(inflate)(packed);
    if (bytes.byteLength !== COUNTERS * Uint32Array.BYTES_PER_ELEMENT) {
      throw new Error(`term counts have ${bytes.byteLength} bytes, not those of ${COUNTERS} counters`);
    }
    return new TermCounts(new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)));
  }

  pagesWith(token: string): number {
    return this.#counts[hashToken(token).low % COUNTERS] ?? 0;
  }

  addAll(other: TermCounts): void {
    for (let slot = 0; slot < COUNTERS; slot += 1) {
      const pages = other.#counts[slot] ?? 0;
      if (pages > 0) this.#counts[slot] = (this.#counts[slot] ?? 0) + pages;
    }
  }

  pack(): Promise<Uint8Array> {
    return promisify<Uint32Array, { readonly level: number }, Buffer>(deflate)(this.#counts, { level: 1 });
  }
}

const COUNTERS = 2 ** 20;
const SPACE = 32;
