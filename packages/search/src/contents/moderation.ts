/** What tells whether a page is safe to show. */
export interface ModeratedPage {
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** Words of pages that are not for everyone; whole words, in their usual forms. */
const UNSAFE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    "porn(?:o|os|hub|ography|ographic)?",
    "xxx",
    "hentai",
    "milfs?",
    "camgirls?",
    "cam ?sex",
    "sex ?(?:cams?|chats?|tapes?|videos?|tube)",
    "hardcore sex",
    "nude (?:pics?|photos?|videos?|girls?|teens?)",
    "naked (?:pics?|photos?|videos?|girls?|teens?)",
    "blow ?jobs?",
    "cum ?shots?",
    "gang ?bangs?",
    "creampies?",
    "bukkake",
    "deep ?throat(?:ing)?",
    "bestiality",
    "incest (?:porn|videos?|stories)",
    "escort (?:girls?|services?)",
    "call girls?",
    "fetish (?:porn|videos?)",
    "gore (?:videos?|pics?)",
    "snuff (?:films?|videos?)",
    "beheading videos?",
  ].join("|")})(?![\\p{L}\\p{N}])`,
  "giu",
);
const READ_CHARACTERS = 20_000;
/** A page about the subject has a few of the words; one of the kind has many. */
const MAX_SHARE = 0.01;
const MIN_HITS = 3;

/** Whether moderation leaves the page out: by its title or address, or by how many of its words are unsafe. */
export function isUnsafe(page: ModeratedPage): boolean {
  const place = `${page.title ?? ""} ${page.url.replace(/[^\p{L}\p{N}]+/gu, " ")}`;
  const text = page.text.slice(0, READ_CHARACTERS);
  const hits = countUnsafe(text);
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (hits >= MIN_HITS && hits / Math.max(1, words) > MAX_SHARE) return true;
  return countUnsafe(place) > 0 && hits > 0;
}

function countUnsafe(text: string): number {
  return text.match(UNSAFE)?.length ?? 0;
}
