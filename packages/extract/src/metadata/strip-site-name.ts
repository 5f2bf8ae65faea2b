const BAR = /(?:(?<!\s)\s+)?[|｜»]\s*|(?<!\s)\s+::\s+/;
/** Strongest first: a bar hardly ever belongs to a title itself, a dash often does. */
const SEPARATORS: readonly RegExp[] = [BAR, /(?<!\s)\s+[-–—·•/\\:⋅]\s+/];
const MIN_LEAD_WORDS = 2;
const MIN_HOST_CHARS = 5;

/** The parts of a title at its strongest separator; the title itself when it has none. */
export function splitTitle(title: string): readonly string[] {
  const separator = SEPARATORS.find((pattern) => pattern.test(title));
  return separator === undefined ? [title] : title.split(separator).filter((part) => part !== "");
}

/** Only letters and digits, in lower case: for comparing names that are written in different ways. */
export function squeeze(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** All parts of a title, at every separator. */
export function splitWholly(title: string): readonly string[] {
  return splitTitle(title).flatMap((part) => splitTitle(part));
}

/** A title without the name of its site: "Basic concepts - CSS | MDN" on MDN is "Basic concepts - CSS". */
export function stripSiteName(
  title: string,
  siteName: string | undefined,
  host: string,
  ogTitle: string | undefined,
): string {
  if (ogTitle !== undefined && countWords(ogTitle) > 1 && title.length > ogTitle.length) {
    // a title element that only adds to og:title shows that og:title is without the site
    if (title.startsWith(ogTitle) || title.endsWith(ogTitle)) return stripSiteName(ogTitle, siteName, host, ogTitle);
  }
  const parts = splitTitle(title);
  const [lead = "", ...rest] = parts;
  const last = rest.at(-1);
  if (last === undefined) return title;
  // a home page keeps its whole title; elsewhere what follows the site's name is the title
  if (isSite(lead, siteName, host)) return rest.length > 1 ? cutAfter(title, lead) : title;
  const barred = BAR.test(title);
  if (!barred && isSite(last, siteName, host)) return cutBefore(title, last);
  if (!barred && title === ogTitle && !isSite(last, siteName, host)) return title;
  return countWords(lead) >= MIN_LEAD_WORDS || rest.length === 1 ? lead : cutBefore(title, last);
}

/** Whether a part of a title names the site. */
export function isSite(part: string, siteName: string | undefined, host: string): boolean {
  const own = squeeze(part);
  if (own === "") return false;
  const hostName = squeeze(host.replace(/\.[a-z]+(?:\.[a-z]{2})?$/, ""));
  const site = squeeze(siteName ?? "");
  if (site !== "" && (site === own || site.includes(own))) return true;
  return own === squeeze(host) || own === hostName || (own.length >= MIN_HOST_CHARS && hostName.includes(own));
}

function cutBefore(title: string, part: string): string {
  return title.slice(0, title.lastIndexOf(part)).replace(/(?<![\s|\-–—·•»:/\\])[\s|\-–—·•»:/\\]+$/, "");
}

function cutAfter(title: string, part: string): string {
  return title.slice(title.indexOf(part) + part.length).replace(/^[\s|\-–—·•»:/\\]+/, "");
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
