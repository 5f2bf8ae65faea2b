import type { Quote } from "./quote.ts";
import { wordsOf } from "./words-of.ts";

/** Pages are in the order of their rank, and search knows more of a page than its sentences show; found with the weights of a quote. */
const RANK_BONUS = 0.18;
/** What the page gives as the answer to this very question comes first, however short it is. */
const DIRECT_BONUS = 0.2;
/** After two sentences, what is much weaker than the best is beside the point. */
const SURE_SENTENCES = 2;
/** The share of the question's words that the best has, and later ones must have of that to be about the same. */
const MIN_COVER_SHARE = 0.6;
/** Two sentences that share more of their words say the same. */
const MAX_OVERLAP = 0.6;
/** A heading or a crumb of navigation answers nothing. */
const MIN_CHARACTERS = 20;
const MAX_CHARACTERS = 600;
/** What is shorter and ends without a stop is a heading or an entry of a list. */
const OPEN_CHARACTERS = 80;
/** A sentence that goes on from the one before reads badly by itself. */
const LEANS_BACK =
  /^(?:but|and|so|or|however|also|thus|therefore|otherwise|then|instead|note|for example|in addition|moreover|hence)\b/i;
const LEANING_MALUS = 0.08;
/** What ends without a stop may be code, or go on in a list; some scripts have none. */
const STOP = /[.!…。！।]["”’»)\]']*\s*$/u;
const OPEN_MALUS = 0.08;

/** How many sentences there may be. */
export interface SentenceWish {
  readonly most: number;
  readonly mostPerPage: number;
  /** After the first two, the share of the best one's value that another must have. */
  readonly minShare: number;
  /** Which may come first; when none may, there is no answer. Absent: all. */
  readonly mayLead?: (quote: Quote) => boolean;
}

/** The sentences that answer best, best first, none saying what another has said. `urls` are their pages in the order of rank. */
export function chooseSentences(
  quotes: readonly Quote[],
  urls: readonly string[],
  wish: SentenceWish,
): readonly Quote[] {
  const ranks = new Map(urls.map((url, rank) => [url, rank]));
  const valueOf = ({ url, score, text, isDirect }: Quote): number =>
    score +
    RANK_BONUS / (1 + (ranks.get(url) ?? urls.length)) +
    (isDirect === true ? DIRECT_BONUS : 0) -
    (LEANS_BACK.test(text) ? LEANING_MALUS : 0) -
    (STOP.test(text) ? 0 : OPEN_MALUS);
  const ranked = quotes
    .filter((one) => one.isDirect === true || isSentence(one.text))
    .map((one) => ({ one, value: valueOf(one) }))
    .sort((first, second) => second.value - first.value);
  const floor = wish.minShare * (ranked[0]?.value ?? 0);
  const bestCover = ranked.reduce((most, { one }) => Math.max(most, one.cover ?? 0), 0);
  const isBeside = ({ cover }: Quote): boolean => cover !== undefined && cover < MIN_COVER_SHARE * bestCover;
  const chosen: Quote[] = [];
  const words: ReadonlySet<string>[] = [];
  const lead = ranked.find(({ one }) => wish.mayLead?.(one) ?? true);
  if (lead === undefined) return [];
  for (const { one, value } of [lead, ...ranked.filter((other) => other !== lead)]) {
    if (chosen.length >= wish.most || (chosen.length >= SURE_SENTENCES && value < floor)) break;
    if (chosen.length >= SURE_SENTENCES && isBeside(one)) continue;
    if (chosen.filter(({ url }) => url === one.url).length >= wish.mostPerPage) continue;
    const own = new Set(wordsOf(one.text));
    if (words.some((other) => overlap(own, other) > MAX_OVERLAP)) continue;
    chosen.push(one);
    words.push(own);
  }
  return byPage(chosen);
}

/** What is said of one page stays together, the best first: so it reads. */
function byPage(chosen: readonly Quote[]): readonly Quote[] {
  const pages = [...new Set(chosen.map(({ url }) => url))];
  return pages.flatMap((page) => chosen.filter(({ url }) => url === page));
}

/** Whether a text can stand in an answer by itself: no heading, no question, nothing that only announces what follows it. */
export function isSentence(text: string): boolean {
  return (
    text.length >= MIN_CHARACTERS &&
    text.length <= MAX_CHARACTERS &&
    !text.includes(" | ") &&
    !/[?？:：]["”’»)]*\s*$/u.test(text) &&
    (text.length >= OPEN_CHARACTERS || /[.!…。！।"”’»)\]']\s*$/u.test(text))
  );
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((word) => other.has(word)).length;
  return common / Math.max(1, Math.min(one.size, other.size));
}
