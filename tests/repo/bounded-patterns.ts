/** A pattern that may take the square of a text's length, and why no text that it is given is long. */
export interface BoundedPattern {
  readonly file: string;
  /** How the pattern begins; the shortest that tells it from the file's others. */
  readonly begins: string;
  readonly because: string;
}

/** Everything else must be linear. A pattern may stand here only when its caller cuts the text, or makes it. */
export const BOUNDED_PATTERNS: readonly BoundedPattern[] = [
  {
    file: "packages/agent/src/edits/omission.ts",
    begins: "^\\s*(?:\\/\\/+|#+",
    because: "a line of more than MAX_COMMENT_CHARS, 200, is not asked",
  },
  {
    file: "packages/agent/src/edits/omission.ts",
    begins: "^(?:\\.{2,}|…)|",
    because: "a part of a line of at most MAX_COMMENT_CHARS, 200",
  },
  {
    file: "packages/agent/src/workspace/outline.ts",
    begins: "^\\s*(?:(?:export|default|declare",
    because: "a line of more than MAX_LINE_CHARACTERS, 500, is not asked",
  },
  {
    file: "packages/doors/src/http/static-files.ts",
    begins: "[.-][A-Za-z0-9_-]{8,}",
    because: "the name of a file of the console, which was found on the disk",
  },
  {
    file: "packages/extract/src/metadata/read-date.ts",
    begins: "^\\s*(\\d{4})-?(\\d{2})",
    because: "a text of more than 60 characters is no date and is not asked",
  },
  {
    file: "packages/retrieval/src/text/split-sentences.ts",
    begins: "(?<word>",
    because: "the last TAIL_LENGTH, 40, characters of a sentence",
  },
  {
    file: "packages/websets/src/extractors/fill-contacts.ts",
    begins: "\\bfax\\b[^\\n]*$",
    because: "the 20 characters before a phone number",
  },
  {
    file: "packages/websets/src/extractors/product.ts",
    begins: "\\b(?:was|rrp",
    because: "the 30 characters before a price",
  },
  {
    file: "packages/websets/src/extractors/read-numbers.ts",
    begins: "\\.?0+$",
    because: "a number of ours with ten digits behind the point",
  },
  {
    file: "packages/websets/src/judge/subject.ts",
    begins: '(?:[.!?:\\n•"“]\\s*|',
    because: "the 3 characters before a name",
  },
];
