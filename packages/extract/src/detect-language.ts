import { eld } from "eld/small";

const SAMPLE_CHARS = 300;
const MIN_CHARS = 60;

/**
 * The language of a text as a two-letter code: what the text reads like when that is clear, else what the page
 * declares. Declared regions are dropped ("en-GB" is "en").
 */
export function detectLanguage(text: string, declared: string | undefined): string | undefined {
  const tag = /^[a-z]{2,3}(?=[-_]|$)/i.exec(declared?.trim() ?? "")?.[0].toLowerCase();
  if (text.length < MIN_CHARS) return tag;
  const middle = Math.max(0, Math.floor((text.length - SAMPLE_CHARS) / 2));
  const found = eld.detect(text.slice(middle, middle + SAMPLE_CHARS));
  if (found.language === "") return tag;
  return found.isReliable() || tag === undefined ? found.language : tag;
}
