/** Characters that models write for one another, each with its plain one. All are one UTF-16 unit long, so that offsets stay. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ..."\u2018\u2019\u201A\u201B\u2032\u00B4\u0060".split("").map((each) => [each, "'"] as const),
  ..."\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB".split("").map((each) => [each, '"'] as const),
  ..."\u2010\u2011\u2012\u2013\u2014\u2015\u2212".split("").map((each) => [each, "-"] as const),
  ..."\u00A0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000"
    .split("")
    .map((each) => [each, " "] as const),
]);
const FOLDED = new RegExp(`[${[...PLAIN.keys()].join("")}]`, "g");

/** A text with quotes, dashes and spaces in their plain form, as long as before. */
export function foldPunctuation(text: string): string {
  return text.replace(FOLDED, (each) => PLAIN.get(each) ?? each);
}

/** The same with both kinds of straight quotes taken for one: what a formatter turned around. */
export function foldQuotes(text: string): string {
  return foldPunctuation(text).replaceAll('"', "'");
}
