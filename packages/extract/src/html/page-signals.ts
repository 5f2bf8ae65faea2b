import { metaValue, type PageFacts } from "../metadata/collect-facts.ts";
import { firstText, typesOf } from "../metadata/json-ld.ts";

/** What head and URL say about a page before any of its text is scored. */
export interface PageSignals {
  /** Lower-cased words of the title and the description. */
  readonly titleWords: ReadonlySet<string>;
  /** The article's text as its JSON-LD gives it, lower-cased, for comparison; often absent. */
  readonly declaredBody: string;
  /** One number per name in SIGNAL_NAMES. */
  readonly flags: readonly number[];
}

/** The names of the page-wide features, in the order of `PageSignals.flags`. */
export const SIGNAL_NAMES =
  "is:article is:product is:forum is:list is:site is:docs url:forum url:article url:product url:docs url:list url:home url:depth made:forum made:docs made:shop has:body".split(
    " ",
  );

const URL_KINDS: readonly RegExp[] = [
  /\bforums?\b|thread|viewtopic|showthread|\/topic|\/t\/|\/questions?\/|\bcommunity\b|\/r\/|\/boards?\/|discuss|\/talk\//i,
  /blog|news|article|stories|\/20\d\d\/|\/posts?\/|insights|magazine/i,
  /\/products?\/|\/p\/|\/dp\/|\/itm\/|\/item\/|\/listing\/|\/app\/|\.p\b/i,
  /\bdocs?\b|documentation|reference|manual|\bwiki\b|\/learn\/|\bapi\b|developer|tutorial/i,
  /categor|collections?\b|\/tags?\/|\/shop|\/c\/|search|catalog|browse|archive|\/list|directory/i,
];
const FORUM_MAKERS =
  /discourse|xenforo|vbulletin|phpbb|simple machines|smf|nodebb|invision|ips community|flarum|khoros|lithium|vanilla|mybb|fluxbb|stackexchange/i;
const DOCS_MAKERS =
  /docusaurus|sphinx|mkdocs|gitbook|vitepress|hugo|docfx|rustdoc|javadoc|mediawiki|antora|readthedocs/i;
const SHOP_MAKERS = /shopify|woocommerce|magento|bigcommerce|prestashop|opencart|salesforce commerce|demandware/i;

/** Reads the signals of a page from its facts and its URL. */
export function readSignals(url: string, facts: PageFacts): PageSignals {
  const types = facts.jsonLd.flatMap(typesOf);
  const microTypes = facts.items.map((item) => item.attributes["itemtype"] ?? "");
  const declared = [metaValue(facts, "og:type") ?? "", ...types, ...microTypes].join(" ").toLowerCase();
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  const depth = path.split("/").filter((part) => part !== "").length;
  const makers = [
    ...facts.metas.filter(({ name }) => name === "generator" || name === "application-name").map(({ value }) => value),
    ...facts.links.slice(0, 40).map(({ value }) => value.slice(0, 100)),
  ].join(" ");
  const title = metaValue(facts, "og:title") ?? facts.titleElement;
  const body = longestBody(facts);
  return {
    titleWords: new Set(
      `${title} ${metaValue(facts, "description", "og:description") ?? ""}`
        .toLowerCase()
        .split(/[\s.,:;!?()[\]"'“”‘’|/–—-]+/)
        .filter((word) => word.length > 2),
    ),
    declaredBody: body,
    flags: [
      Number(/article|blogposting|report|recipe/.test(declared)),
      Number(/product|offer/.test(declared)),
      Number(/discussion|qapage|question|answer/.test(declared)),
      Number(/itemlist|collection|searchresults/.test(declared)),
      Number(/website|localbusiness|service/.test(declared)),
      Number(/techarticle|apireference|softwaresourcecode/.test(declared)),
      ...URL_KINDS.map((pattern) => Number(pattern.test(url))),
      Number(depth === 0),
      Math.min(8, depth),
      Number(FORUM_MAKERS.test(makers)),
      Number(DOCS_MAKERS.test(makers)),
      Number(SHOP_MAKERS.test(makers)),
      Number(body !== ""),
    ],
  };
}

const MIN_BODY_CHARS = 400;

function longestBody(facts: PageFacts): string {
  let longest = "";
  for (const item of facts.jsonLd) {
    const body = firstText(item["articleBody"] ?? item["text"]) ?? "";
    if (body.length > longest.length) longest = body;
  }
  return longest.length < MIN_BODY_CHARS ? "" : longest.toLowerCase().replace(/\s+/g, " ");
}
