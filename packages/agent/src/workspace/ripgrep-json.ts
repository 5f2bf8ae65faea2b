/** What `rg --json` writes, as far as tools read it. */
export interface RipgrepMessage {
  readonly type: string;
  readonly data: {
    readonly path?: RipgrepText;
    readonly lines?: RipgrepText;
    /** Counted from 1. */
    readonly line_number?: number | null;
    /** Offsets in bytes of `lines`. */
    readonly submatches?: readonly { readonly start: number; readonly end: number }[];
  };
}

/** Text, or bytes in base64 where they are no UTF-8. */
export type RipgrepText = { readonly text: string } | { readonly bytes: string };

/** One line of `rg --json`. */
export function parseRipgrep(line: string): RipgrepMessage {
  return JSON.parse(line) as RipgrepMessage;
}

/** The text, with replacement characters where it is none. */
export function textIn(given: RipgrepText): string {
  return "text" in given ? given.text : Buffer.from(given.bytes, "base64").toString("utf8");
}

/** A path as tools show it: ripgrep puts `./` in front of what it finds below it. */
export function bare(file: string): string {
  return file.startsWith("./") ? file.slice(2) : file;
}
