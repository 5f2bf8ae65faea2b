import { createTokenReader, inverseFrequency, type TermStatistics } from "@quarry/retrieval";

/** A page's title and the part of its text that ranking reads, each token as its number. */
export interface PageTokens {
  readonly title: Uint32Array;
  readonly body: Uint32Array;
  /** Every token once. */
  readonly distinct: Uint32Array;
  /** How often each of `distinct` is there, those of the title counting twice. */
  readonly counts: Uint32Array;
}

/** What is known of a page's text. */
export interface ReadPage {
  readonly tokens: PageTokens;
  /** The same for pages whose whole text is the same. */
  readonly contentId: string;
  readonly isEmpty: boolean;
}

/** What tokens are read from. */
export interface ReadText {
  readonly title: string | null;
  readonly text: string;
  readonly language: string | null;
}

/** What is kept altogether before all of it is let go: about 15,000 parts of pages. */
const MAX_BYTES = 64 * 1_024 ** 2;
/** About what a token costs: the string, its number, its weight. */
const BYTES_A_TOKEN = 120;
const BYTES_A_NUMBER = 4;

/**
 * Remembers tokens by number, and what was read of pages by a name that the caller gives it: a page that is compared
 * with one query is soon compared with another, and analysing it is most of the work. For one thread.
 */
export class TokenMemory {
  readonly #readNumbers = createTokenReader((token) => this.#toNumber(token));
  readonly #numbers = new Map<string, number>();
  readonly #tokens: string[] = [];
  readonly #pages = new Map<string, ReadPage>();
  #bytes = 0;
  /** Scratch: all zero between two reads. */
  #places = new Uint32Array(0);
  #weights = new Float64Array(0);
  #weighedBy = { pageCount: -1, averageLength: -1 };

  /** Whether it is time for a new one; what was taken from this one stays good. */
  get isFull(): boolean {
    return this.#bytes > MAX_BYTES;
  }

  /** What was remembered under a name. */
  recall(name: string): ReadPage | undefined {
    return this.#pages.get(name);
  }

  /** Remembers what was read of a page. */
  remember(name: string, page: ReadPage): void {
    if (this.#pages.has(name)) return;
    const { title, body, distinct } = page.tokens;
    this.#bytes += name.length * 2 + (title.length + body.length + 2 * distinct.length) * BYTES_A_NUMBER;
    this.#pages.set(name, page);
  }

  /** Analyses a text. */
  read({ title, text, language }: ReadText): PageTokens {
    const titleNumbers = new Uint32Array(this.#readNumbers(title ?? "", language));
    const body = new Uint32Array(this.#readNumbers(text, language));
    return { title: titleNumbers, body, ...this.#count(titleNumbers, body) };
  }

  /** The number of a token; undefined when no page that was read has it. */
  numberOf(token: string): number | undefined {
    return this.#numbers.get(token);
  }

  /** How telling tokens are among all pages, by number. */
  weigher(statistics: TermStatistics): (number: number) => number {
    const { pageCount, averageLength } = statistics;
    if (this.#weighedBy.pageCount !== pageCount || this.#weighedBy.averageLength !== averageLength) {
      this.#weighedBy = { pageCount, averageLength };
      this.#weights.fill(Number.NaN);
    }
    if (this.#weights.length < this.#tokens.length) {
      const larger = new Float64Array(this.#tokens.length * 2).fill(Number.NaN);
      larger.set(this.#weights);
      this.#weights = larger;
    }
    const weights = this.#weights;
    return (number) => {
      const known = weights[number] ?? Number.NaN;
      if (!Number.isNaN(known)) return known;
      const weight = inverseFrequency(statistics, this.#tokens[number] ?? "");
      weights[number] = weight;
      return weight;
    };
  }

  /** Every token once, in the order they come, and how often. A list of places by number is thrice as fast as a map. */
  #count(title: Uint32Array, body: Uint32Array): Pick<PageTokens, "distinct" | "counts"> {
    if (this.#places.length < this.#tokens.length) this.#places = new Uint32Array(this.#tokens.length * 2);
    const places = this.#places; // 1 and up; 0 where there is none
    const distinct = new Uint32Array(title.length + body.length);
    const counts = new Uint32Array(title.length + body.length);
    let found = 0;
    for (let at = 0; at < distinct.length; at += 1) {
      const isTitle = at < title.length;
      const number = (isTitle ? title[at] : body[at - title.length]) ?? 0;
      let place = places[number] ?? 0;
      if (place === 0) {
        found += 1;
        place = found;
        places[number] = place;
        distinct[place - 1] = number;
      }
      counts[place - 1] = (counts[place - 1] ?? 0) + (isTitle ? 2 : 1);
    }
    for (let at = 0; at < found; at += 1) places[distinct[at] ?? 0] = 0;
    return { distinct: distinct.slice(0, found), counts: counts.slice(0, found) };
  }

  #toNumber(token: string): number {
    const known = this.#numbers.get(token);
    if (known !== undefined) return known;
    const number = this.#tokens.length;
    this.#numbers.set(token, number);
    this.#tokens.push(token);
    this.#bytes += BYTES_A_TOKEN;
    return number;
  }
}
