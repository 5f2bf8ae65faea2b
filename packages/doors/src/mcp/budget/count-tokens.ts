/** Tells how many tokens a text takes. */
export type CountTokens = (text: string) => number;

/** Pieces whose counts are remembered, all together: what a day's pages have of words, and little memory. */
const MAX_KNOWN_CHARACTERS = 1_000_000;
/** The tokenizer's time grows with the square of a run of letters: one page without spaces could stop the server for minutes. */
const LONGEST_PIECE = 128;

/**
 * The tokenizer of current models (o200k). Its table takes a moment to load and memory to hold: it is read when the first
 * agent connects, and kept.
 */
export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(({ countTokens }) =>
    countByPieces((text) => countTokens(text, { disallowedSpecial: new Set() })),
  );
  return loading;
}

let loading: Promise<CountTokens> | undefined;

/**
 * Counts as `exact` does, piece by piece, and each piece once. A text is taken apart only where no token of o200k can reach
 * across: before a space that follows a sign, and before a sign that follows a letter or digit; so the counts add up. A
 * piece of more than 128 letters and signs is counted in parts, with a token more for each, which is never fewer than it has.
 */
export function countByPieces(exact: CountTokens): CountTokens {
  const known = new Map<string, number>();
  let knownCharacters = 0;
  const countPiece = (piece: string): number => {
    const before = known.get(piece);
    if (before !== undefined) return before;
    const tokens = exact(piece);
    if (knownCharacters > MAX_KNOWN_CHARACTERS) {
      known.clear();
      knownCharacters = 0;
    }
    known.set(piece, tokens);
    knownCharacters += piece.length;
    return tokens;
  };
  const countParts = (piece: string): number => {
    let tokens = 0;
    for (let from = 0; from < piece.length;) {
      const to = Math.min(piece.length, from + LONGEST_PIECE);
      const isPair = (piece.charCodeAt(to) & SURROGATE_MASK) === LOW_SURROGATE;
      tokens += countPiece(piece.slice(from, isPair ? to - 1 : to)) + 1;
      from = isPair ? to - 1 : to;
    }
    return tokens;
  };
  return (text) => {
    let tokens = 0;
    let from = 0;
    let before: number = OTHER;
    for (let place = 0; place <= text.length; place += 1) {
      const code = text.charCodeAt(place); // NaN at the end
      const kind = code < ASCII_KINDS.length ? (ASCII_KINDS[code] ?? OTHER) : isSurelySign(code) ? SIGN : OTHER;
      const isBound =
        place === text.length || (kind === SPACE ? before >= SIGN : kind === MARK && before === ALPHANUMERIC);
      if (isBound && place > from) {
        const piece = text.slice(from, place);
        tokens += piece.length > LONGEST_PIECE ? countParts(piece) : countPiece(piece);
        from = place;
      }
      before = kind;
    }
    return tokens;
  };
}

/** Kinds of characters, those that are surely no white space from `SIGN` on. */
const OTHER = 0;
const SPACE = 1;
const SIGN = 2;
/** ASCII's signs but the apostrophe, which may belong to the word before it. */
const MARK = 3;
const ALPHANUMERIC = 4;
const ASCII_KINDS = Uint8Array.from({ length: 0x7f }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === " ") return SPACE;
  if (code < 0x20) return OTHER;
  if (character === "'") return SIGN;
  return /[A-Za-z0-9]/.test(character) ? ALPHANUMERIC : MARK;
});
const LOW_SURROGATE = 0xdc00;
const SURROGATE_MASK = 0xfc00;

/** Whether a character beyond ASCII is surely no white space; for the rest it does not pay to know. */
function isSurelySign(code: number): boolean {
  return (code > 0xa0 && code < 0x1680) || (code > 0x3000 && code < 0xfeff);
}
