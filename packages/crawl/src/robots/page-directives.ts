import { parseWebDate } from "../web-date.ts";

/** What a page asks of those who read it. */
export interface PageDirectives {
  /** Not to be stored for search. */
  readonly noindex: boolean;
  /** Its links are not to be followed. */
  readonly nofollow: boolean;
  /** No copy of it is to be shown. */
  readonly noarchive: boolean;
  /** No words of it are to be shown. */
  readonly nosnippet: boolean;
  /** The most characters that may be shown, where it says so. */
  readonly maxSnippet?: number;
  /** The page is to be forgotten after this. */
  readonly unavailableAfter?: Date;
}

/** Where a page says so: `X-Robots-Tag` headers, joined or one by one, and `<meta name="robots">` with its kin. */
export interface PageDirectiveSources {
  readonly headers: readonly string[];
  readonly metas: readonly { readonly name: string; readonly content: string }[];
}

/** Directives that take a value after a colon, and so are not the name of an agent. */
const VALUED = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);
/** What is read of one header or meta. */
const MAX_LENGTH = 4096;

/**
 * Gathers what a page says to everyone and to `agent`. Where two sources differ the stricter counts; what is said to
 * another agent, or not understood, is passed over.
 */
export function readPageDirectives(sources: PageDirectiveSources, agent: string): PageDirectives {
  const ours = new Set(["*", "robots", agent.toLowerCase()]);
  const found: Directive[] = [];
  for (const header of sources.headers) {
    for (const { to, directive } of headerDirectives(header)) if (ours.has(to)) found.push(directive);
  }
  for (const { name, content } of sources.metas) {
    if (ours.has(name.trim().toLowerCase())) found.push(...splitDirectives(content));
  }
  const has = (...names: string[]): boolean => found.some((directive) => names.includes(directive.name));
  const lengths = found.flatMap(({ name, value }) =>
    name === "max-snippet" && /^\d{1,9}$/.test(value) ? [Number(value)] : [],
  );
  const dates = found.flatMap(({ name, value }) => (name === "unavailable_after" ? (parseWebDate(value) ?? []) : []));
  return {
    noindex: has("noindex", "none"),
    nofollow: has("nofollow", "none"),
    noarchive: has("noarchive", "nocache"),
    nosnippet: has("nosnippet") || lengths.includes(0),
    ...(lengths.length === 0 ? {} : { maxSnippet: Math.min(...lengths) }),
    ...(dates.length === 0 ? {} : { unavailableAfter: new Date(Math.min(...dates.map((date) => date.getTime()))) }),
  };
}

/** Whether a page may be kept for search at `now`. */
export function mayBeIndexed(directives: PageDirectives, now: Date): boolean {
  return !directives.noindex && (directives.unavailableAfter === undefined || directives.unavailableAfter > now);
}

interface Directive {
  readonly name: string;
  readonly value: string;
}

/** An agent's name holds until the next one: `a: nofollow, noindex, b: none` says two things to a. */
function headerDirectives(header: string): { readonly to: string; readonly directive: Directive }[] {
  let to = "*";
  const found: { readonly to: string; readonly directive: Directive }[] = [];
  for (const { name, value } of splitDirectives(header)) {
    if (value === "" || VALUED.has(name)) {
      found.push({ to, directive: { name, value } });
      continue;
    }
    to = name;
    found.push(...splitDirectives(value).map((directive) => ({ to: name, directive })));
  }
  return found;
}

/** Splits at commas, but not within a date (`Wed, 03 Dec 2025`), and each part at its first colon. */
function splitDirectives(text: string): Directive[] {
  return text
    .slice(0, MAX_LENGTH)
    .split(/,(?!\s*\d{1,2}[\s-][A-Za-z]{3})/)
    .map((part) => {
      const colon = part.indexOf(":");
      const name = (colon === -1 ? part : part.slice(0, colon)).trim().toLowerCase();
      return { name, value: colon === -1 ? "" : part.slice(colon + 1).trim() };
    })
    .filter(({ name }) => name !== "");
}
