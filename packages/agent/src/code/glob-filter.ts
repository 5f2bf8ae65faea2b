import picomatch from "picomatch";

/** Tells whether a file is searched, by the patterns that a caller gave: several are split by commas. */
export function globFilter(include: string, exclude: string): (relative: string) => boolean {
  const [isIncluded, isExcluded] = [matcher(include), matcher(exclude)];
  return (relative) => (isIncluded?.(relative) ?? true) && !(isExcluded?.(relative) ?? false);
}

/** A pattern without a slash is about names anywhere, one without a wildcard about a directory or a file. */
function matcher(patterns: string): ((relative: string) => boolean) | undefined {
  const all = splitPatterns(patterns).flatMap((given) => {
    const pattern = given.replace(/^\.?\//, "").replace(/\/$/, "");
    const anywhere = pattern.includes("/") ? pattern : `**/${pattern}`;
    return [anywhere, `${anywhere}/**`];
  });
  return all.length === 0 ? undefined : picomatch(all, { dot: true });
}

/** Commas inside of braces belong to a pattern. */
function splitPatterns(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  const lastBrace = text.lastIndexOf("}");
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "{" && at < lastBrace) at = text.indexOf("}", at);
    // a brace that nobody closes is no pattern's either
    else if (sign === "," || sign === "{") {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}
