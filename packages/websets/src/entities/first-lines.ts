import type { PageText } from "../evidence.ts";

const DESCRIPTION_CHARACTERS = 300;

/** A page's beginning, for those that describe themselves nowhere. */
export function firstLines(page: PageText | undefined): string {
  const text = (page?.description ?? page?.text ?? "").replaceAll(/\s+/g, " ").trim();
  if (text.length <= DESCRIPTION_CHARACTERS) return text;
  return `${text.slice(0, DESCRIPTION_CHARACTERS).replace(/\s+\S*$/, "")}…`;
}
