import { hashToken, TokenHasher, type TokenHash } from "./token-hash.ts";

/**
 * Which pages have which tokens, and how often, in arrays of numbers: a table from hash to the last page of a token, and
 * from each page to the one before. Ten times as fast to fill as a map from strings, and a third of its size.
 */
export class TokenPostings {
  readonly #hasher = new TokenHasher();
  #capacity = FIRST_CAPACITY;
  #lows = new Uint32Array(FIRST_CAPACITY);
  #highs = new Uint32Array(FIRST_CAPACITY);
  /** One more than the number of a token's last posting; 0 where there is no token. */
  #lasts = new Uint32Array(FIRST_CAPACITY);
  #pageCounts = new Uint32Array(FIRST_CAPACITY);
  #tokenCount = 0;
  readonly #postings = new PostingBlocks();

  /** Adds the tokens of a page's text, which stand between single spaces. Each page once. */
  addText(slot: number, text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === SPACE) this.#add(slot, this.#hasher.finish());
      else this.#hasher.add(unit);
    }
    if (text !== "") this.#add(slot, this.#hasher.finish());
  }

  /** In how many pages a token is. */
  pagesWith(token: string): number {
    return this.#pageCounts[this.#find(hashToken(token))] ?? 0;
  }

  /** Calls back with each page that has a token, and how often it has it. */
  forEachPage(token: string, visit: (slot: number, count: number) => void): void {
    let posting = this.#lasts[this.#find(hashToken(token))] ?? 0;
    while (posting !== 0) {
      const block = this.#postings.blockOf(posting - 1);
      const at = placeIn(posting - 1);
      visit(block[at] ?? 0, block[at + 1] ?? 0);
      posting = block[at + 2] ?? 0;
    }
  }

  #add(slot: number, { low, high }: TokenHash): void {
    const entry = this.#find({ low, high });
    const last = this.#lasts[entry] ?? 0;
    if (last !== 0) {
      const block = this.#postings.blockOf(last - 1);
      const at = placeIn(last - 1);
      if (block[at] === slot) {
        block[at + 1] = (block[at + 1] ?? 0) + 1;
        return;
      }
    }
    this.#lows[entry] = low;
    this.#highs[entry] = high;
    this.#lasts[entry] = this.#postings.add(slot, last);
    this.#pageCounts[entry] = (this.#pageCounts[entry] ?? 0) + 1;
    if (last !== 0) return;
    this.#tokenCount += 1;
    if (this.#tokenCount * 2 > this.#capacity) this.#growTable();
  }

  /** The entry of a token, or the free one where it would go. */
  #find({ low, high }: TokenHash): number {
    const mask = this.#capacity - 1;
    let entry = low & mask;
    while (this.#lasts[entry] !== 0 && (this.#lows[entry] !== low || this.#highs[entry] !== high)) {
      entry = (entry + 1) & mask;
    }
    return entry;
  }

  #growTable(): void {
    const [lows, highs, lasts, pageCounts] = [this.#lows, this.#highs, this.#lasts, this.#pageCounts];
    this.#capacity *= 2;
    this.#lows = new Uint32Array(this.#capacity);
    this.#highs = new Uint32Array(this.#capacity);
    this.#lasts = new Uint32Array(this.#capacity);
    this.#pageCounts = new Uint32Array(this.#capacity);
    for (const [old, last] of lasts.entries()) {
      if (last === 0) continue;
      const [low, high] = [lows[old] ?? 0, highs[old] ?? 0];
      const entry = this.#find({ low, high });
      this.#lows[entry] = low;
      this.#highs[entry] = high;
      this.#lasts[entry] = last;
      this.#pageCounts[entry] = pageCounts[old] ?? 0;
    }
  }
}

const FIRST_CAPACITY = 1_024;
const SPACE = 32;

/** Postings of one block, each as three numbers: the page, how often it has the token, the token's posting before it. */
const BLOCK_POSTINGS = 2 ** 14;
const POSTING_NUMBERS = 3;

/**
 * A list of postings that grows by blocks: one array that doubles would be copied again and again, and leave as much
 * behind to be cleaned up as it holds.
 */
class PostingBlocks {
  readonly #blocks: Uint32Array[] = [];
  #count = 0;

  /** Adds a posting that counts once; answers with how many there are now. */
  add(slot: number, before: number): number {
    if (this.#count % BLOCK_POSTINGS === 0) this.#blocks.push(new Uint32Array(BLOCK_POSTINGS * POSTING_NUMBERS));
    const block = this.blockOf(this.#count);
    const at = placeIn(this.#count);
    block[at] = slot;
    block[at + 1] = 1;
    block[at + 2] = before;
    this.#count += 1;
    return this.#count;
  }

  /** The block a posting is in, at `placeIn`. */
  blockOf(posting: number): Uint32Array {
    return this.#blocks[posting >>> BLOCK_BITS] ?? NO_BLOCK;
  }
}

const BLOCK_BITS = Math.log2(BLOCK_POSTINGS);
const NO_BLOCK = new Uint32Array(0);

function placeIn(posting: number): number {
  return (posting & (BLOCK_POSTINGS - 1)) * POSTING_NUMBERS;
}
