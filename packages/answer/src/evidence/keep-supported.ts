import type { Analyser } from "@quarry/retrieval";
import type { Quote } from "./quote.ts";
import { supportsClaim } from "./supports-claim.ts";

/** A value of which only what quotes carry is left, and those quotes. */
export interface SupportedValue {
  readonly value: unknown;
  readonly quotes: readonly Quote[];
  /** Which quote carries what stands at which place of the value as it was given, as JSON pointers. */
  readonly support: readonly { readonly path: string; readonly quote: Quote }[];
  /** Where something was taken out, as JSON pointers. */
  readonly dropped: readonly string[];
}

/**
 * Keeps of a model's JSON what the quotes carry: a string or number that stands in none becomes null, an entry of a list that
 * does is left out. Booleans and null cannot be quoted and stay.
 */
export function keepSupported(
  analyser: Analyser,
  value: unknown,
  support: { readonly quotes: readonly Quote[]; readonly given: string },
): SupportedValue {
  const carried: { readonly path: string; readonly quote: Quote }[] = [];
  const dropped: string[] = [];
  const keep = (one: unknown, path: string): unknown => {
    if (typeof one === "string" || typeof one === "number") {
      const quote = quoteFor(analyser, one, support);
      if (quote !== undefined) carried.push({ path, quote });
      if (quote !== undefined || one === "") return one;
      dropped.push(path);
      return null;
    }
    if (Array.isArray(one)) {
      const kept = one.map((entry, index) => keep(entry, `${path}/${index}`));
      return kept.filter((entry, index) => entry !== null || one[index] === null);
    }
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, keep(inner, `${path}/${name}`)]));
  };
  const kept = keep(value, "");
  return { value: kept, quotes: [...new Set(carried.map(({ quote }) => quote))], support: carried, dropped };
}

function quoteFor(
  analyser: Analyser,
  value: string | number,
  { quotes, given }: { readonly quotes: readonly Quote[]; readonly given: string },
): Quote | undefined {
  if (typeof value === "number") return quotes.find(({ text }) => numbersIn(text).has(value));
  return (
    quotes.find(({ url, text }) => url === value || text.includes(value)) ??
    quotes.find(({ text }) => supportsClaim(analyser, value, { quotes: [text], given }))
  );
}

function numbersIn(text: string): ReadonlySet<number> {
  const found = text.match(/-?\p{N}+(?:[.,]\p{N}+)*/gu) ?? [];
  return new Set(found.flatMap((digits) => [Number(digits.replaceAll(",", "")), Number(digits.replace(",", "."))]));
}
