import { AppError } from "@quarry/base";
import { RE2JS, RE2JSException } from "re2js";
import { matchesPieces } from "../star-pattern.ts";

/** A pattern that people write to say which URLs they mean; made by `compileUrlPattern`. */
export interface UrlPattern {
  readonly source: string;
  /** Whether the pattern means this canonical URL. Takes time linear in its length, whatever the pattern. */
  readonly matches: (url: string) => boolean;
}

/** Longest pattern taken, in characters. */
export const MAX_PATTERN_LENGTH = 1000;

/**
 * Reads a pattern; throws `invalid_request` for one that means nothing.
 *
 * - `/regex/` or `/regex/i`: an RE2 regular expression, looked for anywhere in the URL. Two slashes around plain text,
 *   as in `/docs/`, are a path.
 * - Anything else is a glob in which `*` stands for any characters, slashes too, and all else for itself. It is held
 *   against the whole URL when it has a `://`, against path and query when it begins with `/`, against host, path and
 *   query otherwise; against the same without the query when it names none. Without a star it means the page of that
 *   address and all below it.
 */
export function compileUrlPattern(source: string): UrlPattern {
  const text = source.trim();
  if (text === "") throw invalid(source, "it is empty; leave it out, or write a path such as /docs/*");
  if (text.length > MAX_PATTERN_LENGTH) throw invalid(source, `it is longer than ${MAX_PATTERN_LENGTH} characters`);
  const regex = /^\/(.+)\/(i?)$/s.exec(text);
  if (regex !== null && /[\\^$.|?+()[\]{}]/.test(regex[1] ?? ""))
    return compileRegex(text, regex[1] ?? "", regex[2] === "i");
  return compileGlob(text);
}

function compileRegex(source: string, expression: string, ignoreCase: boolean): UrlPattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(expression, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (cause) {
    const why = cause instanceof RE2JSException ? cause.message : "it cannot be compiled";
    throw invalid(source, `${why} (the syntax is RE2: no look-around, no back-references)`, cause);
  }
  return { source, matches: (url) => compiled.matcher(url).find() };
}

type Subject = "url" | "path" | "host-and-path";

function compileGlob(source: string): UrlPattern {
  const subject: Subject = source.includes("://") ? "url" : source.startsWith("/") ? "path" : "host-and-path";
  const pieces = source.split(/\*+/);
  const namesQuery = source.includes("?");
  return {
    source,
    matches: (url) => {
      const whole = subjectOf(url, subject);
      if (matchesGlob(pieces, whole)) return true;
      return !namesQuery && matchesGlob(pieces, whole.split("?", 1)[0] ?? "");
    },
  };
}

function subjectOf(url: string, subject: Subject): string {
  if (subject === "url") return url;
  const hostStart = url.indexOf("://") + 3;
  const pathStart = url.indexOf("/", hostStart);
  return url.slice(subject === "path" ? pathStart : hostStart);
}

/** The whole text; without a star also the beginning of one that goes on below it. */
function matchesGlob(pieces: readonly string[], text: string): boolean {
  if (pieces.length > 1) return matchesPieces(pieces, text, true);
  const address = pieces[0] ?? "";
  if (!text.startsWith(address)) return false;
  return text.length === address.length || address.endsWith("/") || /[/?]/.test(text.charAt(address.length));
}

function invalid(source: string, why: string, cause?: unknown): AppError {
  return new AppError("invalid_request", `pattern ${JSON.stringify(source.slice(0, 80))}: ${why}`, {
    cause,
    details: { pattern: source.slice(0, 80) },
  });
}
