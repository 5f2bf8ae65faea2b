/**
 * What the words in `class` and `id` say about an element. The groups are facts
 * about how pages are written; what they are worth is learnt (block-model).
 */
export const HINT_GROUPS = [
  "comment",
  "navigation",
  "footer",
  "header",
  "sidebar",
  "social",
  "promotion",
  "related",
  "meta",
  "content",
  "hidden",
  "message",
  "product",
  "card",
  "account",
  "filter",
  "media",
  "dialog",
  "author",
  "review",
] as const;

const WORDS: Readonly<Record<(typeof HINT_GROUPS)[number], string>> = {
  comment: "comment comments commentlist disqus reply replies respond respondent discussion livefyre",
  navigation:
    "nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs crumbs pagination pager paging tabs tab toc skip skiplink sitemap dropdown hamburger localnav subnav quicklinks",
  footer: "footer foot colophon copyright legal bottom disclaimer footnote",
  header: "header masthead topbar top head hero banner jumbotron",
  sidebar: "sidebar aside rail widget widgets secondary side sidenav column complementary",
  social:
    "share sharing social follow facebook twitter linkedin pinterest whatsapp instagram addtoany sharedaddy addthis likes",
  promotion:
    "ad ads advert advertisement advertising promo promotion sponsor sponsored newsletter subscribe subscription signup cta optin mailchimp donate paywall marketing offer dfp gpt adsense",
  related:
    "related recommended recommendation recommendations similar more trending popular latest readmore teaser also upsell recirc outbrain taboola next prev previous crosssell recent suggested",
  meta: "meta date time timestamp datetime posted published updated tags tag tagcloud category categories info views count label badge eyebrow kicker",
  content:
    "content article post entry body story main text prose markdown documentation docs copy richtext rte wysiwyg paragraph blog single maincontent page",
  hidden: "hidden sr screenreader visuallyhidden invisible print noprint offscreen collapse collapsed clip a11y hide",
  message:
    "message messages thread topic post posts postbody answer answers question questions forum msg bbwrapper cooked postcontent conversation",
  product:
    "product products price prices description details spec specs specification specifications sku pdp buy buybox features overview",
  card: "card cards item items tile tiles grid list listing result results collection feed row col loop",
  account: "login signin account register user profile member auth avatar userinfo rank",
  filter: "search filter filters facet facets sort sorting refine toolbar controls options form select input",
  media:
    "caption credit figure gallery image images img video player carousel slider slideshow photo thumbnail thumb media swiper slick",
  dialog:
    "popup modal overlay cookie cookies consent gdpr dialog lightbox toast alert notice notification notification banner onetrust drawer",
  author: "author byline bio writer contributor about",
  review: "review reviews rating ratings stars testimonial testimonials feedback",
};

const GROUP_OF_WORD: ReadonlyMap<string, number> = toWordMasks();

const MAX_NAMES_CHARS = 300;

/**
 * A bit for each group of HINT_GROUPS that the names of an element speak of. A name is read word by word:
 * `postBody__main-text` has post, body, main and text; a name of two words also counts as one (`post-body`, postbody).
 */
export function readHints(names: string): number {
  const length = Math.min(names.length, MAX_NAMES_CHARS);
  let mask = 0;
  let start = 0;
  let firstStart = 0;
  let firstEnd = 0;
  let secondStart = 0;
  let secondEnd = 0;
  let wordsInName = 0;
  const closeWord = (end: number): void => {
    if (end > start) {
      mask |= groupsOf(names, start, end);
      wordsInName += 1;
      if (wordsInName === 1) {
        firstStart = start;
        firstEnd = end;
      } else if (wordsInName === 2) {
        secondStart = start;
        secondEnd = end;
      }
    }
    start = end;
  };
  for (let index = 0; index <= length; index += 1) {
    const code = index === length ? 32 : names.charCodeAt(index);
    if (code >= 97 && code <= 122) continue;
    if (code >= 65 && code <= 90) {
      const before = index === 0 ? 0 : names.charCodeAt(index - 1);
      if (before >= 97 && before <= 122) closeWord(index);
      continue;
    }
    closeWord(index);
    start = index + 1;
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) continue;
    if (wordsInName === 2)
      mask |=
        GROUP_OF_WORD.get((names.slice(firstStart, firstEnd) + names.slice(secondStart, secondEnd)).toLowerCase()) ?? 0;
    wordsInName = 0;
  }
  return mask;
}

/** By the first two letters, which few words share with one of a group. */
const IS_BEGIN = new Uint8Array(26 * 26);
for (const word of GROUP_OF_WORD.keys()) IS_BEGIN[beginOf(word, 0)] = 1;

function groupsOf(names: string, start: number, end: number): number {
  if (end - start < 2 || IS_BEGIN[beginOf(names, start)] !== 1) return 0;
  return GROUP_OF_WORD.get(names.slice(start, end).toLowerCase()) ?? 0;
}

/** Of two letters of either size. */
function beginOf(word: string, start: number): number {
  return ((word.charCodeAt(start) | 32) - 97) * 26 + (word.charCodeAt(start + 1) | 32) - 97;
}

function toWordMasks(): ReadonlyMap<string, number> {
  const masks = new Map<string, number>();
  HINT_GROUPS.forEach((group, index) => {
    for (const word of WORDS[group].split(" ")) masks.set(word, (masks.get(word) ?? 0) | (1 << index));
  });
  return masks;
}
