import type { Table } from "@lancedb/lancedb";

/**
 * Tells, of most keys, that a sealed table does not have them, without asking it (a Bloom filter: ten bits a key, wrong
 * about one key in a hundred, always on the safe side). A bulk load of new pages would otherwise spend a tenth of its time
 * asking. Made by reading the table's keys, once: rows only leave it.
 */
export class KeyFilter {
  readonly #bits: Uint32Array;
  readonly #size: number;

  private constructor(keys: number) {
    this.#size = Math.max(64, keys * BITS_A_KEY);
    this.#bits = new Uint32Array(Math.ceil(this.#size / 32));
  }

  static async read(table: Table): Promise<KeyFilter> {
    const filter = new KeyFilter(await table.countRows());
    for await (const batch of table.query().select(["key"])) {
      for (const key of (batch.getChild("key") ?? []) as Iterable<string>) filter.#add(key);
    }
    return filter;
  }

  /** False: the table does not have the key. True: it may. */
  mayHave(key: string): boolean {
    return this.#places(key).every((place) => ((this.#bits[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0);
  }

  #add(key: string): void {
    for (const place of this.#places(key)) {
      this.#bits[place >>> 5] = (this.#bits[place >>> 5] ?? 0) | (1 << (place & 31));
    }
  }

  /** A key is a hash already; its parts serve as hashes here. */
  #places(key: string): readonly number[] {
    const bytes = Buffer.from(key, "base64url");
    return PARTS.map((offset) => bytes.readUInt32LE(offset) % this.#size);
  }
}

const BITS_A_KEY = 10;
/** Four numbers of 32 bits are in the 16 bytes of a key. */
const PARTS = [0, 4, 8, 12];
