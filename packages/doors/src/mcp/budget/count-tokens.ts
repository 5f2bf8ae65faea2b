/** Tells how many tokens a text takes. */
export type CountTokens = (text: string) => number;

/**
 * The tokenizer of current models (o200k). Its table takes a moment to load and memory to hold: it is read when the first
 * agent connects, and kept.
 */
export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then(
    ({ countTokens }) =>
      (text) =>
        countTokens(text, { allowedSpecial: "all" }),
  );
  return loading;
}

let loading: Promise<CountTokens> | undefined;
