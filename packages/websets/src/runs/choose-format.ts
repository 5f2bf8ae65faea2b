import type { WebsetFormat } from "@quarry/store";

/** What a description asks for, by its words; the first that fits. */
const SIGNS: readonly (readonly [RegExp, WebsetFormat])[] = [
  [/\be-?mail(?:s| address(?:es)?)?\b/i, "email"],
  [/\b(?:phone|telephone|mobile|fax)\b|\btel\.?\s*(?:no|number)/i, "phone"],
  [/\b(?:url|link|website|web site|web page|homepage|home page|linkedin|github|twitter)\b/i, "url"],
  [/\b(?:date|when|day|deadline)\b|\b(?:founded|launched|published|released) (?:on|in)\b/i, "date"],
  [
    /\b(?:how (?:many|much|old|large|big)|number of|count of|amount|price|cost|revenue|funding|employees|headcount|percentage|year|age|salary|valuation|population)\b/i,
    "number",
  ],
];

/** The format of an enrichment whose caller named none: options when there are labels, else what its words ask for, else text. */
export function chooseFormat(description: string, options: readonly unknown[] | undefined): WebsetFormat {
  if (options !== undefined) return "options";
  return SIGNS.find(([sign]) => sign.test(description))?.[1] ?? "text";
}
